"""`parley run` in a process of its own, and what it uses of the machine."""

import asyncio
import os
import re
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bot.playground.server import LocalSlack
from tests.support.scripted_model import ScriptedModel

PATIENCE = 60.0


@dataclass(frozen=True)
class Usage:
    cpu: float
    now_mb: float
    peak_mb: float

    @classmethod
    def of(cls, pid: int) -> "Usage":
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks = int(fields[11]) + int(fields[12])
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        now, peak = (int(status[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
        return cls(ticks / os.sysconf("SC_CLK_TCK"), now, peak)


@dataclass(frozen=True)
class Parley:
    pid: int
    metrics_url: str

    @property
    def usage(self) -> Usage:
        return Usage.of(self.pid)

    async def commits(self) -> float:
        """Transactions that wrote, since it started."""
        async with aiohttp.ClientSession() as session, session.get(self.metrics_url) as answer:
            found = re.search(r"^parley_database_commits_total(?:\{.*\})? (\S+)$", await answer.text(), re.MULTILINE)
        assert found, "it counts them"
        return float(found[1])

    @classmethod
    @asynccontextmanager
    async def running(cls, slack: LocalSlack, model: ScriptedModel, database_url: str) -> AsyncIterator["Parley"]:
        """From when it is connected on; at the end it is told to stop, and waited for."""
        environment = {
            "SLACK_BOT_TOKEN": slack.bot_token,
            "SLACK_APP_TOKEN": slack.app_token,
            "SLACK_API_URL": slack.api_url,
            "OPENAI_API_KEY": "test",
            "OPENAI_MODEL": "scripted",
            "OPENAI_BASE_URL": model.base_url,
            "DATABASE_URL": database_url,
            "PARLEY_LOG_LEVEL": "warning",
            "PARLEY_METRICS_PORT": str(port := _free_port()),
        }
        program = (sys.executable, "-m", "bot", "run")
        process = await asyncio.create_subprocess_exec(*program, env=os.environ | environment, stdout=sys.stderr)
        try:
            await slack.connected(2, seconds=PATIENCE)
            yield cls(process.pid, f"http://127.0.0.1:{port}/metrics")
        finally:
            process.terminate()
            await process.wait()
            await slack.until(lambda: not slack.core.hub.open, PATIENCE)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
