"""People see a reply while it is written; whatever becomes of the stream, the text is complete in the end, once."""

import asyncio

import pytest

from bot.playground.workspace import Message
from tests.support import scripted_model
from tests.support.scripted_model import Drop, Step
from tests.support.slack_world import SlackWorld

HALF, REST = "The first half of it, ", "and then the second half."


async def streaming(world: SlackWorld, ts: str, words: str = HALF) -> Message:
    """The message that is being written, as soon as this can be read in it."""

    def found() -> list[Message]:
        shown = world.replies(ts)
        return [m for m in shown if m.stream and not m.stream.ended and words.strip() in m.words]

    return (await world.slack.until(found))[-1]


async def begun(world: SlackWorld) -> tuple[str, asyncio.Event, Message]:
    """A reply of which people can read the first half; the rest comes when the event is set."""
    await world.start()
    go_on = asyncio.Event()
    world.model.will_pause(HALF, go_on, REST)
    ts = world.person().mentions(world.general, "ship it")
    return ts, go_on, await streaming(world, ts)


def counting(first: asyncio.Event, second: asyncio.Event) -> Step:
    opening, one, hold, three, *ending = scripted_model.pause("One, ", first, "three.").frames
    return Step((opening, one, hold, *scripted_model.pause("two, ", second).frames[1:3], three, *ending))


async def tried(world: SlackWorld, method: str) -> None:
    """Wait until this was called, whatever the answer."""
    await world.slack.until(lambda: any(call.method == method for call in world.slack.calls))


def texts(world: SlackWorld, ts: str) -> list[str]:
    return [message.words for message in world.replies(ts)]


async def test_a_reply_can_be_read_while_it_is_written(slack_world: SlackWorld) -> None:
    world = slack_world
    ts, go_on, message = await begun(world)

    go_on.set()
    await world.says(REST, ts)
    await world.at_rest()

    assert texts(world, ts) == [HALF + REST]
    assert world.replies(ts)[0].ts == message.ts
    assert world.slack.called("chat.postMessage") == []


