"""Several workspaces on one local Slack, and the app's way into each: OAuth, and out again."""

import base64
import uuid
from dataclasses import dataclass, field
from urllib.parse import urlencode

from aiohttp import web

from bot.playground.api import Api
from bot.playground.core import App, Core
from bot.playground.http_delivery import HttpHub, deliver_over_http
from bot.playground.seed import BOT, HOME, new_workspace
from bot.playground.workspace import Json, Team, Workspace

CODE_SECONDS = 600
CLIENT_ID, CLIENT_SECRET = "1111.2222", "local-client-secret"


@dataclass
class Code:
    """What a person brings back to the app once they have agreed."""

    team: str
    redirect_uri: str
    scopes: str
    expires_at: float


@dataclass
class Installs:
    """Which workspaces there are, and whose token is whose. `org_wide` lets whoever installs choose everything."""

    cores: dict[str, Core]
    revoked: set[str] = field(default_factory=set)
    codes: dict[str, Code] = field(default_factory=dict)
    org_wide: bool = False

    def routes(self) -> list[web.RouteDef]:
        """They go before the Web API's own, which knows only the home workspace's tokens."""
        return [
            web.get("/oauth/v2/authorize", self.authorize),
            web.post("/api/oauth.v2.access", self.access),
            web.route("*", "/api/auth.revoke", self.revoke),
            web.route("*", "/api/{method}", self.call),
        ]

    def add(self, team: Team) -> Core:
        """Another workspace: the same people and channels by the same ids, and a bot user of its own."""
        home = next(iter(self.cores.values()))
        app = App(f"{home.app.secret}-{team.id}", home.app.scopes, home.app.events, home.app.is_agent)
        core = Core(_copy_for(team), home.clock, app, home.url)
        if isinstance(home.hub, HttpHub):
            deliver_over_http(core, home.hub.request_url, home.hub.signing_secret)
        self.cores[team.id] = core
        return core

    def of(self, team: str) -> Core:
        return self.cores.get(team) or next(iter(self.cores.values()))

    async def call(self, request: web.Request) -> web.StreamResponse:
        """The Web API, for whichever workspace the token is of."""
        token = request.headers.get("Authorization", "").partition(" ")[2]
        owner = next((core for core in self.cores.values() if core.app.bot_token == token), self.of(""))
        if token in self.revoked:
            return _recorded(owner, request.match_info["method"], {"ok": False, "error": "account_inactive"})
        return await Api(owner).serve(request)

    async def authorize(self, request: web.Request) -> web.StreamResponse:
        """The page that asks for consent, whose reader agrees at once, for the workspace that `team` names."""
        asked = request.query
        if asked.get("client_id") != CLIENT_ID or not asked.get("scope"):
            return web.Response(status=400, text="invalid_client_id or invalid_scope")
        core = self.of(asked.get("team", ""))
        code = uuid.uuid4().hex
        given = Code(
            core.workspace.team.id, asked.get("redirect_uri", ""), asked["scope"], core.clock.now() + CODE_SECONDS
        )
        self.codes[code] = given
        back = urlencode({"code": code, "state": asked.get("state", "")})
        return web.Response(status=302, headers={"Location": f"{given.redirect_uri}?{back}"})

    async def access(self, request: web.Request) -> web.StreamResponse:
        """oauth.v2.access: a code for a token, once."""
        form = {name: str(value) for name, value in (await request.post()).items()}
        return _recorded(self.of(""), "oauth.v2.access", self._exchange(form, _client(request, form)))

    def _exchange(self, form: Json, client: tuple[str, str]) -> Json:
        if client != (CLIENT_ID, CLIENT_SECRET):
            return {"ok": False, "error": "bad_client_secret" if client[0] == CLIENT_ID else "invalid_client_id"}
        code = self.codes.pop(form.get("code", ""), None)
        if code is None or self.of("").clock.now() >= code.expires_at:
            return {"ok": False, "error": "invalid_code"}
        if code.redirect_uri != form.get("redirect_uri", ""):
            return {"ok": False, "error": "bad_redirect_uri"}
        return self._install(self.of(code.team), code.scopes)

    def _install(self, core: Core, scopes: str) -> Json:
        space = core.workspace
        if core.app.bot_token in self.revoked:
            core.app.secret = f"local-{space.team.id}-{uuid.uuid4().hex[:8]}"
        home = self.of("")
        core.app.events = core.app.events or home.app.events
        team = None if self.org_wide else {"id": space.team.id, "name": space.team.name}
        enterprise = {"id": "E0LOCAL00", "name": "Local Org"} if self.org_wide else None
        who: Json = {"app_id": space.app_id, "bot_user_id": space.bot_user_id, "authed_user": {"id": "U0ANNAAAA"}}
        what = {"access_token": core.app.bot_token, "token_type": "bot", "scope": scopes}
        return {
            "ok": True,
            **who,
            **what,
            "team": team,
            "enterprise": enterprise,
            "is_enterprise_install": self.org_wide,
        }

    async def revoke(self, request: web.Request) -> web.StreamResponse:
        """auth.revoke: the app gives its own token back."""
        token = request.headers.get("Authorization", "").partition(" ")[2]
        for core in self.cores.values():
            if core.app.bot_token == token and token not in self.revoked:
                self.take_token(core)
                return web.json_response({"ok": True, "revoked": True})
        return web.json_response({"ok": False, "error": "invalid_auth"})

    def take_token(self, core: Core, *, tell: bool = True) -> None:
        """The token is no longer good, and the app is told so, if it is."""
        self.revoked.add(core.app.bot_token)
        if tell:
            self._tell(core, "tokens_revoked", tokens={"oauth": [], "bot": [core.workspace.bot_user_id]})

    def uninstall(self, core: Core) -> None:
        """The app is removed: it is told so twice, and hears nothing more from there."""
        self.take_token(core)
        self._tell(core, "app_uninstalled")
        core.app.events = frozenset()

    def _tell(self, core: Core, kind: str, **more: object) -> None:
        if kind not in core.app.events:
            return
        space = core.workspace
        ids = {"team_id": space.team.id, "api_app_id": space.app_id, "event_id": space.new_id("Ev0")}
        event = {"type": kind, "event_ts": core.now_ts(), **more}
        about = {"type": "event_callback", "token": "obsolete", "event_time": int(core.clock.now())}
        core.hub.event({**about, **ids, "event": event})


def _copy_for(team: Team) -> Workspace:
    space, bot = new_workspace(), f"U0BOT{team.id[-4:]}"
    space.team, space.bot_user_id, space.bot_id = team, bot, f"B0BOT{team.id[-4:]}"
    space.teams = {team.id: team}
    for user in space.users.values():
        user.team_id = team.id if user.team_id == HOME.id else user.team_id
        user.id = bot if user.id == BOT else user.id
    space.users = {user.id: user for user in space.users.values()}
    for channel in space.channels.values():
        channel.members = [bot if member == BOT else member for member in channel.members]
    return space


def _recorded(core: Core, method: str, answer: Json) -> web.StreamResponse:
    core.called(method, {}, answer.get("error"), 200, answer)
    return web.json_response(answer)


def _client(request: web.Request, form: Json) -> tuple[str, str]:
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    if scheme == "Basic":
        name, _, secret = base64.b64decode(credentials).decode().partition(":")
        return name, secret
    return form.get("client_id", ""), form.get("client_secret", "")
