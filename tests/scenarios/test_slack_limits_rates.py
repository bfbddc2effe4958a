"""Slack says how long to wait; Parley waits so long, and shows everything in the end, once."""

import pytest

from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


async def test_a_form_that_is_limited_is_posted_after_the_time_slack_gives(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_ask(WHERE)

    world.slack.fail("chat.postMessage", retry_after=7, times=3)
    ts = world.person().mentions(world.general, "ship it")
    await world.form(ts)
    await world.at_rest()

    assert world.pauses.count(7) == 3
    assert len(world.replies(ts)) == 1
    assert world.slack.called("conversations.replies") == []  # a call that was limited did nothing


async def test_a_receipt_that_is_limited_takes_the_place_of_the_form_in_the_end(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person()
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")
    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)

    world.slack.fail("chat.update", retry_after=3, times=2)
    ann.chooses(form, 1, "Production")
    await ann.clicks(form, "Submit")
    await world.says("Shipped.", ts)
    await world.at_rest()

    assert world.forms(ts) == []
    assert world.pauses.count(3) == 2
    assert len(world.replies(ts)) == 2


async def test_the_run_goes_on_while_its_messages_are_limited(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")
    world.slack.limit_rates(chat_postMessage=1)

    first = world.person().mentions(world.general, "ship one")
    await world.says("Shipped.", first)
    world.model.will_say("Shipped, too.")
    second = world.person().mentions(world.general, "ship two")
    await world.asked(2)
    await world.slack.until(lambda: max(world.pauses) > 30)
    world.slack.clock.advance(60)

    await world.says("Shipped, too.", second)


@pytest.mark.parametrize("method", ["users.info", "assistant.threads.setStatus", "agents.sessions.setStatus"])
async def test_other_calls_that_are_limited_lose_nothing(slack_world: SlackWorld, method: str) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")

    world.slack.fail(method, retry_after=2)
    ts = world.person().mentions(world.general, "ship it")

    await world.says("Shipped.", ts)
    await world.at_rest()
    assert len(world.replies(ts)) == 1
