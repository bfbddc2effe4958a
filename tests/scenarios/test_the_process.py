"""`parley run` as an operator knows it: a process with an environment, a log and signals."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from tests.support.slack_world import SlackWorld

pytestmark = pytest.mark.parametrize("slack_world", ["sockets"], indirect=True)


@asynccontextmanager
async def parley_run(world: SlackWorld, *options: str, **settings: str) -> AsyncIterator[asyncio.subprocess.Process]:
    given = {
        "SLACK_BOT_TOKEN": world.slack.bot_token,
        "SLACK_APP_TOKEN": world.slack.app_token,
        "SLACK_API_URL": world.slack.api_url,
        "OPENAI_API_KEY": "test",
        "OPENAI_MODEL": "scripted",
        "OPENAI_BASE_URL": world.model.base_url,
        "DATABASE_URL": world.database_url,
        **settings,
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", *options),
        env=os.environ | given | settings,
        stderr=asyncio.subprocess.PIPE,
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


async def test_a_run_that_is_under_way_at_a_sigterm_is_finished_and_shown(slack_world: SlackWorld) -> None:
    thought = asyncio.Event()
    slack_world.model.will_pause("Half of it, ", thought, "and the rest.")
    async with parley_run(slack_world) as process:
        await slack_world.slack.connected(2)
        ts = slack_world.person().mentions(slack_world.general, "ship it")
        await slack_world.model.reached.wait()

        process.send_signal(signal.SIGTERM)
        await slack_world.slack.until(lambda: not slack_world.slack.core.hub.open)
        thought.set()

        assert await asyncio.wait_for(process.wait(), 20) == 0
    assert [message.words for message in slack_world.replies(ts)] == ["Half of it, and the rest."]


async def test_a_run_that_takes_longer_than_the_grace_is_cut_off_and_goes_on_after_the_next_start(
    slack_world: SlackWorld,
) -> None:
    slack_world.model.will_hang()
    async with parley_run(slack_world, PARLEY_GRACE_SECONDS="0.1") as process:
        await slack_world.slack.connected(2)
        ts = slack_world.person().mentions(slack_world.general, "ship it")
        await slack_world.model.reached.wait()

        process.send_signal(signal.SIGTERM)

        assert await asyncio.wait_for(process.wait(), 20) == 0
    slack_world.model.will_say("Shipped.")
    await slack_world.start()
    await slack_world.says("Shipped.", ts)


async def test_a_second_signal_cuts_off_what_is_under_way(slack_world: SlackWorld) -> None:
    slack_world.model.will_hang()
    async with parley_run(slack_world, PARLEY_GRACE_SECONDS="600") as process:
        await slack_world.slack.connected(2)
        slack_world.person().mentions(slack_world.general, "ship it")
        await slack_world.model.reached.wait()

        process.send_signal(signal.SIGINT)
        await slack_world.slack.until(lambda: not slack_world.slack.core.hub.open)
        process.send_signal(signal.SIGINT)

        assert await asyncio.wait_for(process.wait(), 20) == 1


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


async def test_over_http_it_says_where_it_listens_and_a_sigterm_ends_it_cleanly(slack_world: SlackWorld) -> None:
    given = {"SLACK_SIGNING_SECRET": "secret", "PARLEY_HTTP_PORT": "0", "SLACK_APP_TOKEN": ""}
    async with parley_run(slack_world, "--http", **given) as process, aiohttp.ClientSession() as browser:
        assert process.stderr
        line = json.loads(await asyncio.wait_for(process.stderr.readline(), 20))
        assert line["event"] == "http.listening"
        async with browser.get(f"http://127.0.0.1:{line['port']}/readyz") as response:
            assert await response.text() == "ready\n"
        for noise in (b"noise\r\n\r\n", b"POST /slack/events HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n"):
            reading, writing = await asyncio.open_connection("127.0.0.1", line["port"])
            writing.write(noise)
            assert b" 400 " in await asyncio.wait_for(reading.readline(), 5)
            writing.close()

        process.send_signal(signal.SIGTERM)

        assert await asyncio.wait_for(process.wait(), 10) == 0
        told = (await process.stderr.read()).splitlines()
        assert [json.loads(line)["event"] for line in told] == ["parley.stopped"]


async def test_a_port_for_metrics_that_is_taken_stops_the_start_with_its_name(slack_world: SlackWorld) -> None:
    taken = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = taken.sockets[0].getsockname()[1]
    async with taken, parley_run(slack_world, PARLEY_METRICS_PORT=str(port)) as process:
        assert process.stderr
        told = (await asyncio.wait_for(process.stderr.read(), 20)).decode().strip()

        assert told.startswith(f"parley: PARLEY_METRICS_PORT: 127.0.0.1:{port} cannot be used: ")
        assert await process.wait() == 1


async def test_a_collector_that_is_away_is_told_in_the_log_and_holds_nothing_up(slack_world: SlackWorld) -> None:
    given = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_BSP_SCHEDULE_DELAY": "10"}
    async with parley_run(slack_world, **given) as process:
        assert process.stderr
        events = []
        while {"slack.connected", "tracing.trouble"} - set(events):
            events.append(json.loads(await asyncio.wait_for(process.stderr.readline(), 20))["event"])

        process.send_signal(signal.SIGTERM)

        assert await asyncio.wait_for(process.wait(), 10) == 0
        told = (await process.stderr.read()).splitlines()
        assert {json.loads(line)["event"] for line in told} <= {"parley.stopped", "tracing.trouble"}
