"""The playground's file: whatever the app or the page was told is in it, and it is never overwritten unread."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.clock import Clock
from bot.playground.keeping import InUse, Keeper, Kept, Unusable
from bot.playground.server import LocalSlack
from tests.support.page import page
from tests.support.slack_app import actions, app_on, button, client_of, connected, form, refusal, section

GENERAL = "C0GENERAL"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "workspace.db"


def as_if_killed(file: Path) -> Kept:
    """What a process that begins now would find if the one that has the file were killed."""
    copy = file.parent / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(file.parent, copy)
    keeper = Keeper(copy / file.name)
    try:
        kept = keeper.load()
        assert kept
        return kept
    finally:
        keeper.close()


async def everything(slack: LocalSlack, client: AsyncWebClient) -> str:
    """One of each thing that a workspace can hold."""
    ann = slack.people["ann"]
    ts = ann.writes(GENERAL, "hello", files={"notes.txt": b"milk"})
    await client.chat_postMessage(channel=GENERAL, text="a form", blocks=form(), thread_ts=ts)
    await client.chat_postEphemeral(channel=GENERAL, user=ann.id, text="only you")
    await client.views_publish(user_id=ann.id, view={"type": "home", "blocks": [section("home")]})
    await client.agents_sessions_setStatus(channel_id=GENERAL, thread_ts=ts, status="processing")
    who = {"recipient_user_id": ann.id, "recipient_team_id": slack.team_id}
    await client.chat_startStream(channel=GENERAL, thread_ts=ts, markdown_text="so far", **who)
    await client.assistant_threads_setStatus(channel_id=GENERAL, thread_ts=ts, status="is thinking…")
    return ts


async def test_everything_is_there_again_after_a_stop(file: Path) -> None:
    async with LocalSlack(kept_in=file) as slack:
        ts = await everything(slack, client_of(slack))
        slack.clock.advance(86_400)

    async with LocalSlack(kept_in=file) as again:
        assert again.core.workspace == slack.core.workspace
        assert again.clock.ahead >= 86_400
        assert again.people["ann"].writes(GENERAL, "later", ts) > ts


async def test_whatever_the_app_was_answered_is_kept_by_then(file: Path) -> None:
    async with LocalSlack(kept_in=file) as slack:
        client = client_of(slack)
        ts = await everything(slack, client)
        assert as_if_killed(file).workspace == slack.core.workspace
        posted = (await client.chat_postMessage(channel=GENERAL, text="one", thread_ts=ts))["ts"]
        assert as_if_killed(file).workspace.messages[GENERAL][posted].text == "one"
        await client.chat_update(channel=GENERAL, ts=posted, text="two")
        assert as_if_killed(file).workspace.messages[GENERAL][posted].text == "two"
        await client.chat_delete(channel=GENERAL, ts=posted)
        assert posted not in as_if_killed(file).workspace.messages[GENERAL]


async def test_a_stream_that_grows_is_kept_as_it_grows_and_expires_after_a_kill(file: Path) -> None:
    async with LocalSlack(kept_in=file, clock=Clock(running=False)) as slack:
        client = client_of(slack)
        await everything(slack, client)
        stream = list(slack.core.workspace.messages[GENERAL])[-1]
        await client.chat_appendStream(channel=GENERAL, ts=stream, markdown_text=" and on")
        killed = as_if_killed(file).workspace
        assert killed == slack.core.workspace

    async with LocalSlack(kept_in=file, clock=Clock(running=False, start=slack.clock.now() + 301)) as again:
        refused = await refusal(client_of(again).chat_appendStream(channel=GENERAL, ts=stream, markdown_text="!"))
        assert refused["error"] == "message_not_in_streaming_state"
        async with page(again.core.url) as ann:
            assert ann.table[f"message/{GENERAL}/{stream}"]["text"] == "so far and on"
            assert ann.table[f"message/{GENERAL}/{stream}"]["streaming"] is False


async def test_whatever_the_page_was_told_is_kept_by_then(file: Path) -> None:
    async with LocalSlack(kept_in=file) as slack, page(slack.core.url) as ann:
        ts = (await client_of(slack).chat_postMessage(channel=GENERAL, text="a form", blocks=form()))["ts"]
        surface = {"channel": GENERAL, "ts": ts}
        for text in ("a", "ab"):
            await ann.ask("fill", surface=surface, block_id="q1/other", action_id="other", value=text)
            assert as_if_killed(file).workspace == slack.core.workspace
        await ann.ask("pass", seconds=86_400)
        assert as_if_killed(file).ahead >= 86_400


async def test_an_event_is_kept_before_it_is_sent_and_forgotten_once_it_is_taken(file: Path) -> None:
    async with LocalSlack(kept_in=file) as slack:
        seen: list[int] = []
        app = app_on(slack)

        @app.middleware
        async def look(next: object) -> None:
            seen.append(len(as_if_killed(file).workspace.waiting))
            await next()  # type: ignore[operator]

        async with connected(app, slack):
            slack.people["ann"].writes(GENERAL, "hello")
            await slack.until(lambda: slack.deliveries and slack.deliveries[0].acked)
            await client_of(slack).auth_test()
            assert as_if_killed(file).workspace.waiting == {}
        assert seen == [1]


async def test_expired_triggers_and_response_urls_are_not_kept(file: Path) -> None:
    async with LocalSlack(kept_in=file, clock=Clock(running=False)) as slack:
        ann, client = slack.people["ann"], client_of(slack)
        ts = (await client.chat_postMessage(channel=GENERAL, text="x", blocks=[actions(button())]))["ts"]
        message = slack.core.workspace.messages[GENERAL][ts]
        await ann.clicks(message, "Submit")
        await client.auth_test()
        kept = as_if_killed(file).workspace
        assert (len(kept.triggers), len(kept.response_urls)) == (1, 1)
        slack.clock.advance(10)
        await client.auth_test()
        kept = as_if_killed(file).workspace
        assert (len(kept.triggers), len(kept.response_urls)) == (0, 1)
        assert len(slack.core.workspace.triggers) == 1  # so that a late app is told that it is late
        slack.clock.advance(86_400)
        await client.auth_test()
        assert as_if_killed(file).workspace.response_urls == slack.core.workspace.triggers == {}


def test_a_file_that_is_something_else_is_left_as_it_is(file: Path) -> None:
    file.write_text("dear diary" * 1_000)

    with pytest.raises(Unusable, match=r"workspace\.db\) cannot be read: file is not a database"):
        LocalSlack(kept_in=file)

    assert file.read_text() == "dear diary" * 1_000


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE kept SET value = '{' WHERE part = 'team'",
        "UPDATE kept SET value = '7' WHERE part = 'users'",
        "DELETE FROM kept WHERE part = 'app_id'",
        "PRAGMA user_version = 99",
    ],
)
async def test_a_damaged_file_is_named_and_not_replaced(file: Path, damage: str) -> None:
    async with LocalSlack(kept_in=file):
        pass
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute(damage)
        before = connection.execute("SELECT * FROM kept").fetchall()

    for _ in range(2):
        with pytest.raises(Unusable, match="cannot be read"):
            LocalSlack(kept_in=file)

    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT * FROM kept").fetchall() == before


async def test_two_playgrounds_do_not_share_a_file(file: Path) -> None:
    async with LocalSlack(kept_in=file):
        with pytest.raises(InUse, match="Another playground is already running"):
            LocalSlack(kept_in=file)


async def test_a_full_disk_is_said_once_and_everything_is_kept_when_there_is_room(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with LocalSlack(kept_in=file) as slack:
        client = client_of(slack)
        await client.auth_test()
        disk = slack._keeper._file  # type: ignore[union-attr]
        pages = disk.execute("PRAGMA page_count").fetchone()[0]
        disk.execute(f"PRAGMA max_page_count = {pages}")
        for _ in range(3):
            await client.chat_postMessage(channel=GENERAL, text="x" * 30_000)
        assert [record.getMessage().startswith("The workspace cannot be written") for record in caplog.records] == [
            True
        ]
        disk.execute("PRAGMA max_page_count = 100000")
        await client.auth_test()
        assert as_if_killed(file).workspace == slack.core.workspace
