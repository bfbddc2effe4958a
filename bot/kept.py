"""What Slack told, kept for a while: it costs no call again, and no memory for longer."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Whenever something is put into it, all that is too old goes."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._entries: dict[K, tuple[float, V]] = {}  # the oldest first

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """None if it is not known, or no longer."""
        found = self._entries.get(key)
        return found[1] if found and self._is_fresh(found[0]) else None

    def put(self, key: K, value: V) -> None:
        self._entries.pop(key, None)  # so that it comes last
        self._entries[key] = (self._clock(), value)
        while not self._is_fresh(self._entries[oldest := next(iter(self._entries))][0]):
            del self._entries[oldest]

    def _is_fresh(self, at: float) -> bool:
        return self._clock() - at < self._seconds
