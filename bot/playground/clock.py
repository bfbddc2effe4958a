"""Time as this Slack knows it: it passes by itself, and can be moved on at once by whoever tests."""

import asyncio
import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count


@dataclass(order=True)
class Timer:
    due: float
    number: int
    act: Callable[[], None] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.cancelled = True


class Clock:
    """The time of day. With `running=False` it stands still at `start` until it is advanced."""

    def __init__(self, *, running: bool = True, start: float | None = None, ahead: float = 0.0) -> None:
        self._running = running
        self._start = start if start is not None else (time.time() if running else 1_700_000_000.0)
        self._began = time.monotonic()
        self._ahead = ahead
        self._timers: list[Timer] = []
        self._numbers = count()
        self._wake: asyncio.TimerHandle | None = None

    def now(self) -> float:
        passed = time.monotonic() - self._began if self._running else 0.0
        return self._start + passed + self._ahead

    @property
    def ahead(self) -> float:
        """How much time was let pass at once, all in all."""
        return self._ahead

    @property
    def waiting(self) -> bool:
        """Whether anything is still to happen."""
        return any(not timer.cancelled for timer in self._timers)

    def after(self, seconds: float, act: Callable[[], None]) -> Timer:
        """Act once, when that time has passed."""
        timer = Timer(self.now() + seconds, next(self._numbers), act)
        heapq.heappush(self._timers, timer)
        self._set_alarm()
        return timer

    def advance(self, seconds: float) -> None:
        """Let this time pass now; everything that comes due happens, in its order."""
        goal = self._ahead + seconds
        while self._timers and self._timers[0].due <= self.now() + (goal - self._ahead):
            timer = heapq.heappop(self._timers)
            self._ahead += max(0.0, timer.due - self.now())
            if not timer.cancelled:
                timer.act()
        self._ahead = max(self._ahead, goal)
        self._set_alarm()

    async def sleep(self, seconds: float) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def end() -> None:
            if not done.done():
                done.set_result(None)

        timer = self.after(seconds, end)
        try:
            await done
        finally:
            timer.cancel()

    def close(self) -> None:
        self._timers.clear()
        self._set_alarm()

    def _set_alarm(self) -> None:
        if self._wake:
            self._wake.cancel()
            self._wake = None
        while self._timers and self._timers[0].cancelled:
            heapq.heappop(self._timers)
        if self._running and self._timers:
            wait = max(0.0, self._timers[0].due - self.now())
            self._wake = asyncio.get_running_loop().call_later(wait, self.advance, 0.0)
