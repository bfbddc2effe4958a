"""Slack answers with HTTP 500, or not at all, before or after it did what it was asked: nothing is doubled or lost."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.playground.workspace import Message
from tests.support import scripted_model
from tests.support.scripted_model import Step
from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}
WAYS = [
    pytest.param({"status": 500}, id="500 before"),
    pytest.param({"status": 503, "after": True}, id="503 after"),
    pytest.param({"drop": True}, id="cut before"),
    pytest.param({"drop": True, "after": True}, id="cut after"),
    pytest.param({"error": "internal_error", "after": True}, id="internal_error after"),
]


def _ask_then_say(body: dict[str, Any]) -> Step:
    asked = any(message["role"] == "tool" for message in body["messages"])
    return scripted_model.say("Shipped.") if asked else scripted_model.ask(WHERE, text="One question.")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update", "users.info", "conversations.replies"])
async def test_a_failing_call_leaves_the_thread_as_it_would_have_been(
    slack_world: SlackWorld, method: str, way: dict[str, Any]
) -> None:
    world = await slack_world.start()
    ann = world.person()
    world.model.answers_with(_ask_then_say)
    world.slack.fail(method, times=3, **way)

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ann.chooses(form, 1, "Production")
    assert (await ann.clicks(form, "Submit")).acked
    await world.says("Shipped.", ts)
    await world.at_rest()

    words = [message.words for message in world.replies(ts)]
    assert [words[0], words[2:]] == ["One question.", ["Shipped."]]
    assert "Production" in words[1]
    assert world.forms(ts) == []
    assert len(world.model.requests) == 2


@pytest.mark.parametrize("way", WAYS)
async def test_each_message_of_a_long_reply_is_there_once_whichever_of_them_fails(
    slack_world: SlackWorld, way: dict[str, Any]
) -> None:
    world = await slack_world.start()
    parts = [f"Part {number}: " + "word " * 900 for number in range(5)]
    world.model.will_say("\n\n".join(parts))
    world.slack.refuse_streaming()
    failing = iter([False, True, False, True])
    world.slack.core.faults.next = _some(failing, world, way)  # type: ignore[method-assign]

    ts = world.person().mentions(world.general, "ship it")
    await world.says("Part 4", ts)
    await world.at_rest()

    whole = " ".join(message.words for message in world.replies(ts))
    assert [whole.count(f"Part {number}:") for number in range(5)] == [1] * 5
    assert [number for number in range(5) if f"Part {number}:" in whole] == [0, 1, 2, 3, 4]


def _some(failing: Any, world: SlackWorld, way: dict[str, Any]) -> Callable[[str], Any]:
    """Some posts fail, and others do not."""
    faults = world.slack.core.faults
    usual = type(faults).next

    def following(method: str) -> Any:
        if method == "chat.postMessage" and next(failing, False):
            world.slack.fail(method, **way)
        return usual(faults, method)

    return following


async def test_a_message_that_slack_will_not_change_any_more_is_posted_anew(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person()
    world.model.answers_with(_ask_then_say)
    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)

    world.slack.fail("chat.update", error="edit_window_closed")
    ann.chooses(form, 1, "Production")
    await ann.clicks(form, "Submit")
    await world.says("Shipped.", ts)
    await world.at_rest()

    receipts = [message for message in world.replies(ts) if "Production" in message.words and not message.buttons]
    assert len(receipts) == 1


async def test_blocks_that_slack_will_not_have_are_posted_as_plain_words(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person()
    world.model.answers_with(_ask_then_say)
    world.slack.fail("chat.postMessage", error="invalid_blocks")

    ts = ann.mentions(world.general, "ship it")
    shown: Message = await world.says("One question.", ts)

    assert "One question." in shown.text
    await world.form(ts)


async def test_a_message_is_found_again_where_its_connection_was_cut(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")
    world.slack.fail("chat.postMessage", drop=True, after=True)

    ts = world.person().mentions(world.general, "ship it")
    await world.says("Shipped.", ts)
    await world.at_rest()

    assert len(world.replies(ts)) == 1
    assert len(world.slack.called("conversations.replies")) == 1


async def test_a_message_whose_thread_cannot_be_read_is_posted_rather_than_lost(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")
    world.slack.fail("chat.postMessage", status=500)
    world.slack.fail("conversations.replies", error="missing_scope")

    ts = world.person().mentions(world.general, "ship it")

    await world.says("Shipped.", ts)
