"""What came in and is not dealt with yet, and what a front end shows."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    big = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "inbox",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    waiting = sa.text("body != ''")
    op.create_index("inbox_waiting", "inbox", ["at"], sqlite_where=waiting, postgresql_where=waiting)
    op.create_table(
        "cards",
        sa.Column("thread_id", big, sa.ForeignKey("threads.id"), primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("ts", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("ending", sa.Text, nullable=False),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("remind_at", sa.Float),
        sa.Column("expire_at", sa.Float),
    )
    still_open = sa.text("is_open")
    op.create_index("cards_open", "cards", ["at"], sqlite_where=still_open, postgresql_where=still_open)
    closed = sa.text("ending != ''")
    op.create_index("cards_ended", "cards", ["at"], sqlite_where=closed, postgresql_where=closed)
    op.add_column("threads", sa.Column("seq", sa.Integer, nullable=False, server_default="0"))
    op.add_column("threads", sa.Column("shown", sa.Integer, nullable=False, server_default="0"))
    op.execute("UPDATE threads SET seq = (SELECT count(*) FROM journal WHERE thread_id = threads.id)")
    op.execute("UPDATE threads SET shown = seq")
    unshown = sa.text("seq > shown AND call_id = ''")
    op.create_index("threads_unshown", "threads", ["team"], sqlite_where=unshown, postgresql_where=unshown)
