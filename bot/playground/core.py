"""What every part of this Slack shares: the workspace, the time, the app's settings, and who waits for a change."""

import asyncio
from dataclasses import dataclass, field

from bot.playground.clock import Clock
from bot.playground.faults import Faults
from bot.playground.rates import Rates
from bot.playground.refusal import Refused
from bot.playground.socket import Hub
from bot.playground.workspace import Channel, Json, Message, User, Workspace

SCOPES = frozenset(
    {
        "app_mentions:read", "assistant:write", "channels:history", "channels:read", "chat:write", "files:read",
        "groups:history", "groups:read", "im:history", "im:read", "im:write", "team:read", "usergroups:read",
        "users:read",
    }
)  # fmt: skip
EVENTS = frozenset(
    {
        "agent_session_stopped", "app_home_opened", "app_mention", "message.channels", "message.groups",
        "message.im",
    }
)  # fmt: skip
HISTORY = {"channel": "channels:history", "group": "groups:history", "im": "im:history"}


@dataclass
class App:
    """The app's settings, as its manifest would have them."""

    bot_token: str = "xoxb-local-bot-token"
    app_token: str = "xapp-1-local-app-token"
    scopes: frozenset[str] = SCOPES
    events: frozenset[str] = EVENTS
    is_agent: bool = True
    streaming_refused: str | None = None  # the error chat.startStream gives, as on a plan without it


@dataclass(frozen=True)
class Call:
    """One call of the Web API, for the record."""

    method: str
    args: Json
    error: str | None
    status: int
    at: float

    @property
    def ok(self) -> bool:
        return self.error is None


@dataclass
class Core:
    workspace: Workspace
    clock: Clock
    app: App
    url: str = ""
    calls: list[Call] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)

    def __post_init__(self) -> None:
        self.hub = Hub(self.workspace, self.clock, self.changed)
        self.rates = Rates(self.clock)
        self._waiters: list[asyncio.Future[None]] = []

    def changed(self) -> None:
        """Something can be seen now that could not be seen before."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def next_change(self, at_most: float) -> None:
        """Wait for the next change, but not longer than this."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await asyncio.wait([waiter], timeout=at_most)
        if not waiter.done():
            self._waiters.remove(waiter)

    def now_ts(self) -> str:
        return self.workspace.new_ts(self.clock.now())

    def user(self, user_id: str) -> User:
        if user_id not in self.workspace.users:
            raise Refused("user_not_found")
        return self.workspace.users[user_id]

    def channel(self, channel_id: str, *, joined: bool = True) -> Channel:
        """A channel the app can see and, unless said otherwise, is in."""
        channel = self.workspace.channels.get(channel_id)
        inside = channel is not None and self.workspace.bot_user_id in channel.members
        if channel is None or (channel.kind != "channel" and not inside):
            raise Refused("channel_not_found")
        if joined and not inside:
            raise Refused("not_in_channel")
        return channel

    def need(self, scope: str) -> None:
        if scope not in self.app.scopes:
            raise Refused("missing_scope", needed=scope, provided=",".join(sorted(self.app.scopes)))

    def readable(self, channel_id: str) -> Channel:
        """A channel whose messages the app may read."""
        channel = self.channel(channel_id)
        self.need(HISTORY[channel.kind])
        return channel

    def root(self, channel: Channel, thread_ts: str) -> Message:
        """The message that a thread hangs on."""
        whole, _, part = thread_ts.partition(".")
        if not (whole.isdecimal() and part.isdecimal()):
            raise Refused("invalid_thread_ts")
        message = self.workspace.message(channel.id, thread_ts)
        if message is None:
            raise Refused("thread_not_found")
        if message.thread_ts not in (None, message.ts):
            raise Refused("invalid_thread_ts")  # a reply is not the root of a thread
        return message
