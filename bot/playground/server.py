"""The local Slack: an HTTP server for the app, started and stopped with `async with`."""

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from aiohttp import web

from bot.playground import saving
from bot.playground.api import Api
from bot.playground.clock import Clock
from bot.playground.control import Control
from bot.playground.core import EVENTS, SCOPES, App, Core
from bot.playground.responses import Responses
from bot.playground.seed import new_workspace
from bot.playground.workspace import Json


class LocalSlack(Control):
    """A Slack on this machine. `async with LocalSlack() as slack:`, then point a client at `slack.api_url`."""

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        port: int = 0,
        scopes: Iterable[str] = SCOPES,
        events: Iterable[str] = EVENTS,
        is_agent: bool = True,
        state: Json | None = None,
    ) -> None:
        workspace = saving.load(state) if state else new_workspace()
        app = App(scopes=frozenset(scopes), events=frozenset(events), is_agent=is_agent)
        super().__init__(Core(workspace, clock or Clock(), app))
        self._port = port
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=8 * 1024 * 1024)
        application.router.add_route("*", "/api/{method}", Api(self.core).serve)
        application.router.add_get("/link/", self.core.hub.serve)
        application.router.add_post("/actions/{team}/{key}", Responses(self.core).serve)
        application.router.add_get("/files-pri/{file}/{name}", self._file)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self.core.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.core.faults.clear()
        await self.core.hub.close()
        if self._runner:
            await self._runner.cleanup()
        self.core.clock.close()

    async def _file(self, request: web.Request) -> web.StreamResponse:
        """A private file; without the right token Slack shows its sign-in page instead."""
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token != self.core.app.bot_token or "files:read" not in self.core.app.scopes:
            return web.Response(text="<!DOCTYPE html><title>Sign in</title>", content_type="text/html")
        file = self.core.workspace.files.get(request.match_info["file"].partition("-")[2])
        if file is None:
            return web.Response(status=404)
        return web.Response(body=file.data, content_type=file.mimetype)
