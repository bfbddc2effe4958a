"""Whole transactions on threads of their own; on SQLite, what waits at the same time shares a commit."""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa

from agent.core.errors import StoreError

T = TypeVar("T")
Job = tuple[Callable[[sa.Connection], Any], "Future[Any]"]

_MOST_AT_ONCE = 100


class Transactions(Protocol):
    async def run(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work` in a transaction; when this returns, it is committed."""

    async def close(self) -> None: ...


class PooledTransactions:
    """PostgreSQL: a few threads, a transaction each."""

    def __init__(self, engine: sa.Engine, threads: int) -> None:
        self._engine = engine
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="store")

    async def run(self, work: Callable[[sa.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._transact, work)

    def _transact(self, work: Callable[[sa.Connection], T]) -> T:
        with self._engine.begin() as connection:
            return work(connection)

    async def close(self) -> None:
        await asyncio.to_thread(self._pool.shutdown)
        self._engine.dispose()


class SerialTransactions:
    """SQLite: one thread and one connection, since the file takes one writer at a time anyway."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._connection: sa.Connection | None = None
        self._closed = False
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="store", daemon=True)
        self._thread.start()

    async def run(self, work: Callable[[sa.Connection], T]) -> T:
        if self._closed:
            raise StoreError("The database is closed.")
        future: Future[T] = Future()
        self._jobs.put((work, future))
        return await asyncio.wrap_future(future)

    async def close(self) -> None:
        self._closed = True
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)
        self._engine.dispose()

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            jobs = [job, *self._also_waiting()]
            _finish(jobs, self._commit_together(jobs))
        self._disconnect()

    def _also_waiting(self) -> list[Job]:
        waiting: list[Job] = []
        while len(waiting) < _MOST_AT_ONCE - 1:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._jobs.put(None)  # close only after what was asked for before it
                break
            waiting.append(job)
        return waiting

    def _commit_together(self, jobs: list[Job]) -> list[Any]:
        """The result or the exception of each. If one fails, each runs again in a transaction of its own.

        Not in savepoints: on a full disk, SQLite takes the whole transaction back and not only the savepoint.
        """
        try:
            connection = self._connection = self._connection or self._engine.connect()
            with connection.begin():
                return [work(connection) for work, _ in jobs]
        except Exception as error:  # noqa: BLE001 (handed to whoever waits; the thread must live on)
            self._disconnect()  # a commit that failed may have left its transaction open
            if len(jobs) == 1:
                return [error]
        return [self._commit_together([job])[0] for job in jobs]

    def _disconnect(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None


def _finish(jobs: list[Job], results: list[Any]) -> None:
    for (_, future), result in zip(jobs, results, strict=True):
        if not future.set_running_or_notify_cancel():
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
