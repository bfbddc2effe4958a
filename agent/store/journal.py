"""The store: one short transaction per event, and what starting, thinking and showing need to read."""

import json
import time
from collections.abc import Callable, Collection
from typing import Any

import sqlalchemy as sa
from filelock import FileLock

from agent.core import events, states, transcript
from agent.core.errors import StoreError
from agent.core.events import DECISIONS, Decision, Event, ModelReplied
from agent.core.states import Idle, State
from agent.core.steps import Refused
from agent.core.transcript import Entry
from agent.core.transitions import advance, fold
from agent.ports import Conversation, Recorded, ThreadKey
from agent.store import database
from agent.store.schema import journal, threads, unfinished
from agent.store.transactions import PooledTransactions, SerialTransactions, Transactions

_KEY = tuple(threads.c[name] for name in ThreadKey.model_fields)
_POOL = 4


class Store:
    def __init__(
        self, transactions: Transactions, lock: FileLock | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._transactions = transactions
        self._lock = lock
        self._clock = clock

    @classmethod
    async def open(cls, url: str, clock: Callable[[], float] = time.time) -> "Store":
        """Open the database, made or migrated if need be; refuse a SQLite file that another process has."""
        parsed = database.parse_url(url)
        lock = database.lock_file(parsed)
        engine = database.create_engine(parsed)
        sqlite = engine.dialect.name == "sqlite"
        transactions = SerialTransactions(engine) if sqlite else PooledTransactions(engine, _POOL)
        store = cls(transactions, lock, clock)
        try:
            await transactions.run(database.migrate)
        except sa.exc.DBAPIError as error:
            await store.close()
            shown = parsed.render_as_string(hide_password=True)
            raise StoreError(f"DATABASE_URL ({shown}) cannot be opened: {error.orig}") from error
        except StoreError:
            await store.close()
            raise
        return store

    async def close(self) -> None:
        await self._transactions.close()
        if self._lock:
            self._lock.release()

    async def append(self, key: ThreadKey, event: Event) -> Recorded | Refused:
        """Decide what the event does to the thread and write it down, in one transaction."""
        at = self._clock()
        return await self._transactions.run(lambda connection: _append(connection, key, event, at))

    async def state(self, key: ThreadKey) -> State:
        """What the thread is doing; one that was never spoken in is idle."""
        found = await self._transactions.run(lambda connection: _find(connection, key))
        return found[1] if found else Idle()

    async def conversation(self, key: ThreadKey) -> Conversation:
        return await self._transactions.run(lambda connection: _conversation(connection, key))

    async def events(self, key: ThreadKey) -> list[Event]:
        """The whole journal, oldest first."""
        return await self._transactions.run(lambda connection: _events(connection, key))

    async def event(self, key: ThreadKey, seq: int) -> Event:
        """One row of the journal."""
        found = await self._transactions.run(lambda c: _events(c, key, journal.c.seq == seq))
        return found[0]

    async def decisions(self, key: ThreadKey, call_id: str) -> list[Decision]:
        """What people decided about one call, oldest first."""
        kinds = journal.c.kind.in_([event.kind for event in DECISIONS])
        decided = await self._transactions.run(lambda c: _events(c, key, kinds))
        return [event for event in decided if isinstance(event, DECISIONS) and event.call_id == call_id]

    async def unfinished(self) -> list[ThreadKey]:
        """The threads with work to do. Sub-agents are not among them: their parent's turn runs them."""
        query = sa.select(*_KEY).where(unfinished)
        return await self._transactions.run(lambda connection: _keys(connection, query))

    async def newest(self, team: str, channel: str, kinds: Collection[str]) -> ThreadKey | None:
        """The thread of these kinds that changed last."""
        query = (
            sa.select(*_KEY)
            .where(threads.c.team == team, threads.c.channel == channel, threads.c.call_id == "")
            .where(threads.c.kind.in_(list(kinds)))
            .order_by(threads.c.changed_at.desc(), threads.c.id.desc())
            .limit(1)
        )
        found = await self._transactions.run(lambda connection: _keys(connection, query))
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
        return step
    new = step.state
    connection.execute(
        sa.update(threads).where(threads.c.id == thread_id),
        {"kind": new.kind, "state": new.to_json(), "version": states.VERSION, "changed_at": at},
    )
    connection.execute(
        sa.insert(journal),
        {
            "thread_id": thread_id,
            "seq": new.seq,
            "at": at,
            "kind": event.kind,
            "event": event.to_json(),
            "messages": transcript.dump(step.messages),
        },
    )
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
    query = sa.select(threads.c.id, threads.c.kind, threads.c.state, threads.c.version).where(
        *(column == value for column, value in zip(_KEY, key.model_dump().values(), strict=True))
    )
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        return None
    if row.version == states.VERSION:
        return row.id, states.from_row(row.kind, row.state)
    return row.id, fold(_events(connection, key))


def _conversation(connection: sa.Connection, key: ThreadKey) -> Conversation:
    found = _find(connection, key)
    if not found:
        return Conversation(Idle(), [])
    thread_id, state = found
    rows = connection.execute(
        sa.select(journal.c.seq, journal.c.kind, journal.c.event, journal.c.messages)
        .where(journal.c.thread_id == thread_id, journal.c.messages != "")
        .where(sa.or_(journal.c.seq > state.upto, journal.c.seq == state.summary))
        .order_by(journal.c.seq != state.summary, journal.c.seq)
    ).all()
    size = sum(len(row.messages.encode()) for row in rows)
    return Conversation(state, transcript.arrange(_entry(state, *row) for row in rows), size)


def _entry(state: State, seq: int, kind: str, event: str, messages: str) -> Entry:
    if seq == state.summary:
        seq = state.upto  # it stands for everything up to there
    seen = json.loads(event)["seen"] if kind == ModelReplied.kind else seq
    return Entry(seq, seen, transcript.load(messages))


def _events(connection: sa.Connection, key: ThreadKey, *where: sa.ColumnElement[bool]) -> list[Event]:
    rows = connection.execute(
        sa.select(journal.c.kind, journal.c.event, journal.c.messages)
        .join(threads)
        .where(*(column == value for column, value in zip(_KEY, key.model_dump().values(), strict=True)))
        .where(*where)
        .order_by(journal.c.seq)
    )
    return [events.from_row(kind, event, transcript.load(messages)) for kind, event, messages in rows]


def _keys(connection: sa.Connection, query: sa.Select[Any]) -> list[ThreadKey]:
    return [ThreadKey(**row) for row in connection.execute(query).mappings()]
