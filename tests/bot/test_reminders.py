"""What is due and cannot be done now is tried again soon."""

import asyncio
from pathlib import Path
from zoneinfo import ZoneInfo

from agent.core.events import MessageReceived
from agent.ports import Card, ThreadKey
from agent.store.journal import Store
from bot.reminders import Reminders
from bot.schedule import Schedule
from bot.slack import Slack

THREAD = ThreadKey(team="T1", channel="C1", root="1.0")
ALWAYS = Schedule(remind_after=1, expire_after=0, opens=0, closes=24, zone=ZoneInfo("UTC"))


async def test_where_a_workspace_cannot_be_reached_it_is_tried_again_within_minutes(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path}/parley.db")
    await store.append(THREAD, MessageReceived(text="go"))
    form = Card("2/ask/000001000", "1.5", "abc", 0.0, is_open=True, title="Why?", remind_at=50.0)
    await store.delivery.show(THREAD, [form], 1)
    pauses: asyncio.Queue[float] = asyncio.Queue()

    async def away(_team: str) -> Slack | None:
        return None

    async def pause(seconds: float) -> None:
        pauses.put_nowait(seconds)
        await asyncio.Event().wait()

    reminders = Reminders(store, None, away, due=ALWAYS, clock=lambda: 100.0, sleep=pause)  # type: ignore[arg-type]
    running = asyncio.create_task(reminders.run())

    assert await pauses.get() == 60
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await store.close()
