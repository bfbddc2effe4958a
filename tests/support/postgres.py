"""Databases on the PostgreSQL server that tests may use: each made in a moment, as a copy of a migrated one."""

import asyncio
import atexit
import functools
import itertools
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import psycopg
import sqlalchemy as sa

from agent.store.journal import Store

SERVER = os.environ.get("PARLEY_TEST_POSTGRES", "")
_TEMPLATE = f"parley_template_{os.getpid()}"  # several processes may run tests on one server
_numbers = itertools.count()


def url_of(database: str) -> str:
    return sa.make_url(SERVER).set(database=database).render_as_string(hide_password=False)


@functools.cache
def make_template() -> None:
    """Once, on a thread without an event loop; it goes when the process does."""
    made = ExitStack()
    made.enter_context(_database(_TEMPLATE, "template1"))
    atexit.register(made.close)

    async def migrate() -> None:
        await (await Store.open(url_of(_TEMPLATE))).close()

    asyncio.run(migrate())


def fresh_database(template: str = _TEMPLATE) -> AbstractContextManager[str]:
    """Of its own for each test: locks and notifications reach no further than their database."""
    return _database(f"parley_{os.getpid()}_{next(_numbers)}", template)


@contextmanager
def _database(name: str, template: str) -> Iterator[str]:
    with psycopg.connect(SERVER, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield url_of(name)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
