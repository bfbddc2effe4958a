"""This process among those that share its database: takes over what others left, and lets go of what it lost."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

import structlog

from agent.core.errors import StoreError
from agent.ports import Presence, ThreadKey
from agent.signals import Lost, Shown, Sign, Sweep, Woken

log = structlog.get_logger()

Adopt = Callable[[Collection[int]], Awaitable[None]]
LetGo = Callable[[], Awaitable[None]]


class WhoIsDead(Protocol):
    async def dead(self, now: float) -> Collection[int]: ...

    @property
    def in_doubt(self) -> bool: ...


class Membership(Presence, Protocol):
    async def join(self, hear: Callable[[Sign], None]) -> None: ...

    def give_up(self) -> None: ...

    def rejoin(self) -> None: ...

    async def leave(self) -> None: ...


class Replica:
    """Without a membership it is the only one: it takes over everything at its start, and that is all."""

    def __init__(
        self, adoption: WhoIsDead, membership: Membership | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._adoption, self._membership, self._clock = adoption, membership, clock
        self._adopt: list[Adopt] = []
        self._let_go: list[LetGo] = []
        self._wake: list[Callable[[ThreadKey], None]] = []
        self._shown: list[Callable[[str], None]] = []
        self._due = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._sweeping: asyncio.Task[None] | None = None
        self._retired = False

    def follow(
        self,
        *,
        adopt: Adopt | None = None,
        let_go: LetGo | None = None,
        wake: Callable[[ThreadKey], None] | None = None,
        shown: Callable[[str], None] | None = None,
    ) -> None:
        """`adopt` what these dead ones left; `let_go` of everything; `wake` a thread; `shown`: in this team."""
        self._adopt += [adopt] if adopt else []
        self._let_go += [let_go] if let_go else []
        self._wake += [wake] if wake else []
        self._shown += [shown] if shown else []

    def is_current(self) -> bool:
        return self._membership is None or self._membership.is_current()

    def changed(self, team: str) -> None:
        """Something was shown here: with others around, it is the database that tells everyone."""
        if not self._membership:
            self._hear(Shown(team))

    async def join(self) -> None:
        """From now on something can belong to this process."""
        if self._membership:
            await self._membership.join(self._hear)

    async def start(self) -> None:
        """Go on with whatever was left."""
        await self._sweep()
        if self._membership:
            self._sweeping = asyncio.create_task(self._keep_sweeping())

    async def retire(self) -> None:
        """Take over nothing more."""
        self._retired = True
        await self._stop_sweeping()

    async def close(self) -> None:
        await self._stop_sweeping()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._membership:
            await self._membership.leave()

    def _hear(self, sign: Sign) -> None:
        match sign:
            case Woken():
                for wake in self._wake:
                    wake(sign.thread)
            case Shown():
                for shown in self._shown:
                    shown(sign.team)
            case Sweep():
                self._due.set()
            case Lost():
                task = asyncio.create_task(self._start_over())
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _keep_sweeping(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            try:
                await self._sweep()
            except StoreError as error:
                log.warning("replica.not_swept", error=str(error))
            except Exception:  # the outermost loop: the next one may go better
                log.exception("replica.not_swept")
            if self._membership and self._adoption.in_doubt:
                # Under another number, whatever was taken is a dead one's, and found like all such.
                log.warning("replica.in_doubt")
                self._membership.give_up()

    async def _sweep(self) -> None:
        if dead := await self._adoption.dead(self._clock()):
            for adopt in self._adopt:
                await adopt(dead)

    async def _start_over(self) -> None:
        """Nothing that began under the old number may go on under the new one."""
        swept = await self._stop_sweeping()
        for failed in await asyncio.gather(*(let_go() for let_go in self._let_go), return_exceptions=True):
            if isinstance(failed, Exception):
                log.error("replica.not_let_go", exc_info=failed)
        assert self._membership, "it is who said so"
        self._membership.rejoin()
        if swept and not self._retired:
            self._sweeping = asyncio.create_task(self._keep_sweeping())

    async def _stop_sweeping(self) -> bool:
        sweeping, self._sweeping = self._sweeping, None
        if sweeping:
            sweeping.cancel()
            await asyncio.gather(sweeping, return_exceptions=True)
        return sweeping is not None
