"""To which replica a thread belongs, and what came in; and cards that are found by team or due time at once."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    for table in ("threads", "inbox"):
        op.add_column(table, sa.Column("runner", sa.Integer, nullable=False, server_default="0"))
    unfinished = sa.text("kind IN ('thinking', 'running_tools') AND call_id = ''")
    _replace("threads_unfinished", "threads", ["team", "runner"], unfinished)
    _replace("threads_unshown", "threads", ["team", "runner"], sa.text("seq > shown AND call_id = ''"))
    _replace("inbox_waiting", "inbox", ["runner", "at"], sa.text("body != ''"))
    op.add_column("cards", sa.Column("team", sa.Text, nullable=False, server_default=""))
    op.execute("UPDATE cards SET team = (SELECT team FROM threads WHERE id = cards.thread_id)")
    _replace("cards_open", "cards", ["team", "at"], sa.text("is_open"))
    _replace("cards_ended", "cards", ["team", "at"], sa.text("ending != ''"))
    for name in ("remind", "expire"):
        _create(f"cards_{name}", "cards", [f"{name}_at"], sa.text("is_open"))


def _replace(name: str, table: str, columns: list[str], where: sa.TextClause) -> None:
    op.drop_index(name, table)
    _create(name, table, columns, where)


def _create(name: str, table: str, columns: list[str], where: sa.TextClause) -> None:
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
