"""The store: one short transaction per event, and what starting, thinking and showing need to read."""

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, TypeVar

import sqlalchemy as sa

from agent.core import states, transcript
from agent.core.asks import Ending
from agent.core.errors import StoreError
from agent.core.events import DECISIONS, Event, ModelReplied
from agent.core.journal import Row, conversation
from agent.core.states import Idle, State
from agent.core.steps import Refused, Why
from agent.core.transcript import ToolCall
from agent.core.transitions import advance, fold, replay
from agent.ports import Conversation, Recorded, ThreadKey
from agent.store import database
from agent.store.delivery import Delivery, settle
from agent.store.schema import journal, threads, unfinished
from agent.store.transactions import PooledTransactions, SerialTransactions, Transactions

T = TypeVar("T")

_KEY = tuple(threads.c[name] for name in ThreadKey.model_fields)
_OF_KEY = sa.and_(*(column == sa.bindparam(column.name) for column in _KEY))
_OF_THREAD = journal.c.thread_id == sa.bindparam("of_thread")

# Built once: building a statement costs as much as running it.
_FIND = sa.select(threads.c.id, threads.c.kind, threads.c.state, threads.c.version).where(_OF_KEY)
_FIND_AND_LOCK = _FIND.with_for_update()
_MOVE_ON = sa.update(threads).where(threads.c.id == sa.bindparam("of_thread"))
_ADD = sa.insert(journal)
_ROW = (journal.c.seq, journal.c.kind, journal.c.event, journal.c.messages)
_READ = sa.select(*_ROW).where(_OF_THREAD).order_by(journal.c.seq)
_SHOWN = _READ.where(journal.c.messages != "").where(
    sa.or_(journal.c.seq > sa.bindparam("upto"), journal.c.seq == sa.bindparam("summary"))
)
_POOL = 4


class Store:
    def __init__(
        self, transactions: Transactions, release: Callable[[], None], clock: Callable[[], float] = time.time
    ) -> None:
        self._transactions = transactions
        self._release = release
        self._clock = clock
        self.delivery = Delivery(self._run, clock)

    @classmethod
    async def open(cls, url: str, clock: Callable[[], float] = time.time) -> "Store":
        """Open the database, made or migrated if need be; refuse a SQLite file that another process has."""
        parsed = database.parse_url(url)
        engine = database.create_engine(parsed)
        release = await asyncio.to_thread(database.take, engine)
        sqlite = engine.dialect.name == "sqlite"
        transactions = SerialTransactions(engine) if sqlite else PooledTransactions(engine, _POOL)
        store = cls(transactions, release, clock)
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
        try:
            return await self._transactions.run(work)
        except sa.exc.SQLAlchemyError as error:
            raise StoreError(f"The database cannot be used now ({type(error).__name__}).") from error

    async def append(self, key: ThreadKey, event: Event, received: str = "") -> Recorded | Refused:
        """Decide what the event does to the thread and write it down, in one transaction.

        With `received`, whatever came in under that key is dealt with by this, whether it is taken or refused.
        """
        at = self._clock()

        def work(connection: sa.Connection) -> Recorded | Refused:
            if received:
                settle(connection, received)
            return _append(connection, key, event, at)

        return await self._run(work)

    async def state(self, key: ThreadKey) -> State:
        """What the thread is doing; one that was never spoken in is idle."""
        found = await self._run(lambda connection: _find(connection, key))
        return found[1] if found else Idle()

    async def conversation(self, key: ThreadKey) -> Conversation:
        return await self._run(lambda connection: _conversation(connection, key))

    async def events(self, key: ThreadKey) -> list[Event]:
        """The whole journal, oldest first."""
        return await self._run(lambda connection: _events(connection, key))

    async def event(self, key: ThreadKey, seq: int) -> Event:
        """One row of the journal."""
        found = await self._run(lambda c: _events(c, key, journal.c.seq == seq))
        return found[0]

    async def events_since(self, key: ThreadKey, seq: int) -> list[Event]:
        """The journal from this row on."""
        return await self._run(lambda c: _events(c, key, journal.c.seq >= seq))

    async def ending(self, key: ThreadKey, call_id: str) -> Ending | None:
        """How something that waited for people ended, and by whom; None if it is open or never was."""
        return await self._run(lambda connection: _ending(connection, key, call_id))

    async def unfinished(self) -> list[ThreadKey]:
        """The threads with work to do. Sub-agents are not among them: their parent's turn runs them."""
        query = sa.select(*_KEY).where(unfinished)
        return await self._run(lambda connection: _keys(connection, query))

    async def newest(self, team: str, channel: str, kinds: Collection[str]) -> ThreadKey | None:
        """The thread of these kinds that changed last."""
        query = (
            sa.select(*_KEY)
            .where(threads.c.team == team, threads.c.channel == channel, threads.c.call_id == "")
            .where(threads.c.kind.in_(list(kinds)))
            .order_by(threads.c.changed_at.desc(), threads.c.id.desc())
            .limit(1)
        )
        found = await self._run(lambda connection: _keys(connection, query))
        return next(iter(found), None)


