"""Parley in Slack, whole, as a process that dies at a chosen point.

Everything is loaded once; each life is then a fork of its own, killed by a real SIGKILL. Usage:

    python -m tests.crash.slack_process DIRECTORY

For every line on standard input, `NAME POINT SLACK_URL MODEL_URL`, it runs Parley on DIRECTORY/NAME.db, dying at the
point (0: never) or ending by SIGTERM. It prints the number of the process and, in the end, how it ended.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from agent.core.events import Event
from agent.store.delivery import Delivery
from agent.store.journal import Store
from bot.app import serve
from bot.playground.core import App
from bot.settings import Settings

_HASTE = 100


class Points:
    """Counts the places where the process can die, from the first thing that comes in, and dies at one of them."""

    def __init__(self, fatal: int, log: Path) -> None:
        self.passed = 0
        self._fatal = fatal
        self._log = log
        self._armed = False

    def around(self, owner: type, name: str, called: Callable[..., str]) -> None:
        """The process can die before each call of this method and, once it is done, after it."""
        original = getattr(owner, name)

        async def mortal(*args: Any, **kwargs: Any) -> Any:
            label = called(*args)
            self._armed = self._armed or label == "accept"
            self._here(f"before {label}")
            try:
                return await original(*args, **kwargs)
            finally:
                self._here(f"after {label}")

        setattr(owner, name, mortal)

    def _here(self, name: str) -> None:
        self.passed += self._armed
        if self._armed and self.passed == self._fatal:
            self._log.write_text(name)
            os.kill(os.getpid(), signal.SIGKILL)


async def live(directory: Path, name: str, fatal: int, slack_url: str, model_url: str) -> int:
    points = Points(fatal, directory / f"{name}.death")
    points.around(Store, "append", _kind)
    points.around(AsyncWebClient, "api_call", _method)
    points.around(Delivery, "accept", lambda *_: "accept")
    points.around(Delivery, "settle", lambda *_: "settle")
    points.around(Delivery, "show", lambda *_: "show")
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await serve(_settings(directory, name, slack_url, model_url), ended, sleep=_sleep)
    return points.passed


def _kind(_store: Store, _key: Any, event: Event, *_: Any) -> str:
    return f"append {event.kind}"


def _method(_client: AsyncWebClient, method: str, *_: Any) -> str:
    return method


def _settings(directory: Path, name: str, slack_url: str, model_url: str) -> Settings:
    tokens = App()
    given = {
        "slack_bot_token": tokens.bot_token,
        "slack_app_token": tokens.app_token,
        "slack_api_url": slack_url,
        "openai_api_key": "test",
        "openai_model": "scripted",
        "openai_base_url": model_url,
        "database_url": f"sqlite:///{directory}/{name}.db",
    }
    return Settings(_env_file=None, **given)  # type: ignore[call-arg, arg-type]


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds / _HASTE)


def fork_and_live(directory: Path, name: str, fatal: int, slack_url: str, model_url: str) -> str:
    """The life of one process: `died`, or `ended` with the number of points it passed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        log = os.open(directory / f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        passed = asyncio.run(live(directory, name, fatal, slack_url, model_url))
        os.write(writing, str(passed).encode())
        os._exit(0)
    print(child, flush=True)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        passed_text = pipe.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return f"died {os.WTERMSIG(status)}"
    return f"ended {passed_text}"


def main() -> None:
    directory = Path(sys.argv[1])
    for line in sys.stdin:
        name, fatal, slack_url, model_url = line.split()
        print(fork_and_live(directory, name, int(fatal), slack_url, model_url), flush=True)


if __name__ == "__main__":
    main()
