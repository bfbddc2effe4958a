"""`parley run` as an operator knows it: a process with an environment, a log and signals."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.support.slack_world import SlackWorld


@asynccontextmanager
async def parley_run(world: SlackWorld) -> AsyncIterator[asyncio.subprocess.Process]:
    given = {
        "SLACK_BOT_TOKEN": world.slack.bot_token,
        "SLACK_APP_TOKEN": world.slack.app_token,
        "SLACK_API_URL": world.slack.api_url,
        "OPENAI_API_KEY": "test",
        "OPENAI_MODEL": "scripted",
        "OPENAI_BASE_URL": world.model.base_url,
        "DATABASE_URL": world.database_url,
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run"), env=os.environ | given, stderr=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_it_says_that_it_is_connected_and_a_sigterm_ends_it_cleanly(slack_world: SlackWorld) -> None:
    async with parley_run(slack_world) as process:
        assert process.stderr
        line = await asyncio.wait_for(process.stderr.readline(), 20)
        assert b"slack.connected" in line

        process.send_signal(signal.SIGTERM)

        assert await asyncio.wait_for(process.wait(), 10) == 0


async def test_a_sigterm_ends_it_even_while_slack_does_not_let_it_connect(slack_world: SlackWorld) -> None:
    slack_world.slack.fail("apps.connections.open", status=500, times=-1)
    async with parley_run(slack_world) as process:
        await slack_world.slack.until(
            lambda: [call for call in slack_world.slack.calls if call.method == "apps.connections.open"], 20
        )

        process.send_signal(signal.SIGTERM)

        assert await asyncio.wait_for(process.wait(), 20) in (0, 1)


async def test_a_token_that_slack_refuses_stops_the_start_with_its_name(slack_world: SlackWorld) -> None:
    slack_world.slack.fail("auth.test", error="invalid_auth", times=-1)
    async with parley_run(slack_world) as process:
        assert process.stderr
        told = await asyncio.wait_for(process.stderr.read(), 20)

        assert told.decode().strip() == "parley: SLACK_BOT_TOKEN is refused by Slack: invalid_auth."
        assert await process.wait() == 1
