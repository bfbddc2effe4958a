"""Threads and their journal."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    big = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "threads",
        sa.Column("id", big, primary_key=True),
        sa.Column("team", sa.Text, nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("root", sa.Text, nullable=False),
        sa.Column("call_id", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("changed_at", sa.Float, nullable=False),
        sa.UniqueConstraint("team", "channel", "root", "call_id", "number", name="threads_key"),
    )
    unfinished = sa.text("kind IN ('thinking', 'running_tools') AND call_id = ''")
    op.create_index("threads_unfinished", "threads", ["id"], sqlite_where=unfinished, postgresql_where=unfinished)
    op.create_table(
        "journal",
        sa.Column("thread_id", big, sa.ForeignKey("threads.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("messages", sa.Text, nullable=False),
    )
