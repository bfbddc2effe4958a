"""Parley works only in channels that it is in: elsewhere it says so to whoever called, and tries nothing in vain."""

import asyncio

import pytest
from structlog.testing import capture_logs

from bot.playground.people import Person
from bot.playground.workspace import Channel
from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


def random(world: SlackWorld) -> Channel:
    return world.slack.channels["random"]


def told(world: SlackWorld, person: Person) -> list[str]:
    """What Parley has written to them directly."""
    return [message.text for message in world.slack.messages(person.im) if message.by_app]


def tried(world: SlackWorld, channel: Channel) -> list[str]:
    """The calls that were to write something in the channel."""
    return [
        call.method for call in world.slack.calls if call.args.get("channel") == channel.id and "chat" in call.method
    ]


async def test_whoever_calls_it_elsewhere_is_told_directly_to_invite_it_and_nothing_runs(
    slack_world: SlackWorld,
) -> None:
    world = await slack_world.start()
    ann = world.person("ann")

    with capture_logs() as logs:
        ann.mentions(random(world), "hello")
        await world.slack.until(lambda: told(world, ann))
        await world.dealt_with()

    assert told(world, ann) == ["I am not in <#C0RANDOM0> yet. Invite me there, then mention me again."]
    assert world.model.requests == []
    assert tried(world, random(world)) == []
    assert [line for line in logs if line["log_level"] in ("warning", "error")] == []


async def test_each_person_is_told_once_an_hour_for_each_channel(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    lobby = world.slack.add_channel("lobby", [ann, ben], with_app=False)

    async def calls(person: Person, channel: Channel, count: int) -> None:
        person.mentions(channel, "hello")
        await world.dealt_with()
        await world.slack.until(lambda: len(told(world, person)) == count)
        await world.dealt_with()  # with what it said itself, too

    await calls(ann, random(world), 1)
    await calls(ann, random(world), 1)
    await calls(ann, lobby, 2)
    await calls(ben, lobby, 1)
    world.slack.clock.advance(3_601)
    await calls(ann, random(world), 3)


async def test_once_invited_it_works_there_at_once(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    ts = ann.mentions(random(world), "hello")
    await world.slack.until(lambda: told(world, ann))

    random(world).members.append(world.slack.bot_user_id)
    world.model.will_say("Here I am.")
    ann.mentions(random(world), "and now?", ts)

    await world.says("Here I am.", ts, random(world))
    assert len(world.model.requests) == 1


@pytest.mark.parametrize("way", [{"error": "missing_scope"}, {"status": 500}, {"drop": True}])
async def test_where_slack_does_not_say_whether_it_is_in_the_channel_it_works(
    slack_world: SlackWorld, way: dict[str, str]
) -> None:
    world = await slack_world.start()
    world.slack.fail("conversations.info", times=100, **way)  # type: ignore[arg-type]
    world.model.will_say("Here I am.")

    ts = world.person().mentions(world.general, "hello")

    await world.says("Here I am.", ts)


async def test_what_cannot_be_shown_is_tried_once_and_again_when_the_thread_changes(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, go_on = world.person("ann"), asyncio.Event()
    world.model.will_pause("", go_on, "Done.")
    ts = ann.mentions(world.general, "ship it")
    await world.model.reached.wait()

    with capture_logs() as logs:
        world.general.members.remove(world.slack.bot_user_id)
        go_on.set()
        await world.slack.until(lambda: any(line["event"] == "cards.out_of_reach" for line in logs))
    assert world.replies(ts) == []
    assert [line["log_level"] for line in logs if line["event"].startswith("cards.")] == ["info"]
    assert tried(world, world.general) == ["chat.postMessage"]

    world.general.members.append(world.slack.bot_user_id)
    world.model.will_say("Still here.")
    ann.mentions(world.general, "are you there?", ts)
    await world.says("Still here.", ts)

    assert [message.words for message in world.replies(ts)] == ["Done.", "Still here."]


@pytest.mark.parametrize("error", ["is_archived", "channel_not_found", "cannot_reply_to_message"])
async def test_an_open_question_in_a_place_that_is_closed_waits_without_noise(
    slack_world: SlackWorld, error: str
) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask(WHERE)
    world.slack.fail("chat.postMessage", error=error, times=100)

    with capture_logs() as logs:
        ts = ann.mentions(world.general, "ship it")
        await world.slack.until(lambda: any(line["event"] == "cards.out_of_reach" for line in logs))
    assert world.forms(ts) == []
    assert {line["log_level"] for line in logs if line["event"].startswith("cards.")} == {"info"}

    world.slack.heal()
    ann.writes(world.general, "anything?", ts)
    assert await world.form(ts)
