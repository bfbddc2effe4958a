"""Opening the database: the URL as people write it, one process per SQLite file, migrations applied."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy import event
from sqlalchemy.engine import URL, make_url

from agent import signals
from agent.core.errors import StoreError
from agent.store.schema import HEAD
from agent.store.transactions import BEGUN_BY_DRIVER

POOL_SIZE = 4  # connections to a PostgreSQL, beside the one by which a replica is known to live
# PostgreSQL's advisory locks are numbers, chosen by whoever uses them.
_MIGRATION_LOCK = 0x7061726C6579
# A replica that is frozen in the middle of a transaction must not keep others from the rows that it has locked.
_LONGEST_IDLE_MS = 5_000
_TAKEN = "Another Parley is already using {}: stop it, or give this one its own DATABASE_URL."


def parse_url(text: str) -> URL:
    try:
        url = make_url(text)
    except (sa.exc.ArgumentError, ValueError) as error:
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


def server(text: str) -> str | None:
    """The URL as PostgreSQL's own library takes it; None if there is no server."""
    url = parse_url(text)
    if url.get_backend_name() == "sqlite":
        return None
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


def exists(url: URL) -> bool:
    """Whether there is a file; a server is asked when it is connected to."""
    return url.get_backend_name() != "sqlite" or Path(str(url.database)).exists()


def take(engine: sa.Engine) -> Callable[[], None]:
    """Claim a SQLite file for this process, since two would run the same turns twice. Returns what gives it back."""
    return _take_file(engine.url) if engine.dialect.name == "sqlite" else lambda: None


def _take_file(url: URL) -> Callable[[], None]:
    path = Path(str(url.database)).absolute()
    if not path.parent.is_dir():
        raise StoreError(f"DATABASE_URL names a file in {path.parent}, which is not a directory.")
    lock = FileLock(_lock_file(url), is_singleton=True, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise StoreError(_TAKEN.format(path.name)) from error
    except OSError as error:
        raise StoreError(f"DATABASE_URL names a file in {path.parent}, where none can be made: {error}.") from error
    return lock.release


def _lock_file(url: URL) -> Path:
    return Path(f"{Path(str(url.database)).absolute().resolve()}.lock")


def users(connection: sa.Connection) -> int:
    """How many processes work on the database that this connection is to."""
    if connection.dialect.name == "postgresql":
        return int(connection.scalar(sa.text(f"SELECT count(*) FROM ({signals.LIVING}) AS living")) or 0)
    path = _lock_file(connection.engine.url)
    if not path.exists():  # to make one here could keep Parley, as another user, from taking it
        return 0
    try:
        with FileLock(path, blocking=False):
            return 0
    except Timeout:
        return 1


def unusable(url: URL, error: sa.exc.DBAPIError) -> StoreError:
    shown = url.render_as_string(hide_password=True)
    return StoreError(f"DATABASE_URL ({shown}) cannot be opened: {' '.join(str(error.orig).split())}")


def create_engine(url: URL) -> sa.Engine:
    # Without parameters in its errors: they are what people wrote.
    if url.get_backend_name() == "sqlite":
        threads = {"check_same_thread": False}
        engine = sa.create_engine(url, poolclass=sa.NullPool, hide_parameters=True, connect_args=threads)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_immediate)
        return engine
    # A database without an encoding of its own (SQL_ASCII) would give us bytes.
    given = {"client_encoding": "utf8", "tcp_user_timeout": 10_000}
    engine = sa.create_engine(
        url,
        pool_size=POOL_SIZE,
        max_overflow=0,
        pool_pre_ping=True,
        hide_parameters=True,
        isolation_level="READ COMMITTED",  # whatever the server's default: we look again for what others committed
        connect_args=given,
    )
    event.listen(engine, "connect", _prepare_postgres)
    return engine


def _prepare_postgres(connection: Any, _record: Any) -> None:
    connection.execute(f"SET idle_in_transaction_session_timeout = {_LONGEST_IDLE_MS}")
    connection.commit()


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver's own BEGIN would come too late, and not be immediate
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_immediate(connection: sa.Connection) -> None:
    if not connection.get_execution_options().get(BEGUN_BY_DRIVER):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def migrate(connection: sa.Connection) -> None:
    """Bring the database to the newest version, in the caller's transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
    if version(connection) == HEAD:
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


def standing(connection: sa.Connection) -> Literal["none", "older", "current", "newer"]:
    """How the database's tables stand to what this version knows."""
    found = version(connection)
    if found is None:
        return "none"
    return "current" if found == HEAD else "older" if found < HEAD else "newer"


def version(connection: sa.Connection) -> str | None:
    """The migration that the database is at; None if there are no tables yet."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return found
