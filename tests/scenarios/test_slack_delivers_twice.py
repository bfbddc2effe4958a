"""Slack delivers at least once, in any order: each thing that people do counts once all the same."""

from typing import Any

from tests.support import scripted_model
from tests.support.scripted_model import Step
from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


async def test_a_mention_that_is_delivered_again_is_one_run(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")

    ts = world.person().mentions(world.general, "ship it")
    await world.says("Shipped.", ts)
    for delivery in list(world.slack.deliveries):
        world.slack.redeliver(delivery)
    await world.at_rest()

    assert len(world.slack.delivered("app_mention")) == 2
    assert len(world.model.requests) == 1
    assert len(world.replies(ts)) == 1


async def test_a_mention_that_is_delivered_three_times_at_once_is_one_run(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")

    world.slack.duplicate_next("app_mention", times=2)
    ts = world.person().mentions(world.general, "ship it")
    await world.says("Shipped.", ts)
    await world.at_rest()

    assert len(world.slack.delivered("app_mention")) == 3
    assert len(world.replies(ts)) == 1


async def test_a_mention_from_before_a_restart_that_is_delivered_again_is_known(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")
    ts = world.person().mentions(world.general, "ship it")
    await world.says("Shipped.", ts)
    await world.at_rest()

    await world.restart()
    world.slack.redeliver(world.slack.delivered("app_mention")[0])
    await world.at_rest()

    assert len(world.model.requests) == 1


async def test_words_that_arrive_before_the_mention_they_follow_are_all_heard(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person()
    world.model.answers_with(lambda _body: scripted_model.say("Understood."))

    world.slack.hold_events()
    ts = ann.mentions(world.general, "ship the first thing")
    ann.mentions(world.general, "and the second thing", ts)
    world.slack.release_events(reverse=True)
    await world.says("Understood.", ts)
    await world.at_rest()

    said = str(world.model.requests[-1]["messages"])
    assert "ship the first thing" in said
    assert "and the second thing" in said


async def test_an_answer_in_the_thread_that_is_delivered_twice_counts_once(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person()
    world.model.answers_with(_ask_then_say)
    ts = ann.mentions(world.general, "ship it")
    await world.form(ts)

    world.slack.duplicate_next("message", times=2)
    ann.writes(world.general, "Production", ts)
    await world.says("Done.", ts)
    await world.at_rest()

    assert len(world.model.requests) == 2
    assert world.result() == {"answers": {"Where to?": "Production"}}
    assert world.slack.ephemerals(ann) == []


def _ask_then_say(body: dict[str, Any]) -> Step:
    asked = any(message["role"] == "tool" for message in body["messages"])
    return scripted_model.say("Done.") if asked else scripted_model.ask(WHERE)
