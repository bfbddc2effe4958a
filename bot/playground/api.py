"""The Web API's door: who calls, what they may, what they get, and the record of it."""

import json
from typing import Any

from aiohttp import web

from bot.playground import chat, conversations, directory, modals, sessions, streams
from bot.playground.core import Core
from bot.playground.faults import Fault
from bot.playground.methods import Args, Method, Methods
from bot.playground.refusal import Refused
from bot.playground.workspace import Json

METHODS: Methods = {
    **chat.METHODS,
    **conversations.METHODS,
    **directory.METHODS,
    **modals.METHODS,
    **sessions.METHODS,
    **streams.METHODS,
}


# Methods that only read take their arguments from the query or a form; of JSON they see nothing.
_NO_JSON = frozenset(
    {
        *("bots.info", "chat.getPermalink", "conversations.history", "conversations.info", "conversations.members"),
        *("conversations.replies", "files.info", "team.info", "users.info", "usergroups.users.list"),
    }
)


class Api:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One call: the planned faults first, then Slack's own rules."""
        name = request.match_info["method"]
        try:
            given, token = await _read(request)
        except ValueError:
            return self._answer(name, {}, {"ok": False, "error": "invalid_json"}, 200, {})
        fault = self._core.faults.next(name)
        if fault:
            self._core.changed()  # it is no longer ahead, even if the call has yet to wait
            await self._wait(fault)
        if fault and fault.fails and not fault.after:
            return self._fail(request, name, given, fault)
        answer, status, headers = self._call(name, given, token)
        if fault and fault.fails:
            return self._fail(request, name, given, fault)
        return self._answer(name, given, answer, status, headers)

    async def _wait(self, fault: Fault) -> None:
        if fault.delay:
            await self._core.clock.sleep(fault.delay)
        if fault.gate:
            await fault.gate.pass_through()

    def _call(self, name: str, given: Json, token: str) -> tuple[Json, int, dict[str, str]]:
        headers: dict[str, str] = {}
        wait = self._core.rates.wait(name, str(given.get("channel", "")))
        if wait is not None:
            return {"ok": False, "error": "ratelimited"}, 429, {"Retry-After": str(wait)}
        try:
            method = self._allowed(name, token)
            headers["x-oauth-scopes"] = ",".join(sorted(self._core.app.scopes))
            if method.scope:
                headers["x-accepted-oauth-scopes"] = method.scope
                self._core.need(method.scope)
            return {"ok": True, **method.act(self._core, Args(given))}, 200, headers
        except Refused as refused:
            return {"ok": False, "error": refused.error, **refused.answer}, 200, headers

    def _allowed(self, name: str, token: str) -> Method:
        if name not in METHODS:
            raise Refused("unknown_method", req_method=name)
        if not token:
            raise Refused("not_authed")
        if token not in (self._core.app.bot_token, self._core.app.app_token):
            raise Refused("invalid_auth")
        method = METHODS[name]
        if method.app_level != (token == self._core.app.app_token):
            raise Refused("not_allowed_token_type")
        return method

    def _fail(self, request: web.Request, name: str, given: Json, fault: Fault) -> web.StreamResponse:
        if fault.drop:
            self._core.called(name, given, "dropped", 0, {})
            if request.transport:
                request.transport.close()
            return web.Response()
        headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
        answer = {"ok": False, "error": fault.error or "internal_error"}
        return self._answer(name, given, answer, fault.status, headers)

    def _answer(self, name: str, given: Json, answer: Json, status: int, headers: dict[str, str]) -> web.StreamResponse:
        self._core.called(name, given, answer.get("error"), status, answer)
        return web.json_response(answer, status=status, headers=headers)


async def _read(request: web.Request) -> tuple[Json, str]:
    """The arguments and the token, from wherever they were sent."""
    given: dict[str, Any] = dict(request.query)
    if request.content_type == "application/json" and request.match_info["method"] not in _NO_JSON:
        body = json.loads(await request.text() or "{}")
        given |= body if isinstance(body, dict) else {}
    elif request.method == "POST":
        given |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    in_body = str(given.pop("token", ""))
    return given, token.strip() if scheme.lower() == "bearer" else in_body
