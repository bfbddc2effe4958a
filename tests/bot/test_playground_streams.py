"""Streams: how they are written, what they refuse, and how they end."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import LocalSlack
from tests.support.slack_app import app_on, connected, form, refusal, section

Json = dict[str, Any]
GENERAL = "C0GENERAL"


@pytest.fixture
def thread(slack: LocalSlack) -> Json:
    """Where a stream in a channel goes, and to whom."""
    ann = slack.people["ann"]
    ts = ann.writes(GENERAL, "write me a report")
    return {"channel": GENERAL, "thread_ts": ts, "recipient_user_id": ann.id, "recipient_team_id": slack.team_id}


def task(status: str, **more: str) -> Json:
    return {"type": "task_update", "id": "t1", "title": "Search", "status": status, **more}


async def test_a_stream_becomes_one_message(slack: LocalSlack, client: AsyncWebClient, thread: Json) -> None:
    stream = await client.chat_stream(**thread, buffer_size=4)
    for piece in ("Once ", "upon ", "a time"):
        await stream.append(markdown_text=piece)
    await stream.stop(metadata={"event_type": "reply", "event_payload": {"key": "k1"}})

    message = slack.thread(GENERAL, thread["thread_ts"])[1]
    assert (message.ts, message.text, message.words) == (stream.ts, "Once upon a time", "Once upon a time")
    assert message.metadata == {"event_type": "reply", "event_payload": {"key": "k1"}}


async def test_people_see_what_was_written_so_far_and_the_status_is_gone(
    slack: LocalSlack, client: AsyncWebClient, thread: Json
) -> None:
    await client.assistant_threads_setStatus(channel_id=GENERAL, thread_ts=thread["thread_ts"], status="thinking")

    await client.chat_startStream(**thread, markdown_text="Once ")

    assert slack.thread(GENERAL, thread["thread_ts"])[1].text == "Once "
    assert slack.status(GENERAL, thread["thread_ts"]) == ""


async def test_tasks_are_shown_as_cards_and_change_in_place(
    slack: LocalSlack, client: AsyncWebClient, thread: Json
) -> None:
    stream = await client.chat_stream(**thread)
    await stream.append(chunks=[task("in_progress", details="one ")])
    await stream.append(chunks=[task("complete", details="two")])
    await stream.stop(markdown_text="Done.", blocks=form())

    message = slack.thread(GENERAL, thread["thread_ts"])[1]
    card = message.blocks[0]
    assert (card["type"], card["status"]) == ("task_card", "complete")
    assert card["details"]["elements"][0]["elements"][0]["text"] == "one two"
    assert message.buttons == ["Submit"]


async def test_a_plan_holds_the_tasks(slack: LocalSlack, client: AsyncWebClient, thread: Json) -> None:
    stream = await client.chat_stream(**thread, task_display_mode="plan")
    await stream.append(chunks=[{"type": "plan_update", "title": "Research"}, task("pending")])

    plan = slack.thread(GENERAL, thread["thread_ts"])[1].blocks[0]
    assert (plan["type"], plan["title"], plan["tasks"][0]["title"]) == ("plan", "Research", "Search")


@pytest.mark.parametrize("name", ["recipient_user_id", "recipient_team_id"])
async def test_a_stream_in_a_channel_needs_a_recipient(client: AsyncWebClient, thread: Json, name: str) -> None:
    del thread[name]

    assert (await refusal(client.chat_startStream(**thread)))["error"] == f"missing_{name}"


async def test_a_stream_in_direct_messages_needs_none_but_a_thread(slack: LocalSlack, client: AsyncWebClient) -> None:
    ann = slack.people["ann"]
    ts = ann.dms("hello")

    assert (await client.chat_startStream(channel=ann.im.id, thread_ts=ts))["ok"]
    top = client.api_call("chat.startStream", json={"channel": ann.im.id})
    assert (await refusal(top))["error"] == "invalid_thread_ts"


async def test_streaming_can_be_refused_altogether(slack: LocalSlack, client: AsyncWebClient, thread: Json) -> None:
    slack.refuse_streaming("channel_type_not_supported")

    assert (await refusal(client.chat_startStream(**thread)))["error"] == "channel_type_not_supported"


async def test_a_stream_dies_after_five_minutes_whatever_is_added(
    slack: LocalSlack, client: AsyncWebClient, thread: Json
) -> None:
    stream = await client.chat_stream(**thread, buffer_size=1)
    await stream.append(markdown_text="a")
    slack.clock.advance(299)
    await stream.append(markdown_text="b")
    slack.clock.advance(1)

    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        await stream.append(markdown_text="c")
    await client.chat_update(channel=GENERAL, ts=str(stream.ts), text="abc")
    assert slack.thread(GENERAL, thread["thread_ts"])[1].words == "abc"


async def test_a_stream_can_be_made_to_expire_now(slack: LocalSlack, client: AsyncWebClient, thread: Json) -> None:
    ts = (await client.chat_startStream(**thread))["ts"]
    slack.expire_stream(GENERAL, ts)

    answer = await refusal(client.chat_stopStream(channel=GENERAL, ts=ts))

    assert answer["error"] == "message_not_in_streaming_state"


async def test_a_live_stream_cannot_be_updated(client: AsyncWebClient, thread: Json) -> None:
    ts = (await client.chat_startStream(**thread))["ts"]

    answer = await refusal(client.chat_update(channel=GENERAL, ts=ts, text="a"))

    assert answer["error"] == "streaming_state_conflict"


async def test_text_and_chunks_do_not_mix(client: AsyncWebClient, thread: Json) -> None:
    ts = (await client.chat_startStream(**thread, markdown_text="a"))["ts"]

    answer = await refusal(client.chat_appendStream(channel=GENERAL, ts=ts, chunks=[task("pending")]))

    assert answer["error"] == "streaming_mode_mismatch"


async def test_one_call_takes_12000_characters(client: AsyncWebClient, thread: Json) -> None:
    ts = (await client.chat_startStream(**thread, markdown_text="x" * 12_000))["ts"]

    assert (await client.chat_appendStream(channel=GENERAL, ts=ts, markdown_text="x" * 12_000))["ok"]
    over = client.chat_appendStream(channel=GENERAL, ts=ts, markdown_text="x" * 12_001)
    assert (await refusal(over))["error"] == "msg_too_long"


@pytest.mark.parametrize(
    "chunk",
    [
        {"type": "hologram"},
        task("done"),
        {**task("pending"), "title": "x" * 257},
        {"type": "plan_update", "title": "x" * 257},
        {"type": "blocks", "blocks": [section("x" * 3_001)]},
    ],
)
async def test_a_bad_chunk_is_refused(client: AsyncWebClient, thread: Json, chunk: Json) -> None:
    assert (await refusal(client.chat_startStream(**thread, chunks=[chunk])))["error"] == "invalid_chunks"


async def test_a_stopped_stream_takes_nothing_more(client: AsyncWebClient, thread: Json) -> None:
    ts = (await client.chat_startStream(**thread))["ts"]
    await client.chat_stopStream(channel=GENERAL, ts=ts, markdown_text="done")

    answer = await refusal(client.chat_appendStream(channel=GENERAL, ts=ts, markdown_text="more"))

    assert answer["error"] == "message_not_in_streaming_state"


async def test_stop_ends_the_stream_and_the_app_hears_which(
    slack: LocalSlack, client: AsyncWebClient, thread: Json
) -> None:
    async with connected(app_on(slack), slack):
        await client.agents_sessions_setStatus(
            channel_id=GENERAL, thread_ts=thread["thread_ts"], status="processing", title="Report"
        )
        ts = (await client.chat_startStream(**thread))["ts"]
        slack.people["ann"].stops(GENERAL, thread["thread_ts"])

    answer = await refusal(client.chat_appendStream(channel=GENERAL, ts=ts, markdown_text="more"))
    assert answer["error"] == "stopped_by_user"
    assert slack.delivered("agent_session_stopped")[0].payload["event"]["streaming_message_ts"] == [ts]


async def test_stopping_a_stream_can_set_the_sessions_status(
    slack: LocalSlack, client: AsyncWebClient, thread: Json
) -> None:
    where = {"channel_id": GENERAL, "thread_ts": thread["thread_ts"]}
    await client.agents_sessions_setStatus(**where, status="processing")
    ts = (await client.chat_startStream(**thread))["ts"]

    await client.chat_stopStream(channel=GENERAL, ts=ts, markdown_text="a question?", session_status="suspended")

    session = slack.session(GENERAL, thread["thread_ts"])
    assert session
    assert session.status == "suspended"