async def test_a_reply_grows_with_every_piece_that_comes(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    first, second = asyncio.Event(), asyncio.Event()
    world.model.will(counting(first, second))

    ts = world.person().mentions(world.general, "count")
    await streaming(world, ts, "One,")
    first.set()
    await streaming(world, ts, "One, two,")
    second.set()
    await world.says("One, two, three.", ts)
    await world.at_rest()

    assert texts(world, ts) == ["One, two, three."]
    assert len(world.slack.called("chat.appendStream")) == 1


async def test_a_reply_of_several_messages_streams_its_first(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    go_on = asyncio.Event()
    parts = [f"Part {number}: " + "word " * 900 for number in range(5)]
    world.model.will_pause(parts[0], go_on, "\n\n" + "\n\n".join(parts[1:]))

    ts = world.person().mentions(world.general, "ship it")
    message = await streaming(world, ts, "Part 0")
    go_on.set()
    await world.says("Part 4", ts)
    await world.at_rest()

    whole = " ".join(texts(world, ts))
    assert [whole.count(f"Part {number}:") for number in range(5)] == [1] * 5
    assert world.replies(ts)[0].ts == message.ts
    assert len(world.replies(ts)) > 1


@pytest.mark.parametrize("error", ["channel_type_not_supported", "not_allowed", "missing_recipient_user_id"])
async def test_where_slack_refuses_to_stream_the_reply_is_one_post(slack_world: SlackWorld, error: str) -> None:
    world = await slack_world.start()
    world.slack.refuse_streaming(error)
    go_on = asyncio.Event()
    world.model.will_pause(HALF, go_on, REST)

    ts = world.person().mentions(world.general, "ship it")
    await tried(world, "chat.startStream")
    go_on.set()
    await world.says(REST, ts)
    await world.at_rest()

    assert texts(world, ts) == [HALF + REST]
    assert len(world.slack.called("chat.postMessage")) == 1


async def test_a_stream_that_expired_is_completed_by_an_update(slack_world: SlackWorld) -> None:
    world = slack_world
    ts, go_on, message = await begun(world)

    world.slack.expire_stream(world.general, message.ts)
    go_on.set()
    await world.says(REST, ts)
    await world.at_rest()

    assert texts(world, ts) == [HALF + REST]
    assert len(world.slack.called("chat.update")) == 1


async def test_a_stream_that_someone_deleted_is_posted_whole(slack_world: SlackWorld) -> None:
    world = slack_world
    ts, go_on, _ = await begun(world)

    for method in ("chat.appendStream", "chat.stopStream", "chat.update"):
        world.slack.fail(method, error="message_not_found", times=2)
    go_on.set()
    await world.slack.until(lambda: world.slack.called("chat.postMessage"))
    await world.at_rest()

    assert texts(world, ts)[-1] == HALF + REST


async def test_a_reply_that_breaks_off_is_taken_away_and_written_anew(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    go_on = asyncio.Event()
    world.model.will(Step((*scripted_model.pause("Nonsense that breaks off", go_on).frames[:3], Drop())))
    world.model.will_say("Shipped.")

    ts = world.person().mentions(world.general, "ship it")
    await streaming(world, ts, "Nonsense")
    go_on.set()
    await world.says("Shipped.", ts)
    await world.slack.until(lambda: len(world.replies(ts)) == 1)
    await world.at_rest()

    assert texts(world, ts) == ["Shipped."]


async def test_a_reply_that_is_done_while_its_stream_begins_is_there_once(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    gate = world.slack.hold("chat.startStream")
    go_on = asyncio.Event()
    world.model.will_pause(HALF, go_on, REST)

    ts = world.person().mentions(world.general, "ship it")
    await gate.reached()
    go_on.set()
    await world.slack.until(lambda: world.slack.session(world.general, ts).status == "active")  # type: ignore[union-attr]
    gate.open()
    await world.says(REST, ts)
    await world.at_rest()

    assert texts(world, ts) == [HALF + REST]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("method", ["chat.startStream", "chat.appendStream", "chat.stopStream"])
async def test_a_stream_whose_connection_is_cut_leaves_the_reply_once(
    slack_world: SlackWorld, method: str, after: bool
) -> None:
    world = await slack_world.start()
    first, second = asyncio.Event(), asyncio.Event()
    world.model.will(counting(first, second))
    world.slack.fail(method, drop=True, after=after)

    ts = world.person().mentions(world.general, "count")
    await tried(world, "chat.startStream")
    first.set()
    if method != "chat.startStream":
        await tried(world, "chat.appendStream")
    second.set()
    await world.says("One, two, three.", ts)
    await world.at_rest()

    assert texts(world, ts) == ["One, two, three."]


async def test_a_limited_stream_does_not_keep_the_reply_waiting(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    go_on = asyncio.Event()
    world.model.will_pause(HALF, go_on, REST)
    world.slack.fail("chat.startStream", retry_after=60)

    ts = world.person().mentions(world.general, "ship it")
    await tried(world, "chat.startStream")
    go_on.set()
    await world.says(REST, ts)

    assert 60 not in world.pauses
    assert texts(world, ts) == [HALF + REST]


async def test_a_stream_stays_while_another_message_of_the_thread_is_looked_for(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person()
    go_on = asyncio.Event()
    world.model.will_ask({"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]})
    world.model.will_pause(HALF, go_on, REST)
    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)

    world.slack.fail("chat.update", drop=True, times=5)
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")
    message = await streaming(world, ts)
    await world.slack.until(lambda: world.slack.called("conversations.replies"))
    await world.slack.until(lambda: not world.forms(ts))
    go_on.set()
    await world.says(REST, ts)
    await world.at_rest()

    assert [shown.ts for shown in world.replies(ts)] == [form.ts, message.ts]
    assert texts(world, ts)[-1] == HALF + REST


async def test_a_blank_beginning_is_not_streamed(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_ask({"questions": [{"question": "Where to?"}]}, text=" \n ")

    ts = world.person().mentions(world.general, "ship it")
    await world.form(ts)
    await world.at_rest()

    assert len(world.replies(ts)) == 1
    assert 0.7 not in world.pauses
