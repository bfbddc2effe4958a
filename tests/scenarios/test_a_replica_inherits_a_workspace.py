"""Two replicas, and a workspace that was installed at the one: when that ends, the other goes on there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import aiohttp
import pytest

from bot.app import serve_http
from bot.encryption import new_key
from bot.playground.installs import CLIENT_ID, CLIENT_SECRET
from tests.scenarios.test_two_workspaces import PUBLIC_URL, Two, reads, starts
from tests.support import postgres
from tests.support.slack_world import SlackWorld

pytestmark = pytest.mark.skipif(not postgres.SERVER, reason="PARLEY_TEST_POSTGRES is not set")


@pytest.fixture
async def world() -> AsyncIterator[SlackWorld]:
    settings: dict[str, Any] = {
        "slack_bot_token": None,
        "slack_client_id": CLIENT_ID,
        "slack_client_secret": CLIENT_SECRET,
        "parley_public_url": PUBLIC_URL,
        "parley_encryption_key": new_key(),
    }
    await asyncio.to_thread(postgres.make_template)
    with postgres.fresh_database() as url:
        async with SlackWorld(url, http=True, **settings) as world:
            yield await world.start()


@pytest.fixture
async def other(world: SlackWorld) -> AsyncIterator[None]:
    """A second replica, to which Slack delivers nothing."""
    listens = asyncio.Event()
    given: dict[str, Any] = {"clock": world.slack.clock.now, "sleep": world.sleep}
    serving = asyncio.create_task(
        serve_http(world.settings, asyncio.Event(), listening=lambda _port: listens.set(), **given)
    )
    await listens.wait()
    yield
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving


@pytest.mark.usefixtures("other")
async def test_a_run_in_a_workspace_that_was_installed_at_a_replica_that_ended_goes_on(world: SlackWorld) -> None:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as browser:
        assert (await Two(world, world.slack, browser).install(world.slack))[0] == 200
    world.model.will_hang()
    ts = await starts(world.slack, "think hard")
    await world.model.asked(1)
    world.model.will_say("Here I am again.")

    await world.stop()
    world.slack.clock.advance(60)

    await reads(world.slack, ts, "Here I am again.")
