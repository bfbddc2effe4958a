"""The tables. A change here needs a migration beside it; a test compares the two."""

import sqlalchemy as sa

from agent.core.states import UNFINISHED

# The newest migration. Known here too, so that an up-to-date database starts without loading Alembic.
HEAD = "0003"

metadata = sa.MetaData()
_id = sa.BigInteger().with_variant(sa.Integer, "sqlite")

threads = sa.Table(
    "threads",
    metadata,
    sa.Column("id", _id, primary_key=True),
    sa.Column("team", sa.Text, nullable=False),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("root", sa.Text, nullable=False),
    sa.Column("call_id", sa.Text, nullable=False),  # of a sub-agent: the call that made it; else ""
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("changed_at", sa.Float, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False, server_default="0"),
    sa.Column("shown", sa.Integer, nullable=False, server_default="0"),  # the last row that a front end shows
    # The number of the replica that it belongs to; on SQLite there is one, and that is 0.
    sa.Column("runner", sa.Integer, nullable=False, server_default="0"),
    sa.UniqueConstraint("team", "channel", "root", "call_id", "number", name="threads_key"),
)

# A sub-agent is not work of its own: its parent's turn runs it.
unfinished = sa.and_(
    threads.c.kind.in_([sa.literal_column(f"'{kind}'") for kind in UNFINISHED]),
    threads.c.call_id == sa.literal_column("''"),
)
# Paused threads are not in it, so that finding work that nobody does costs the same however many wait.
sa.Index("threads_unfinished", threads.c.team, threads.c.runner, sqlite_where=unfinished, postgresql_where=unfinished)

journal = sa.Table(
    "journal",
    metadata,
    sa.Column("thread_id", _id, sa.ForeignKey("threads.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    # What the event adds to the conversation, as the model's API takes it.
    sa.Column("messages", sa.Text, nullable=False),
)

unshown = sa.and_(threads.c.seq > threads.c.shown, threads.c.call_id == sa.literal_column("''"))
sa.Index("threads_unshown", threads.c.team, threads.c.runner, sqlite_where=unshown, postgresql_where=unshown)

inbox = sa.Table(
    "inbox",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("body", sa.Text, nullable=False),  # "" once it is dealt with; the key is kept to know it again
    sa.Column("runner", sa.Integer, nullable=False, server_default="0"),
)
waiting = inbox.c.body != sa.literal_column("''")
sa.Index("inbox_waiting", inbox.c.runner, inbox.c.at, sqlite_where=waiting, postgresql_where=waiting)

cards = sa.Table(
    "cards",
    metadata,
    sa.Column("thread_id", _id, sa.ForeignKey("threads.id"), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("ts", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),  # of what is shown there
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("ending", sa.Text, nullable=False),  # JSON, of something that waited for people; "" while it does
    sa.Column("is_open", sa.Boolean, nullable=False),
    sa.Column("at", sa.Float, nullable=False),  # when it opened, and later when it ended
    sa.Column("remind_at", sa.Float),
    sa.Column("expire_at", sa.Float),
    sa.Column("team", sa.Text, nullable=False, server_default=""),  # its thread's, so that a team's are found at once
)
ended = cards.c.ending != sa.literal_column("''")
# As the migrations write it: by SQLAlchemy's own `is_open = 1`, SQLite would not know that an index holds all these.
is_open: sa.ColumnElement[bool] = sa.literal_column("cards.is_open")
sa.Index("cards_open", cards.c.team, cards.c.at, sqlite_where=cards.c.is_open, postgresql_where=cards.c.is_open)
sa.Index("cards_ended", cards.c.team, cards.c.at, sqlite_where=ended, postgresql_where=ended)
sa.Index("cards_remind", cards.c.remind_at, sqlite_where=cards.c.is_open, postgresql_where=cards.c.is_open)
sa.Index("cards_expire", cards.c.expire_at, sqlite_where=cards.c.is_open, postgresql_where=cards.c.is_open)


def due(now: float) -> tuple[sa.ColumnElement[bool], ...]:
    """The open cards whose reminder has come, and those whose expiry has: SQLite finds them only one by one."""
    return sa.and_(is_open, cards.c.remind_at <= now), sa.and_(is_open, cards.c.expire_at <= now)
