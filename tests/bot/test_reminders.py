"""What is due and cannot be done now is tried again soon, and keeps nothing else back."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from agent.core.errors import StoreError
from agent.core.events import Event, MessageReceived
from agent.ports import Card, ThreadKey
from agent.store.journal import Store
from bot.reminders import Reminders
from bot.schedule import Schedule
from bot.slack import Slack

THREAD = ThreadKey(team="T1", channel="C1", root="1.0")
OTHER = THREAD.model_copy(update={"root": "2.0"})
FORM = Card("2/ask/000001000", "1.5", "abc", 0.0, is_open=True, title="Why?")
ALWAYS = Schedule(remind_after=1, expire_after=0, opens=0, closes=24, zone=ZoneInfo("UTC"))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await Store.open(f"sqlite:///{tmp_path}/parley.db")
    store.adoption.serve(THREAD.team)
    yield store
    await store.close()


class Journal:
    """Remembers in which threads something was recorded; the first time it fails."""

    def __init__(self, failure: Exception) -> None:
        self.failures = [failure]
        self.recorded: list[ThreadKey] = []

    async def record(self, key: ThreadKey, _event: Event) -> None:
        self.recorded.append(key)
        if self.failures:
            raise self.failures.pop()


async def shows(store: Store, key: ThreadKey, card: Card) -> None:
    await store.append(key, MessageReceived(text="go"))
    await store.delivery.show(key, [card], 1)


@asynccontextmanager
async def reminding(store: Store, slack: object, threads: object = None) -> AsyncIterator[asyncio.Queue[float]]:
    """Reminders at second 100, where Slack is this everywhere; gives how long they mean to pause."""
    pauses: asyncio.Queue[float] = asyncio.Queue()

    async def slack_of(_team: str) -> Slack | None:
        return slack  # type: ignore[return-value]

    async def pause(seconds: float) -> None:
        pauses.put_nowait(seconds)
        await asyncio.Event().wait()

    reminders = Reminders(store, threads, slack_of, due=ALWAYS, clock=lambda: 100.0, sleep=pause)  # type: ignore[arg-type]
    running = asyncio.create_task(reminders.run())
    yield pauses
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_where_a_workspace_cannot_be_reached_it_is_tried_again_within_minutes(store: Store) -> None:
    await shows(store, THREAD, replace(FORM, remind_at=50.0))

    async with reminding(store, None) as pauses:
        assert await pauses.get() == 60


async def test_what_is_due_where_parley_was_removed_is_not_tried_again_and_again(store: Store) -> None:
    await shows(store, THREAD, replace(FORM, remind_at=50.0))
    store.adoption.leave(THREAD.team)

    async with reminding(store, None) as pauses:
        assert await pauses.get() == 3_600


@pytest.mark.parametrize("failure", [ValueError("a row that cannot be read"), StoreError("locked")])
async def test_one_that_fails_does_not_keep_the_others_back(store: Store, failure: Exception) -> None:
    for key in (THREAD, OTHER):
        await shows(store, key, replace(FORM, expire_at=50.0))
    journal = Journal(failure)

    async with reminding(store, object(), journal) as pauses:
        assert await pauses.get() == 60

    assert sorted(key.root for key in journal.recorded) == ["1.0", "2.0"]
