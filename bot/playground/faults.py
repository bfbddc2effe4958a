"""Failures on demand: what the Web API does wrong when it is told to."""

import asyncio
from dataclasses import dataclass, field


@dataclass
class Gate:
    """Where calls wait until somebody opens it."""

    _reached: asyncio.Event = field(default_factory=asyncio.Event)
    _open: asyncio.Event = field(default_factory=asyncio.Event)

    async def reached(self) -> None:
        """Wait until a call stands before the gate."""
        await self._reached.wait()

    def open(self) -> None:
        self._open.set()

    async def pass_through(self) -> None:
        self._reached.set()
        await self._open.wait()


@dataclass
class Fault:
    """How the next calls of a method go wrong, before they take effect or after."""

    method: str
    times: int
    error: str | None = None
    status: int = 200
    retry_after: int | None = None
    drop: bool = False
    delay: float = 0.0
    after: bool = False
    gate: Gate | None = None

    @property
    def fails(self) -> bool:
        return self.drop or self.error is not None or self.status != 200


@dataclass
class Faults:
    planned: list[Fault] = field(default_factory=list)

    def plan(self, fault: Fault) -> Fault:
        self.planned.append(fault)
        return fault

    def next(self, method: str) -> Fault | None:
        """The fault this call meets, if any; each is used as often as it was planned for."""
        for fault in self.planned:
            if fault.method in (method, "*") and fault.times != 0:
                fault.times -= 1
                return fault
        return None

    def clear(self) -> None:
        for fault in self.planned:
            if fault.gate:
                fault.gate.open()
        self.planned.clear()
