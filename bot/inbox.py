"""What came in, written down before the ack and dealt with after it: in order within a thread, and once."""

import asyncio
import uuid
from typing import Protocol
from weakref import WeakValueDictionary

import structlog

from agent.core.errors import StoreError
from agent.ports import ThreadKey
from agent.store.journal import Store
from bot.inbound import Inbound, load
from bot.pausing import Sleep
from bot.slack import SlackAway, SlackRefused

log = structlog.get_logger()

_NOWHERE = ThreadKey(team="", channel="", root="")


class Handler(Protocol):
    async def decide(self, key: str, inbound: Inbound) -> None: ...

    async def say_failed(self, inbound: Inbound, incident: str) -> None: ...


class Inbox:
    def __init__(self, store: Store, handler: Handler, sleep: Sleep = asyncio.sleep) -> None:
        self._store, self._handler, self._sleep = store, handler, sleep
        self._tasks: set[asyncio.Task[None]] = set()
        self._turns: WeakValueDictionary[ThreadKey, asyncio.Lock] = WeakValueDictionary()

    async def accept(self, inbound: Inbound) -> None:
        """Write it down. When this returns it is safe to ack; a second delivery of the same changes nothing."""
        key = "/".join(inbound.key)
        if await self._store.delivery.accept(key, inbound.dump()):
            self._begin(key, inbound)

    async def start(self) -> None:
        """Deal with what was acked but not dealt with before the process ended."""
        for key, body in await self._store.delivery.waiting():
            self._begin(key, load(body))

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, key: str, inbound: Inbound) -> None:
        task = asyncio.create_task(self._deal_with(key, inbound))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deal_with(self, key: str, inbound: Inbound) -> None:
        lock = self._turns.setdefault(getattr(inbound, "thread", _NOWHERE), asyncio.Lock())
        try:
            async with lock:
                await self._until_stored(key, inbound)
        except (SlackAway, SlackRefused) as error:
            log.warning("inbox.slack", kind=inbound.kind, error=str(error))
            await self._store.delivery.settle(key)
        except Exception:  # the outermost loop: whatever went wrong, whoever did it is told
            incident = uuid.uuid4().hex[:8]
            log.exception("inbox.failed", kind=inbound.kind, incident=incident)
            await self._store.delivery.settle(key)
            await self._handler.say_failed(inbound, incident)

    async def _until_stored(self, key: str, inbound: Inbound) -> None:
        """Again and again while the database is away: it was acked, so nobody else will bring it back."""
        pause = 0.5
        while True:
            try:
                return await self._handler.decide(key, inbound)
            except StoreError:
                log.exception("inbox.store", kind=inbound.kind, retry_in=pause)
            await self._sleep(pause)
            pause = min(pause * 2, 60.0)
