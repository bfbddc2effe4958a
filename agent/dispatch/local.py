"""One process: a turn is an asyncio task, and there is at most one of them for a thread."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from agent.core.states import UNFINISHED, State
from agent.ports import ThreadKey


class Running(Protocol):
    def learn(self, state: State) -> None: ...

    async def run(self) -> None: ...


class LocalDispatch:
    def __init__(self, begin: Callable[[ThreadKey, State], Running]) -> None:
        self._begin = begin
        self._turns: dict[ThreadKey, Running] = {}
        self._tasks: dict[ThreadKey, asyncio.Task[None]] = {}
        self._closing = False

    def learn(self, key: ThreadKey, state: State) -> None:
        """Tell a running turn of the thread's new state, or start one if there is work to do."""
        if turn := self._turns.get(key):
            turn.learn(state)
        elif state.kind in UNFINISHED and not self._closing:
            self._turns[key] = self._begin(key, state)
            self._tasks[key] = asyncio.create_task(self._run(key))

    async def _run(self, key: ThreadKey) -> None:
        try:
            await self._turns[key].run()
        finally:
            # In the same step in which the turn saw nothing more to do, so that no news falls in between.
            self._forget(key)

    def _forget(self, key: ThreadKey) -> None:
        self._turns.pop(key, None)
        self._tasks.pop(key, None)

    async def settled(self, key: ThreadKey) -> None:
        """Wait until no turn of the thread runs here."""
        while task := self._tasks.get(key):
            await asyncio.wait({task})

    async def cancel(self, key: ThreadKey) -> None:
        if task := self._tasks.get(key):
            task.cancel()
            await asyncio.wait({task})
            self._forget(key)  # a task that was cancelled before its first step has not done so

    async def close(self) -> None:
        """Cut every turn off where it is: the journal has what it did, and the next start goes on from there."""
        self._closing = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._turns.clear()
        self._tasks.clear()
