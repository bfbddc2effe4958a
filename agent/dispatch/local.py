"""One process: a turn is an asyncio task, and there is at most one of them for a thread."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from agent.core.states import UNFINISHED, State
from agent.ports import ThreadKey


class Running(Protocol):
    @property
    def state(self) -> State:
        """The newest that is known."""

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
            self._tasks[key] = asyncio.create_task(self._run(key, self._turns[key]))

    async def _run(self, key: ThreadKey, turn: Running) -> None:
        try:
            await turn.run()
        finally:
            # In the same step in which the turn saw nothing more to do, so that no news falls in between.
            if self._turns.get(key) is turn:
                self._forget(key)

    def _forget(self, key: ThreadKey) -> None:
        self._turns.pop(key, None)
        self._tasks.pop(key, None)

    async def settled(self, key: ThreadKey) -> State | None:
        """Wait until no turn of the thread runs here; the state in which the last one left it, if there was one."""
        state = None
        while task := self._tasks.get(key):
            turn = self._turns[key]
            await asyncio.wait({task})
            state = turn.state
        return state

    async def cancel(self, key: ThreadKey) -> None:
        if task := self._tasks.get(key):
            task.cancel()
            await asyncio.wait({task})
            self._forget(key)  # a task that was cancelled before its first step has not done so

    async def idle(self) -> None:
        """Wait until no turn runs here."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())

    async def let_go(self) -> None:
        """Cut every turn off where it is: the journal has what it did, and whoever has the thread goes on from there.

        They are forgotten first: a thread that comes back meanwhile gets a turn of its own.
        """
        tasks = list(self._tasks.values())
        self._turns.clear()
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def close(self) -> None:
        self._closing = True
        await self.let_go()
