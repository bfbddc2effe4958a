"""Someone stops a run in the middle of a reply: what people could read stays, and that it was stopped is said."""

import asyncio

import pytest

from tests.support.slack_world import SlackWorld

HALF = "The first half of it, "


@pytest.mark.parametrize("how", ["words", "button"])
async def test_a_stop_in_the_middle_leaves_what_was_written_and_says_stopped(slack_world: SlackWorld, how: str) -> None:
    world = slack_world
    await world.start()
    world.model.will_pause(HALF, asyncio.Event())
    ts = world.person().mentions(world.general, "ship it")
    await world.slack.until(lambda: HALF.strip() in "".join(m.words for m in world.replies(ts)))
    message = world.replies(ts)[0]
    ann = world.person()

    if how == "words":
        ann.mentions(world.general, "stop", ts)
    else:
        ann.stops(world.general, ts)
    await world.says("Stopped by", ts)
    await world.at_rest()
    await world.slack.until(lambda: (world.replies(ts)[0].metadata or {}).get("event_type") == "parley_partial")

    shown = world.replies(ts)
    assert [shown[0].words.strip(), len(shown)] == [HALF.strip(), 2]
    assert shown[0].ts == message.ts
    assert shown[0].stream
    assert shown[0].stream.ended
