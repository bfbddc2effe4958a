"""Fixtures only."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from agent.store.journal import Store
from tests.support.slack_world import SlackWorld
from tests.support.world import World


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind; both pass the same tests."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/parley.db"
    return _empty_postgres()


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    store = await Store.open(database_url)
    yield store
    await store.close()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(f"sqlite:///{tmp_path}/parley.db") as world:
        yield world


@pytest.fixture
async def slack_world(tmp_path: Path) -> AsyncIterator[SlackWorld]:
    async with SlackWorld(tmp_path) as world:
        yield world


def _empty_postgres() -> str:
    url = os.environ.get("PARLEY_TEST_POSTGRES")
    if not url:
        pytest.skip("PARLEY_TEST_POSTGRES is not set: no PostgreSQL server to test on")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return url
