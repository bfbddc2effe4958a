"""What came in, written down before the ack and dealt with after it: in order within a thread, and once."""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Coroutine
from functools import partial
from typing import Any, Protocol
from weakref import WeakValueDictionary

import structlog

from agent.core.errors import StoreError
from agent.ports import Meter, NoMeter, ThreadKey
from agent.store.journal import Store
from bot.background import Background
from bot.inbound import Inbound, load
from bot.pausing import Sleep
from bot.slack import SlackAway

log = structlog.get_logger()

_KEPT_SECONDS = 86_400.0
_BETWEEN_LOOKS = 1.0


class Handler(Protocol):
    async def decide(self, key: str, inbound: Inbound) -> None: ...

    def say_failed(self, inbound: Inbound, incident: str) -> None: ...

    def is_urgent(self, inbound: Inbound) -> bool:
        """Whether it must not wait for what came before it in the same thread."""


class Inbox:
    def __init__(
        self,
        store: Store,
        handler: Handler,
        clock: Callable[[], float] = time.time,
        sleep: Sleep = asyncio.sleep,
        meter: Meter | None = None,
    ) -> None:
        self._store, self._handler, self._clock, self._sleep = store, handler, clock, sleep
        self._meter = meter or NoMeter()
        self._background = Background()
        self._coming: WeakValueDictionary[ThreadKey, asyncio.Lock] = WeakValueDictionary()
        self._under_way: set[str] = set()
        self._epoch = 0  # one more whenever everything was let go of
        self._turns: WeakValueDictionary[ThreadKey, asyncio.Lock] = WeakValueDictionary()

    async def accept(self, inbound: Inbound) -> None:
        """Write it down. When this returns it is safe to ack; a second delivery of the same changes nothing."""
        came, key = time.perf_counter(), "/".join(inbound.key)
        async with self._coming.setdefault(_place(inbound), asyncio.Lock()):  # in the order in which they came
            epoch = self._epoch
            new = await self._store.delivery.accept(key, inbound.dump())
            if (new or await self._is_left(key)) and epoch == self._epoch:  # else it is a dead one's, and adopted
                self._begin(key, inbound, came)
        self._meter.happened("received", kind=inbound.kind, new=new)

    async def adopt(self, dead: Collection[int]) -> None:
        """Deal with what these acked and had not dealt with when they ended."""
        epoch = self._epoch
        left = await self._store.adoption.received(dead)
        if epoch == self._epoch:
            self._begin_all(left)

    async def heed(self) -> None:
        """Deal with what whoever runs Parley orders: another process writes it down, and tells nobody."""
        while True:
            try:
                self._begin_all(await self._store.orders())
            except StoreError as error:
                log.warning("inbox.not_heeded", error=str(error))
            await self._sleep(_BETWEEN_LOOKS)

    def _begin_all(self, left: list[tuple[str, str]]) -> None:
        for key, body in left:
            try:
                self._begin(key, load(body))
            except (KeyError, ValueError):  # of another version of us
                log.exception("inbox.unreadable")
                self._once(key, partial(self._settle, key, "unreadable"))

    async def idle(self) -> None:
        await self._background.idle()

    async def let_go(self) -> None:
        """Nothing that came in belongs to this process any more."""
        self._epoch += 1
        await self.close()

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

    def _begin(self, key: str, inbound: Inbound, came: float | None = None) -> None:
        self._once(key, lambda: self._deal_with(key, inbound, came))

    def _once(self, key: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if key not in self._under_way:
            self._under_way.add(key)
            self._background.start(work()).add_done_callback(lambda _: self._under_way.discard(key))

    async def _deal_with(self, key: str, inbound: Inbound, came: float | None) -> None:
        try:
            with self._meter.doing("delivery", since=came, kind=inbound.kind):
                await self._in_turn(key, inbound)
        except Exception:  # the outermost loop: whatever went wrong, whoever did it is told
            incident = uuid.uuid4().hex[:8]
            log.exception("inbox.failed", kind=inbound.kind, incident=incident)
            await self._settle(key, inbound.kind)
            self._handler.say_failed(inbound, incident)

    async def _is_left(self, key: str) -> bool:
        """Whether it was written down and nobody knew: the answer to the commit was lost, and it was not acked."""
        return key not in self._under_way and await self._store.delivery.is_left(key)

    async def _settle(self, key: str, kind: str) -> None:
        await self._until_stored(kind, lambda: self._store.delivery.settle(key))

    async def _in_turn(self, key: str, inbound: Inbound) -> None:
        if self._handler.is_urgent(inbound):
            await self._decide(key, inbound)
            return
        async with self._turns.setdefault(_place(inbound), asyncio.Lock()):
            await self._decide(key, inbound)

    async def _decide(self, key: str, inbound: Inbound) -> None:
        await self._until_stored(inbound.kind, lambda: self._handler.decide(key, inbound))

    async def _until_stored(self, kind: str, work: Callable[[], Awaitable[object]]) -> None:
        """Again and again while the database or Slack is away: it was acked, so nobody will bring it back."""
        pause = 0.5
        while True:
            try:
                await work()
            except (StoreError, SlackAway) as error:
                log.warning("inbox.away", kind=kind, error=str(error), retry_in=pause)
            else:
                return
            await self._sleep(pause)
            pause = min(pause * 2, 60.0)


def _place(inbound: Inbound) -> ThreadKey:
    """What comes in for one place is dealt with in its order."""
    key: ThreadKey = getattr(inbound, "thread", ThreadKey(team=inbound.team, channel="", root=""))
    return key
