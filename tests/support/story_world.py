"""Parley in Slack with the playground's own model, by default without its pauses."""

import asyncio
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.playground.scripted_model import ScriptedModel
from tests.support.slack_world import SlackWorld

ADVICE = "For a real model, put OPENAI_MODEL into .env."


class Storyteller:
    """The playground's model on a port of its own; `requests` are what it was asked, `served` is set after one."""

    base_url: str

    def __init__(self, pace: float = 0) -> None:
        self.requests: list[dict[str, Any]] = []
        self.failures: list[Exception] = []
        self.served = asyncio.Event()
        self._model = ScriptedModel(pace, ADVICE)

    async def __aenter__(self) -> "Storyteller":
        app = web.Application(client_max_size=2**23)
        app.router.add_post("/v1/chat/completions", self._serve)
        self._runner = web.AppRunner(app, shutdown_timeout=1.0, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *failure: Any) -> None:
        await self._runner.cleanup()
        assert self.failures == []

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        try:
            self.requests.append(await request.json())
            return await self._model.serve(request)
        except Exception as error:
            self.failures.append(error)
            raise
        finally:
            self.served.set()


class StoryWorld(SlackWorld):
    def __init__(self, directory: Path, pace: float = 0, **settings: Any) -> None:
        super().__init__(f"sqlite:///{directory}/parley.db", **settings)
        self.model = Storyteller(pace)  # type: ignore[assignment]
