"""One process on a database as its store, its place among others and what it hears; several in one test."""

import asyncio
from collections.abc import Callable, Collection
from typing import Any

from agent.dispatch.postgres import PostgresPresence
from agent.ports import NOBODY, ThreadKey
from agent.replica import Replica
from agent.store import database
from agent.store.journal import Store


class Process:
    """It remembers what it adopts, hears and lets go of; `start()` makes it one of those that live."""

    def __init__(self, url: str, *teams: str) -> None:
        self._url, self._teams = url, teams or ("T1",)
        server = database.server(url)
        self.presence = PostgresPresence(server) if server else None
        self.adopted: list[ThreadKey] = []
        self.received: list[tuple[str, str]] = []
        self.woken: list[ThreadKey] = []
        self.heard: list[str] = []
        self.number_when_let_go: int | None = None

    async def start(self) -> "Process":
        self.store = await Store.open(self._url, here=self.presence)
        self.replica = Replica(self.store.adoption, self.presence)
        for team in self._teams:
            self.store.adoption.serve(team)
        self.replica.follow(adopt=self._adopt, let_go=self._let_go, wake=self.woken.append, shown=self.heard.append)
        await self.replica.join()
        await self.replica.start()
        return self

    async def stop(self) -> None:
        await self.replica.close()
        await self.store.close()

    @property
    def number(self) -> int:
        return self.presence.number if self.presence else 0

    async def _adopt(self, dead: Collection[int]) -> None:
        self.adopted += await self.store.adoption.threads(dead)
        self.received += await self.store.adoption.received(dead)

    async def _let_go(self) -> None:
        assert self.number == NOBODY
        self.number_when_let_go = self.number

    async def until(self, predicate: Callable[[], Any]) -> None:
        async with asyncio.timeout(20):
            while not predicate():  # noqa: ASYNC110 (it happens in another process, or on another thread)
                await asyncio.sleep(0.01)
