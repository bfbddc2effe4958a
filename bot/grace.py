"""An orderly end: what is under way may be done in a given time, and the rest is cut off."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress


class Grace:
    """So much time for all of it together, from when it is first asked for."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until: float | None = None

    def left(self) -> float:
        now = time.monotonic()
        if self._until is None:
            self._until = now + self._seconds
        return max(0.0, self._until - now)

    async def finish(self, *parts: Callable[[], Awaitable[None]]) -> None:
        """With nothing more coming in: what is under way may be done in what is left, one after the other."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.left()):
                for done in parts:
                    await done()
