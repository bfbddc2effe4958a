"""Databases on the PostgreSQL server that tests may use: each made in a moment, as a copy of a migrated one."""

import asyncio
import functools
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import sqlalchemy as sa

from agent.store.journal import Store

SERVER = os.environ.get("PARLEY_TEST_POSTGRES", "")
_TEMPLATE = "parley_template"
_numbers = itertools.count()


def url_of(database: str) -> str:
    return sa.make_url(SERVER).set(database=database).render_as_string(hide_password=False)


@functools.cache
def make_template() -> None:
    """Once, on a thread without an event loop."""
    with psycopg.connect(SERVER, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {_TEMPLATE} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {_TEMPLATE}")

    async def migrate() -> None:
        await (await Store.open(url_of(_TEMPLATE))).close()

    asyncio.run(migrate())


@contextmanager
def fresh_database() -> Iterator[str]:
    """Of its own for each test: locks and notifications reach no further than their database."""
    name = f"parley_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(SERVER, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
        try:
            yield url_of(name)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
