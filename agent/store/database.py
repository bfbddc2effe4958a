"""Opening the database: the URL as people write it, one process per SQLite file, migrations applied."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy import event
from sqlalchemy.engine import URL, make_url

from agent.core.errors import StoreError
from agent.store.schema import HEAD

_MIGRATION_LOCK = 0x7061726C6579  # "parley", for PostgreSQL's advisory lock


def parse_url(text: str) -> URL:
    try:
        url = make_url(text)
    except sa.exc.ArgumentError as error:
        raise StoreError("DATABASE_URL is not a database URL; write sqlite:///parley.db, say.") from error
    match url.get_backend_name():
        case "sqlite" if url.database and url.database != ":memory:":
            return url.set(drivername="sqlite+pysqlite")
        case "sqlite":
            raise StoreError("DATABASE_URL names no file: paused threads must be kept on disk.")
        case "postgresql" | "postgres":
            return url.set(drivername="postgresql+psycopg")
        case other:
            raise StoreError(f"DATABASE_URL starts with {other}://; Parley runs on sqlite and postgresql.")


def lock_file(url: URL) -> FileLock | None:
    """Two processes would run the same turns twice, so a SQLite file belongs to one of them."""
    if url.get_backend_name() != "sqlite":
        return None
    path = Path(str(url.database)).absolute()
    if not path.parent.is_dir():
        raise StoreError(f"DATABASE_URL names a file in {path.parent}, which is not a directory.")
    lock = FileLock(f"{path.resolve()}.lock", is_singleton=True, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise StoreError(
            f"Another Parley is already using {path.name}: stop it, or give this one its own DATABASE_URL."
        ) from error
    return lock


def create_engine(url: URL) -> sa.Engine:
    if url.get_backend_name() == "sqlite":
        engine = sa.create_engine(url, poolclass=sa.NullPool, connect_args={"check_same_thread": False})
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_immediate)
        return engine
    return sa.create_engine(url, pool_size=4, max_overflow=0, pool_pre_ping=True)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver's own BEGIN would come too late, and not be immediate
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_immediate(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def migrate(connection: sa.Connection) -> None:
    """Bring the database to the newest version, in the caller's transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
    if _version(connection) == HEAD:
        return
    # Loaded only when there is something to do: it costs a tenth of a second.
    from alembic import command, util
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", "agent.store:migrations")
    try:
        command.upgrade(config, "head")
    except util.CommandError as error:
        raise StoreError(
            "The database was written by a newer Parley than this one; start that version instead."
        ) from error


def _version(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return version
