"""What came in, written down before the ack and dealt with after it: in order within a thread, and once."""

import asyncio
import time
import uuid
from collections.abc import Callable
from typing import Protocol
from weakref import WeakValueDictionary

import structlog

from agent.core.errors import StoreError
from agent.ports import ThreadKey
from agent.store.journal import Store
from bot.background import Background
from bot.inbound import Inbound, load
from bot.pausing import Sleep
from bot.slack import SlackAway

log = structlog.get_logger()

_KEPT_SECONDS = 86_400.0
_NOWHERE = ThreadKey(team="", channel="", root="")


class Handler(Protocol):
    async def decide(self, key: str, inbound: Inbound) -> None: ...

    def say_failed(self, inbound: Inbound, incident: str) -> None: ...

    def is_urgent(self, inbound: Inbound) -> bool:
        """Whether it must not wait for what came before it in the same thread."""


class Inbox:
    def __init__(
        self, store: Store, handler: Handler, clock: Callable[[], float] = time.time, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._store, self._handler, self._clock, self._sleep = store, handler, clock, sleep
        self._background = Background()
        self._turns: WeakValueDictionary[ThreadKey, asyncio.Lock] = WeakValueDictionary()

    async def accept(self, inbound: Inbound) -> None:
        """Write it down. When this returns it is safe to ack; a second delivery of the same changes nothing."""
        key = "/".join(inbound.key)
        if await self._store.delivery.accept(key, inbound.dump()):
            self._begin(key, inbound)

    async def start(self) -> None:
        """Deal with what was acked but not dealt with before the process ended."""
        for key, body in await self._store.delivery.waiting():
            try:
                self._begin(key, load(body))
            except (KeyError, ValueError):  # of another version of us
                log.exception("inbox.unreadable")
                await self._store.delivery.settle(key)

    async def close(self) -> None:
        await self._background.close()

    async def tidy(self) -> None:
        """Forget what was dealt with so long ago that Slack will not deliver it again."""
        while True:
            try:
                await self._store.delivery.forget_before(self._clock() - _KEPT_SECONDS)
            except StoreError:
                log.exception("inbox.not_tidied")
            await self._sleep(_KEPT_SECONDS / 4)

    def _begin(self, key: str, inbound: Inbound) -> None:
        self._background.start(self._deal_with(key, inbound))

    async def _deal_with(self, key: str, inbound: Inbound) -> None:
        try:
            if self._handler.is_urgent(inbound):
                await self._until_stored(key, inbound)
                return
            async with self._turns.setdefault(getattr(inbound, "thread", _NOWHERE), asyncio.Lock()):
                await self._until_stored(key, inbound)
        except Exception:  # the outermost loop: whatever went wrong, whoever did it is told
            incident = uuid.uuid4().hex[:8]
            log.exception("inbox.failed", kind=inbound.kind, incident=incident)
            await self._store.delivery.settle(key)
            self._handler.say_failed(inbound, incident)

    async def _until_stored(self, key: str, inbound: Inbound) -> None:
        """Again and again while the database or Slack is away: it was acked, so nobody will bring it back."""
        pause = 0.5
        while True:
            try:
                return await self._handler.decide(key, inbound)
            except (StoreError, SlackAway) as error:
                log.warning("inbox.away", kind=inbound.kind, error=str(error), retry_in=pause)
            await self._sleep(pause)
            pause = min(pause * 2, 60.0)
