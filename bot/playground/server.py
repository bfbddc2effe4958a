"""The local Slack: an HTTP server for the app, started and stopped with `async with`."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import web

from bot.playground import saving
from bot.playground.browser import Browser
from bot.playground.clock import Clock
from bot.playground.control import Control
from bot.playground.core import EVENTS, SCOPES, App, Core
from bot.playground.doors import doors, protect
from bot.playground.http_delivery import deliver_over_http
from bot.playground.installs import Installs
from bot.playground.keeping import Keeper
from bot.playground.mirror import Guide
from bot.playground.record import Record
from bot.playground.responses import Responses
from bot.playground.seed import new_workspace
from bot.playground.workspace import Json, Team


class LocalSlack(Control):
    """A Slack on this machine. `async with LocalSlack() as slack:`, then point a client at `slack.api_url`."""

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        port: int | Sequence[int] = 0,
        scopes: Iterable[str] = SCOPES,
        events: Iterable[str] = EVENTS,
        is_agent: bool = True,
        state: Json | None = None,
        guide: Guide | None = None,
        routes: Iterable[web.RouteDef] = (),
        kept_in: Path | None = None,
        most_recorded: int | None = None,
        request_url: str = "",
        signing_secret: str = "",
        secret: str = "local",
    ) -> None:
        self._keeper = Keeper(kept_in) if kept_in else None
        if kept := self._keeper and self._keeper.load():
            workspace, clock = kept.workspace, clock or Clock(ahead=kept.ahead)
        else:
            workspace = saving.load(state) if state else new_workspace()
        app = App(secret, frozenset(scopes), frozenset(events), is_agent)
        super().__init__(Core(workspace, clock or Clock(), app, record=Record(most_recorded)))
        self._port, self._routes = port, routes
        self._browser = Browser(self, guide or Guide())
        self.installs = Installs({self.team_id: self.core})
        if request_url:
            deliver_over_http(self.core, request_url, signing_secret)
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=8 * 1024 * 1024, middlewares=[doors])
        application.on_response_prepare.extend([self._before_telling, protect])
        application.add_routes(self.installs.routes())
        application.router.add_get("/link/", self.core.hub.serve)
        application.router.add_post("/actions/{team}/{key}", self._responses)
        application.router.add_get("/files-pri/{file}/{name}", self._file)
        application.add_routes([*self._browser.routes(), *self._routes])
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await self._listen(self._runner)
        self.core.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        if self._keeper:
            self._keeper.follow(self.core)
        return self

    async def _listen(self, runner: web.AppRunner) -> None:
        """On the port that is wanted, or the first of several that is free."""
        *others, last = [self._port] if isinstance(self._port, int) else self._port
        for port in others:
            with suppress(OSError):
                return await web.TCPSite(runner, "127.0.0.1", port).start()
        await web.TCPSite(runner, "127.0.0.1", last).start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.core.faults.clear()
        await self._browser.close()
        for core in self.installs.cores.values():
            await core.hub.close()
        if self._runner:
            await self._runner.cleanup()
        if self._keeper:
            self._keeper.close()
        self.core.clock.close()

    def add_workspace(self, team: Team) -> Control:
        """Another one on the same server, for the same app."""
        return Control(self.installs.add(team))

    async def _responses(self, request: web.Request) -> web.StreamResponse:
        return await Responses(self.installs.of(request.match_info["team"])).serve(request)

    async def _before_telling(self, _request: web.Request, _response: web.StreamResponse) -> None:
        self.core.save()

    async def _file(self, request: web.Request) -> web.StreamResponse:
        """A private file; without the right token Slack shows its sign-in page instead."""
        team, _, name = request.match_info["file"].partition("-")
        core, token = self.installs.of(team), request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token != core.app.bot_token or "files:read" not in core.app.scopes:
            return web.Response(text="<!DOCTYPE html><title>Sign in</title>", content_type="text/html")
        file = core.workspace.files.get(name)
        if file is None:
            return web.Response(status=404)
        return web.Response(body=file.data, content_type=file.mimetype)
