"""Fixtures only."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
import structlog
from hypothesis import settings

from agent.store.journal import Store
from tests.support import postgres as postgres_server
from tests.support.slack_world import SlackWorld
from tests.support.world import World

settings.register_profile("patient", deadline=None)  # how long an example takes depends on the machine
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def logs_as_they_were() -> Iterator[None]:
    yield
    structlog.reset_defaults()  # commands configure them for the whole process


@pytest.fixture(scope="session")
def postgres_database() -> Iterator[str]:
    """One that no other process tests on; it is emptied for each test."""
    if not postgres_server.SERVER:
        pytest.skip("PARLEY_TEST_POSTGRES is not set: no PostgreSQL server to test on")
    with postgres_server.fresh_database("template1") as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind; both pass the same tests."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/parley.db"
    url: str = request.getfixturevalue("postgres_database")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return url


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    store = await Store.open(database_url)
    yield store
    await store.close()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(f"sqlite:///{tmp_path}/parley.db") as world:
        yield world


@pytest.fixture(params=["sockets", "http", *(["postgresql"] if postgres_server.SERVER else [])])
async def slack_world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SlackWorld]:
    """Over each of the ways that Slack delivers, and over sockets on PostgreSQL; all pass the same tests."""
    with ExitStack() as stack:
        url = f"sqlite:///{tmp_path}/parley.db"
        if request.param == "postgresql":
            await asyncio.to_thread(postgres_server.make_template)
            url = stack.enter_context(postgres_server.fresh_database())
        async with SlackWorld(url, http=request.param == "http") as world:
            yield world
