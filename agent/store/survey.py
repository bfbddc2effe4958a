"""What can be said of a database without changing it: which kind it is, how its tables stand, and who is on it."""

import asyncio
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from agent.store import database
from agent.store.schema import HEAD

_SERVER_VERSION, _MAX_CONNECTIONS, _RESERVED, _SYNCHRONOUS_COMMIT = (
    sa.text(f"SELECT current_setting('{name}')")
    for name in ("server_version", "max_connections", "superuser_reserved_connections", "synchronous_commit")
)
_IN_USE = sa.text("SELECT coalesce(sum(numbackends), 0) FROM pg_stat_database")


@dataclass(frozen=True)
class Server:
    """Of PostgreSQL; `free` connections are those that are left to anyone but its superusers."""

    version: str
    free: int
    allowed: int
    synchronous_commit: str


@dataclass(frozen=True)
class Survey:
    kind: Literal["SQLite", "PostgreSQL"]
    standing: Literal["none", "older", "current", "newer"]
    version: str
    users: int  # processes that run on it
    server: Server | None = None
    newest: str = HEAD
    needs: int = database.POOL_SIZE + 1


async def survey(url: str) -> Survey:
    """Raises StoreError if it cannot be reached."""
    return await asyncio.to_thread(_survey, url)


def _survey(text: str) -> Survey:
    url = database.parse_url(text)
    if not database.exists(url):
        return Survey("SQLite", "none", "", users=0)
    engine = database.create_engine(url)
    try:
        with engine.connect() as connection:
            return _look(connection)
    except sa.exc.DBAPIError as error:
        raise database.unusable(url, error) from error
    finally:
        engine.dispose()


def _look(connection: sa.Connection) -> Survey:
    postgres = connection.dialect.name == "postgresql"
    return Survey(
        "PostgreSQL" if postgres else "SQLite",
        database.standing(connection),
        database.version(connection) or "",
        database.users(connection),
        _server(connection) if postgres else None,
    )


def _server(connection: sa.Connection) -> Server:
    allowed, reserved = (int(str(connection.scalar(query))) for query in (_MAX_CONNECTIONS, _RESERVED))
    in_use = int(str(connection.scalar(_IN_USE))) - 1  # but for this one
    synchronous = str(connection.scalar(_SYNCHRONOUS_COMMIT))
    return Server(str(connection.scalar(_SERVER_VERSION)), allowed - reserved - in_use, allowed, synchronous)
