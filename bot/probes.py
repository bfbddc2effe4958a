"""What tells whoever watches over Parley how it is: /healthz, /readyz and, where it is wanted, /metrics."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import structlog
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST

from agent.core.errors import StoreError
from bot.settings import BadSettings

log = structlog.get_logger()

_READY_SECONDS = 2.0


class Probes:
    """`placed` says whether anything can belong to this process: the database refuses whoever lost its place there.

    `ready` raises, or takes too long, when the database cannot be used; `metrics` gives the text to read.
    """

    def __init__(
        self,
        placed: Callable[[], bool],
        ready: Callable[[], Awaitable[object]],
        metrics: Callable[[], Awaitable[bytes]],
    ) -> None:
        self._placed, self._ready, self._metrics = placed, ready, metrics
        self._draining = False

    def drain(self) -> None:
        """Nothing more is taken here: whoever asks is told to go elsewhere."""
        self._draining = True

    def health(self) -> list[web.RouteDef]:
        return [web.get("/healthz", self._health), web.get("/readyz", self._readiness)]

    def metrics(self) -> list[web.RouteDef]:
        return [web.get("/metrics", self._show_metrics)]

    @asynccontextmanager
    async def open(self, host: str, port: int) -> AsyncIterator[None]:
        """All of them, on a port of their own."""
        application = web.Application()
        application.add_routes([*self.health(), *self.metrics()])
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await _listen(runner, host, port)
            log.info("metrics.listening", host=host, port=port)
            yield
        finally:
            await runner.cleanup()

    async def _health(self, _request: web.Request) -> web.StreamResponse:
        return web.Response(text="up\n")

    async def _readiness(self, _request: web.Request) -> web.StreamResponse:
        if self._draining:
            return _not_ready("draining")
        try:
            await asyncio.wait_for(self._ready(), _READY_SECONDS)
        except (StoreError, TimeoutError):
            return _not_ready("database")
        if not self._placed():
            return _not_ready("replica")
        return web.Response(text="ready\n")

    async def _show_metrics(self, _request: web.Request) -> web.StreamResponse:
        return web.Response(body=await self._metrics(), headers={"Content-Type": CONTENT_TYPE_LATEST})


async def _listen(runner: web.AppRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise BadSettings(f"PARLEY_METRICS_PORT: {host}:{port} cannot be used: {error}.") from error


def _not_ready(why: str) -> web.Response:
    return web.Response(status=503, text=f"{why}\n")
