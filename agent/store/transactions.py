"""Whole transactions on threads of their own; on SQLite, what waits at the same time shares a commit."""

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa

from agent.core.errors import StoreError
from agent.ports import Meter, NoMeter

T = TypeVar("T")
Run = Callable[[Callable[[sa.Connection], Any]], Awaitable[Any]]

BEGUN_BY_DRIVER = "begun_by_driver"  # of a connection whose transactions SQLAlchemy must not begin
_MOST_AT_ONCE = 100


@dataclass(frozen=True)
class Job:
    work: Callable[[sa.Connection], Any]
    writes: bool
    done: "Future[Any]" = field(default_factory=Future)


class Transactions(Protocol):
    errors: tuple[type[Exception], ...]  # what the database's failures are

    async def run(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work` in a transaction; when this returns, it is committed."""

    async def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work`, which changes nothing, without one."""

    async def close(self) -> None: ...


class PooledTransactions:
    """PostgreSQL: a few threads, a transaction each."""

    def __init__(self, engine: sa.Engine, threads: int, meter: Meter | None = None) -> None:
        self.errors = _errors(engine)
        self._meter = meter or NoMeter()
        self._engine = engine
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="store")

    async def run(self, work: Callable[[sa.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._transact, work)

    async def read(self, work: Callable[[sa.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._look, work)

    def _transact(self, work: Callable[[sa.Connection], T]) -> T:
        with self._engine.begin() as connection:
            result = work(connection)
        self._meter.happened("committed")
        return result

    def _look(self, work: Callable[[sa.Connection], T]) -> T:
        with self._reading.connect() as connection:
            return work(connection)

    async def close(self) -> None:
        await asyncio.to_thread(self._pool.shutdown)
        self._engine.dispose()


class SerialTransactions:
    """SQLite: one thread and one connection, since the file takes one writer at a time anyway."""

    def __init__(self, engine: sa.Engine, meter: Meter | None = None) -> None:
        self.errors = _errors(engine)
        self._meter = meter or NoMeter()
        self._engine = engine
        self._connection: sa.Connection | None = None
        self._closed = False
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="store", daemon=True)
        self._thread.start()

    async def run(self, work: Callable[[sa.Connection], T]) -> T:
        result: T = await self._done(Job(work, writes=True))
        return result

    async def read(self, work: Callable[[sa.Connection], T]) -> T:
        result: T = await self._done(Job(work, writes=False))
        return result

    async def _done(self, job: Job) -> Any:
        if self._closed:
            raise StoreError("The database is closed.")
        self._jobs.put(job)
        return await asyncio.wrap_future(job.done)

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
            return self._transact(self._connected(), jobs)
        except Exception as error:  # noqa: BLE001 (handed to whoever waits; the thread must live on)
            self._disconnect()  # which takes back what was not committed
            if len(jobs) == 1:
                return [error]
        return [self._commit_together([job])[0] for job in jobs]

    def _transact(self, connection: sa.Connection, jobs: Sequence[Job]) -> list[Any]:
        # Begun by the driver, since SQLAlchemy's own transactions cost as much as what is done in them.
        driver: Any = connection.connection.driver_connection
        if not any(job.writes for job in jobs):
            return [job.work(connection) for job in jobs]
        driver.execute("BEGIN IMMEDIATE")
        results = [job.work(connection) for job in jobs]
        driver.execute("COMMIT")
        self._meter.happened("committed")
        return results

    def _connected(self) -> sa.Connection:
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(**{BEGUN_BY_DRIVER: True})
        return self._connection

    def _disconnect(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None


def _errors(engine: sa.Engine) -> tuple[type[Exception], ...]:
    """SQLAlchemy's, and the driver's own."""
    return sa.exc.SQLAlchemyError, engine.dialect.loaded_dbapi.Error


def _finish(jobs: list[Job], results: list[Any]) -> None:
    for job, result in zip(jobs, results, strict=True):
        if not job.done.set_running_or_notify_cancel():
            continue
        if isinstance(result, Exception):
            job.done.set_exception(result)
        else:
            job.done.set_result(result)
