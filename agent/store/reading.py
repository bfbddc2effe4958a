"""What a thread's rows say: what it is doing, its journal, and the conversation that the model is to read."""

from typing import NamedTuple

import sqlalchemy as sa

from agent.core import states, transcript
from agent.core.asks import Ending
from agent.core.errors import IllegalTransition, UnreadableThread
from agent.core.events import Event, ModelReplied
from agent.core.journal import Row, conversation
from agent.core.states import Idle, State
from agent.core.transcript import ToolCall
from agent.core.transitions import fold, replay
from agent.ports import Conversation, ThreadKey
from agent.store.keys import OF_KEY
from agent.store.schema import journal, threads
from agent.store.statements import Statement

_OF_THREAD = journal.c.thread_id == sa.bindparam("of_thread")

_COLUMNS = tuple(threads.c[name] for name in ("id", "kind", "state", "version", "runner", "shown"))
_BY_KEY = sa.select(*_COLUMNS).where(OF_KEY)
_FIND = Statement(_BY_KEY)
_FIND_AND_LOCK = Statement(_BY_KEY.with_for_update())
_ROW = (journal.c.seq, journal.c.kind, journal.c.event, journal.c.messages)
_READ = sa.select(*_ROW).where(_OF_THREAD).order_by(journal.c.seq)
# Of all events only a reply's is looked into here, for what it had seen.
_TOLD = sa.case(
    (journal.c.kind == sa.literal_column(f"'{ModelReplied.kind}'"), journal.c.event), else_=sa.literal_column("''")
)
_SHOWN = Statement(
    sa.select(journal.c.seq, journal.c.kind, _TOLD, journal.c.messages)
    .where(_OF_THREAD)
    .order_by(journal.c.seq)
    .where(journal.c.messages != sa.literal_column("''"))
    .where(
        sa.or_(journal.c.seq > sa.bindparam("upto"), journal.c.seq == sa.bindparam("summary")),
        journal.c.seq <= sa.bindparam("newest"),  # what came after the state was read is not part of it
    )
)


class Found(NamedTuple):
    id: int
    state: State
    runner: int
    shown: int

    @property
    def is_behind(self) -> bool:
        """Whether something of it may have been said or begun that is not known to be shown."""
        return self.state.seq > self.shown or self.state.kind in states.UNFINISHED


def find(connection: sa.Connection, key: ThreadKey, lock: bool = False) -> Found | None:
    rows = (_FIND_AND_LOCK if lock else _FIND).run(connection, key.model_dump())
    if not rows:
        return None
    [(thread_id, kind, state, version, runner, shown)] = rows
    try:
        read = states.from_row(kind, state) if version == states.VERSION else fold(_read(connection, thread_id))
    except (KeyError, ValueError, IllegalTransition) as error:
        raise UnreadableThread(f"The rows of thread {thread_id} cannot be read.") from error
    return Found(thread_id, read, runner, shown)


def read_conversation(connection: sa.Connection, key: ThreadKey) -> Conversation:
    found = find(connection, key)
    if not found:
        return Conversation(Idle(), [])
    state = found.state
    which = {"upto": state.upto, "summary": state.summary, "newest": state.seq}
    rows = _SHOWN.run(connection, {"of_thread": found.id, **which})
    size = transcript.weight(",".join([row[-1] for row in rows]))
    return Conversation(state, conversation(state, rows), size)


def read_ending(connection: sa.Connection, key: ThreadKey, call_id: str) -> Ending | None:
    found = find(connection, key)
    number = ToolCall.reply_of(call_id)
    if not found or number is None:
        return None
    replies = sa.select(journal.c.seq).where(_OF_THREAD, journal.c.kind == ModelReplied.kind)
    seq = connection.scalar(replies.order_by(journal.c.seq).offset(number - 1).limit(1), {"of_thread": found.id})
    if seq is None:
        return None
    reply, *later = _read(connection, found.id, journal.c.seq >= seq)
    assert isinstance(reply, ModelReplied), "chosen by its kind"
    return replay(reply, later)[1].get(call_id)


def read_events(connection: sa.Connection, key: ThreadKey, *where: sa.ColumnElement[bool]) -> list[Event]:
    found = find(connection, key)
    return _read(connection, found.id, *where) if found else []


def _read(connection: sa.Connection, thread_id: int, *where: sa.ColumnElement[bool]) -> list[Event]:
    rows = connection.execute(_READ.where(*where), {"of_thread": thread_id})
    return [Row(*row).read() for row in rows]
