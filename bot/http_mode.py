"""HTTP mode: what Slack sends is let in only if Slack has signed it, and acked only once it is written down."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from urllib.parse import parse_qs

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.signature import Clock, SignatureVerifier

from bot.grace import Grace
from bot.oauth import INSTALL, REDIRECT

log = structlog.get_logger()

EVENTS = "/slack/events"
_LARGEST_BODY = 1_000_000
_READ_SECONDS = 10.0
_DRAIN_SECONDS = 3.0  # Slack waits no longer for an answer
_HANG_UP_SECONDS = 0.5  # for what is not known to be of Slack
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"
_OBJECTS = ("channel", "event", "message", "team", "user", "view")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class SignatureCheck:
    """By Slack's SDK, which raises on what is not even a number or a text."""

    def __init__(self, secret: str, now: Callable[[], float]) -> None:
        clock = Clock()
        clock.now = now  # type: ignore[method-assign]
        self._verifier = SignatureVerifier(secret, clock)

    def passes(self, body: bytes, timestamp: str, signature: str) -> bool:
        try:
            return self._verifier.is_valid(body, timestamp, signature)
        except (ValueError, TypeError):
            return False


class Door:
    """`draining` is called when nobody more is let in; `beside` are routes of other things that the port serves."""

    def __init__(
        self,
        app: AsyncApp,
        check: SignatureCheck,
        grace: Grace,
        *,
        flow: AsyncOAuthFlow | None,
        beside: Iterable[web.RouteDef] = (),
        draining: Callable[[], None] = lambda: None,
    ) -> None:
        self._app, self._check, self._grace, self._flow, self._beside = app, check, grace, flow, beside
        self._say_draining, self._draining = draining, False
        self._answering = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @asynccontextmanager
    async def open(self, host: str, port: int) -> AsyncIterator[int]:
        """Listen, and give the port; at the end let nobody more in, finish what is being answered, and close."""
        application = web.Application(middlewares=[_without_traceback], client_max_size=_LARGEST_BODY)
        application.router.add_post(EVENTS, self._from_slack)
        application.add_routes(self._beside)
        if self._flow:
            application.router.add_get(INSTALL, self._page(self._flow.handle_installation))
            application.router.add_get(REDIRECT, self._page(self._flow.handle_callback))
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=_HANG_UP_SECONDS)
        await runner.setup()
        try:
            site = web.TCPSite(runner, host, port)
            await site.start()
            yield int(runner.addresses[0][1])
            await self._drain(site)
        finally:
            await runner.cleanup()

    async def _drain(self, site: web.TCPSite) -> None:
        """Over connections that are open, something may still come: once it is written down, somebody deals with it."""
        self._draining = True
        self._say_draining()
        await site.stop()
        try:
            async with asyncio.timeout(min(_DRAIN_SECONDS, self._grace.left())):
                await self._idle.wait()
        except TimeoutError:
            log.warning("http.not_drained", left=self._answering)  # unacked, so Slack delivers it again

    @contextmanager
    def _answered(self) -> Iterator[None]:
        """It is waited for at the end: so not what a stranger can draw out."""
        self._answering += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._answering -= 1
            if not self._answering:
                self._idle.set()

    async def _from_slack(self, request: web.Request) -> web.StreamResponse:
        response = await self._answer(request)
        if self._draining:
            response.force_close()  # whoever has more to send is to go elsewhere with it
        return response

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        timestamp, signature = (
            request.headers.get(f"X-Slack-{name}", "") for name in ("Request-Timestamp", "Signature")
        )
        if not timestamp or not signature:
            return _refusal(401, "not signed")
        try:
            body = await asyncio.wait_for(request.read(), _READ_SECONDS)
        except (TimeoutError, ConnectionError):
            return _refusal(408, "the body did not come")
        if not self._check.passes(body, timestamp, signature):
            return _refusal(401, "the signature is wrong, or too old")
        with self._answered():
            return await self._take(request, body)

    async def _take(self, request: web.Request, body: bytes) -> web.StreamResponse:
        if request.content_type not in (_JSON, _FORM):
            return _refusal(415, f"neither {_JSON} nor {_FORM}")
        text = body.decode()  # the signature could be checked, so it can be read
        if not _is_understood(text, request.content_type):
            return _refusal(400, "the body is malformed")
        try:
            # Of the headers Bolt needs no other, and the signature does not cover them.
            asked = AsyncBoltRequest(body=text, headers={"content-type": request.content_type})
        except (AttributeError, KeyError, TypeError):  # it looks for ids in it, wherever Slack may put them
            return _refusal(400, "the body is malformed")
        return await to_aiohttp_response(await self._app.async_dispatch(asked))

    def _page(self, handle: Callable[[AsyncBoltRequest], Awaitable[BoltResponse]]) -> Handler:
        async def show(request: web.Request) -> web.StreamResponse:
            asked = AsyncBoltRequest(body="", query=request.query_string, headers=dict(request.headers))
            with self._answered():
                page = await to_aiohttp_response(await handle(asked))
            page.headers["Cache-Control"] = "no-store"  # what is in it is good once
            return page

        return show


def _is_understood(text: str, kind: str) -> bool:
    """Whether Bolt can make something of it: an object in JSON, or a form that has one as its payload."""
    try:
        form = parse_qs(text, strict_parsing=True) if kind == _FORM else {}
        if "ssl_check" in form:
            return True
        body = json.loads(form["payload"][0] if kind == _FORM else text)
    except (ValueError, KeyError, RecursionError):
        return False
    if not isinstance(body, dict) or not isinstance(body.get("type"), str):
        return False
    if not all(isinstance(body.get(name) or {}, dict) for name in _OBJECTS):
        return False
    return isinstance((body.get("event") or {}).get("type", ""), str)


def _refusal(status: int, why: str) -> web.Response:
    return web.Response(status=status, text=f"{why}\n")


@web.middleware
async def _without_traceback(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPException as refused:
        return _refusal(refused.status, refused.reason)
    except Exception:  # the outermost loop: whoever asked learns that it failed, and we learn where
        log.exception("http.failed", path=request.path)
        return _refusal(500, "it failed")
