"""The store: one short transaction per event, and what starting, thinking and showing need to read."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from typing import TypeVar

import sqlalchemy as sa

from agent.core import states
from agent.core.asks import Ending
from agent.core.errors import StoreError
from agent.core.events import DECISIONS, Event, TurnEvent
from agent.core.journal import Row
from agent.core.states import Idle, State
from agent.core.steps import Refused, Why
from agent.core.transitions import advance
from agent.ports import NOBODY, Alone, Conversation, Meter, Presence, Recorded, ThreadKey
from agent.store import database, open_questions
from agent.store.adoption import Adoption
from agent.store.delivery import Delivery, settle
from agent.store.keys import KEY
from agent.store.reading import find, read_conversation, read_ending, read_events
from agent.store.runners import present, runner_after, tell_runner
from agent.store.schema import journal, threads
from agent.store.statements import Statement
from agent.store.transactions import PooledTransactions, SerialTransactions, Transactions

T = TypeVar("T")

_STATE = ("kind", "state", "version", "changed_at", "seq", "runner")
_CREATE = Statement(
    lambda dialect: (
        dialect.insert(threads)
        .values({name: sa.bindparam(name) for name in (*ThreadKey.model_fields, *_STATE)})
        .on_conflict_do_nothing()
        .returning(threads.c.id)
    )
)
_OF_THREAD = threads.c.id == sa.bindparam("of_thread")
_MOVE_ON = Statement(sa.update(threads).where(_OF_THREAD).values({name: sa.bindparam(name) for name in _STATE}))
_HAND_OVER = Statement(sa.update(threads).where(_OF_THREAD).values(runner=sa.bindparam("runner")))
_ADD = Statement(sa.insert(journal).values({column.name: sa.bindparam(column.name) for column in journal.c}))


class Store:
    def __init__(
        self,
        transactions: Transactions,
        release: Callable[[], None],
        clock: Callable[[], float] = time.time,
        here: Presence | None = None,
    ) -> None:
        self._transactions = transactions
        self._release = release
        self._clock = clock
        self._here: Presence = here or Alone()
        self.delivery = Delivery(self._run, self._read, self._here, clock)
        self.adoption = Adoption(self._run, self._read, self._here)

    @classmethod
    async def open(
        cls,
        url: str,
        clock: Callable[[], float] = time.time,
        here: Presence | None = None,
        meter: Meter | None = None,
    ) -> "Store":
        """Open the database, made or migrated if need be; refuse a SQLite file that another process has."""
        parsed = database.parse_url(url)
        engine = database.create_engine(parsed)
        release = await asyncio.to_thread(database.take, engine)
        sqlite = engine.dialect.name == "sqlite"
        transactions = (
            SerialTransactions(engine, meter) if sqlite else PooledTransactions(engine, database.POOL_SIZE, meter)
        )
        store = cls(transactions, release, clock, here)
        try:
            await transactions.run(database.migrate)
        except BaseException as error:
            await store.close()
            if isinstance(error, sa.exc.DBAPIError):
                raise database.unusable(parsed, error) from error
            raise
        return store

    async def close(self) -> None:
        await self._transactions.close()
        await asyncio.to_thread(self._release)

    async def _run(self, work: Callable[[sa.Connection], T]) -> T:
        return await self._translated(self._transactions.run(work))

    async def _read(self, work: Callable[[sa.Connection], T]) -> T:
        return await self._translated(self._transactions.read(work))

    async def _translated(self, waiting: Awaitable[T]) -> T:
        try:
            return await waiting
        except self._transactions.errors as error:
            raise StoreError(f"The database cannot be used now ({type(error).__name__}).") from error

    async def append(self, key: ThreadKey, event: Event, received: str = "") -> Recorded | Refused:
        """Decide what the event does to the thread and write it down, in one transaction.

        With `received`, whatever came in under that key is dealt with by this, whether it is taken or refused.
        """
        if isinstance(event, TurnEvent) and self._here.number == NOBODY:
            return Refused(Why.TAKEN_OVER)
        at, number = self._clock(), present(self._here)

        def work(connection: sa.Connection) -> Recorded | Refused:
            if received and not settle(connection, received, number):
                return Refused(Why.TAKEN_OVER)
            outcome = _append(connection, key, event, at, number, self._here)
            if isinstance(outcome, Recorded) and outcome.held == "taken":
                self.adoption.note(key)
            return outcome

        return await self._run(work)

    async def state(self, key: ThreadKey) -> State:
        """What the thread is doing; one that was never spoken in is idle."""
        found = await self._read(lambda connection: find(connection, key))
        return found.state if found else Idle()

    async def held(self, key: ThreadKey) -> State | None:
        """What the thread is doing, if it belongs to us."""
        number = self._here.number
        found = await self._read(lambda connection: find(connection, key))
        return found.state if found and found.runner == number else None

    async def take(self, key: ThreadKey) -> State | None:
        """What a sub-agent is doing, which belongs to us from now on; None if its parent does not."""
        return await self._run(lambda connection: _take(connection, key, self._here))

    async def conversation(self, key: ThreadKey) -> Conversation:
        return await self._read(lambda connection: read_conversation(connection, key))

    async def events(self, key: ThreadKey) -> list[Event]:
        """The whole journal, oldest first."""
        return await self._read(lambda connection: read_events(connection, key))

    async def event(self, key: ThreadKey, seq: int) -> Event:
        """One row of the journal."""
        found = await self._read(lambda c: read_events(c, key, journal.c.seq == seq))
        return found[0]

    async def events_since(self, key: ThreadKey, seq: int) -> list[Event]:
        """The journal from this row on."""
        return await self._read(lambda c: read_events(c, key, journal.c.seq >= seq))

    async def ending(self, key: ThreadKey, call_id: str) -> Ending | None:
        """How something that waited for people ended, and by whom; None if it is open or never was."""
        return await self._read(lambda connection: read_ending(connection, key, call_id))

    async def open_questions(self) -> list[open_questions.Open]:
        """How many wait for people, of each kind."""
        return await self._read(open_questions.counted)

    async def orders(self) -> list[tuple[str, str]]:
        """Keys and bodies of what whoever runs Parley has ordered, and is not dealt with."""
        return await self._read(open_questions.orders)

    async def newest(self, team: str, channel: str, kinds: Collection[str]) -> ThreadKey | None:
        """The thread of these kinds that changed last."""
        query = (
            sa.select(*KEY)
            .where(threads.c.team == team, threads.c.channel == channel, threads.c.call_id == "")
            .where(threads.c.kind.in_(list(kinds)))
            .order_by(threads.c.changed_at.desc(), threads.c.id.desc())
            .limit(1)
        )
        found = await self._read(lambda connection: connection.execute(query).mappings().first())
        return ThreadKey(**found) if found else None


def _append(
    connection: sa.Connection, key: ThreadKey, event: Event, at: float, number: int, here: Presence
) -> Recorded | Refused:
    found = find(connection, key, lock=True)
    if found and isinstance(event, TurnEvent) and not found.runner == number == here.number:
        return Refused(Why.TAKEN_OVER)  # the turn counts as dead, even if nobody has gone on with the thread yet
    step = advance(found.state if found else Idle(), event)
    if isinstance(step, Refused):  # no row is made for a thread that the agent has no part in
        if step.why is Why.CLOSED and isinstance(event, DECISIONS):
            return replace(step, ending=read_ending(connection, key, event.call_id))
        return step
    new, runner = step.state, runner_after(connection, found.runner, number, here) if found else number
    row = {"kind": new.kind, "state": new.to_json(), "version": states.VERSION, "changed_at": at, "seq": new.seq}
    if found:
        thread_id = found.id
        _MOVE_ON.run(connection, {"of_thread": thread_id, **row, "runner": runner})
    else:
        created = _CREATE.run(connection, {**key.model_dump(), **row, "runner": runner})
        if not created:  # someone else's was committed meanwhile
            return _append(connection, key, event, at, number, here)
        [(thread_id,)] = created
    entry = Row.of(new.seq, event, step.messages)._asdict()
    _ADD.run(connection, {"thread_id": thread_id, "at": at, **entry})
    if runner != number:
        tell_runner(connection, runner, key)
        return Recorded(new, step.beaten, "theirs")
    taken = found and found.runner != number and found.is_behind
    return Recorded(new, step.beaten, "taken" if taken else "ours")


def _take(connection: sa.Connection, key: ThreadKey, here: Presence) -> State | None:
    parent, number = find(connection, key.parent, lock=True), here.number
    if parent is None or parent.runner != number:
        return None
    found = find(connection, key, lock=True)
    if found and found.runner != number:
        _HAND_OVER.run(connection, {"of_thread": found.id, "runner": number})
    return found.state if found else Idle()
