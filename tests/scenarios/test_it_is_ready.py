"""/readyz: a replica that lost its place in the database can take nothing, and says so, until it has one again."""

import asyncio

import aiohttp
import psycopg
import pytest

from tests.scenarios.test_metrics import started
from tests.support import postgres
from tests.support.slack_world import SlackWorld

pytestmark = [
    pytest.mark.skipif(not postgres.SERVER, reason="PARLEY_TEST_POSTGRES is not set"),
    pytest.mark.parametrize("slack_world", ["postgresql"], indirect=True),
]


async def until_it_says(url: str, status: int, text: str) -> None:
    """It happens on a thread of Parley's own."""
    async with aiohttp.ClientSession() as session, asyncio.timeout(20):
        while True:
            async with session.get(f"{url}/readyz") as response:
                if (response.status, await response.text()) == (status, text):
                    return
            await asyncio.sleep(0.01)


async def test_a_replica_without_a_place_is_not_ready(slack_world: SlackWorld) -> None:
    url = await started(slack_world)
    await until_it_says(url, 200, "ready\n")
    name = slack_world.database_url.rpartition("/")[2].partition("?")[0]
    with psycopg.connect(postgres.SERVER, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")  # those that are there stay
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND application_name = 'parley'",
            [name],
        )
        await until_it_says(url, 503, "replica\n")
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

    await until_it_says(url, 200, "ready\n")