def _append(connection: sa.Connection, key: ThreadKey, event: Event, at: float) -> Recorded | Refused:
    found = _find(connection, key, lock=True)
    if not found:
        if isinstance(refused := advance(Idle(), event), Refused):
            return refused  # before a row is made for a thread that the agent has no part in
        found = _create(connection, key, at)
    thread_id, state = found
    step = advance(state, event)
    if isinstance(step, Refused):
        if step.why is Why.CLOSED and isinstance(event, DECISIONS):
            return replace(step, ending=_ending(connection, key, event.call_id))
        return step
    new = step.state
    row = {"kind": new.kind, "state": new.to_json(), "version": states.VERSION, "changed_at": at, "seq": new.seq}
    connection.execute(_MOVE_ON, {"of_thread": thread_id, **row})
    entry = Row.of(new.seq, event, step.messages)._asdict()
    connection.execute(_ADD, {"thread_id": thread_id, "at": at, **entry})
    return Recorded(new, step.beaten)


def _create(connection: sa.Connection, key: ThreadKey, at: float) -> tuple[int, State]:
    fresh = Idle()
    row = {"kind": fresh.kind, "state": fresh.to_json(), "version": states.VERSION, "changed_at": at}
    connection.execute(_insert_unless_there(connection), {**key.model_dump(), **row})
    found = _find(connection, key, lock=True)
    assert found, "a row that was just inserted, or was there already"
    return found


def _insert_unless_there(connection: sa.Connection) -> Any:
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(threads).on_conflict_do_nothing()
    return sa.insert(threads)  # SQLite has one writer: nobody can have come between


def _find(connection: sa.Connection, key: ThreadKey, lock: bool = False) -> tuple[int, State] | None:
    row = connection.execute(_FIND_AND_LOCK if lock else _FIND, key.model_dump()).one_or_none()
    if row is None:
        return None
    if row.version == states.VERSION:
        return row.id, states.from_row(row.kind, row.state)
    return row.id, fold(_read(connection, row.id))


def _conversation(connection: sa.Connection, key: ThreadKey) -> Conversation:
    found = _find(connection, key)
    if not found:
        return Conversation(Idle(), [])
    thread_id, state = found
    since = {"of_thread": thread_id, "upto": state.upto, "summary": state.summary}
    rows = [Row(*row) for row in connection.execute(_SHOWN, since)]
    size = sum(transcript.weight(row.messages) for row in rows)
    return Conversation(state, conversation(state, rows), size)


def _ending(connection: sa.Connection, key: ThreadKey, call_id: str) -> Ending | None:
    found = _find(connection, key)
    number = ToolCall.reply_of(call_id)
    if not found or number is None:
        return None
    replies = sa.select(journal.c.seq).where(_OF_THREAD, journal.c.kind == ModelReplied.kind)
    seq = connection.scalar(replies.order_by(journal.c.seq).offset(number - 1).limit(1), {"of_thread": found[0]})
    if seq is None:
        return None
    reply, *later = _read(connection, found[0], journal.c.seq >= seq)
    assert isinstance(reply, ModelReplied), "chosen by its kind"
    return replay(reply, later)[1].get(call_id)


def _events(connection: sa.Connection, key: ThreadKey, *where: sa.ColumnElement[bool]) -> list[Event]:
    found = _find(connection, key)
    return _read(connection, found[0], *where) if found else []


def _read(connection: sa.Connection, thread_id: int, *where: sa.ColumnElement[bool]) -> list[Event]:
    rows = connection.execute(_READ.where(*where), {"of_thread": thread_id})
    return [Row(*row).read() for row in rows]


def _keys(connection: sa.Connection, query: sa.Select[Any]) -> list[ThreadKey]:
    return [ThreadKey(**row) for row in connection.execute(query).mappings()]
