"""Opening the database: the URL as people write it, one process per SQLite file, migrations applied."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy import event
from sqlalchemy.engine import URL, make_url

from agent.core.errors import StoreError
from agent.store.schema import HEAD

# PostgreSQL's advisory locks are numbers, chosen by whoever uses them.
_MIGRATION_LOCK, _PROCESS_LOCK = 0x7061726C6579, 0x7061726C657A
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


def take(engine: sa.Engine) -> Callable[[], None]:
    """Claim the database for this process, since two would run the same turns twice. Returns what gives it back."""
    return _take_file(engine.url) if engine.dialect.name == "sqlite" else _take_server(engine)


def _take_file(url: URL) -> Callable[[], None]:
    path = Path(str(url.database)).absolute()
    if not path.parent.is_dir():
        raise StoreError(f"DATABASE_URL names a file in {path.parent}, which is not a directory.")
    lock = FileLock(f"{path.resolve()}.lock", is_singleton=True, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise StoreError(_TAKEN.format(path.name)) from error
    except OSError as error:
        raise StoreError(f"DATABASE_URL names a file in {path.parent}, where none can be made: {error}.") from error
    return lock.release


def _take_server(engine: sa.Engine) -> Callable[[], None]:
    try:
        connection = engine.connect()
        taken = connection.scalar(sa.select(sa.func.pg_try_advisory_lock(_PROCESS_LOCK)))
        connection.commit()  # the lock belongs to the session, and no transaction need stay open for it
    except sa.exc.DBAPIError as error:
        raise unusable(engine.url, error) from error
    if not taken:
        connection.close()
        raise StoreError(_TAKEN.format(engine.url.database))

    def release() -> None:
        connection.invalidate()  # closes the session, and so frees the lock, instead of pooling it
        connection.close()

    return release


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
    text = {"client_encoding": "utf8"}
    return sa.create_engine(
        url, pool_size=5, max_overflow=0, pool_pre_ping=True, hide_parameters=True, connect_args=text
    )


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
