"""What every part of this Slack shares: the workspace, the time, the app's settings, and who waits for a change."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.playground.clock import Clock
from bot.playground.drawn import Drawn
from bot.playground.faults import Faults
from bot.playground.rates import Rates
from bot.playground.record import Record
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
        "agent_session_stopped", "app_home_opened", "app_mention", "app_uninstalled", "message.channels",
        "message.groups", "message.im", "tokens_revoked",
    }
)  # fmt: skip
HISTORY = {"channel": "channels:history", "group": "groups:history", "im": "im:history"}


@dataclass
class App:
    """The app's settings, as its manifest would have them."""

    secret: str = "local"  # whoever knows it can act as the app
    scopes: frozenset[str] = SCOPES
    events: frozenset[str] = EVENTS
    is_agent: bool = True
    streaming_refused: str | None = None  # the error chat.startStream gives, as on a plan without it

    @property
    def bot_token(self) -> str:
        return f"xoxb-{self.secret}-bot-token"

    @property
    def app_token(self) -> str:
        return f"xapp-1-{self.secret}-app-token"


@dataclass
class Core:
    workspace: Workspace
    clock: Clock
    app: App
    url: str = ""
    record: Record = field(default_factory=Record)
    faults: Faults = field(default_factory=Faults)
    save: Callable[[], None] = lambda: None  # called before anybody is told what has happened

    def __post_init__(self) -> None:
        self.hub = Hub(self.workspace, self.clock, self.record, self.changed, lambda: self.save())
        self.rates = Rates(self.clock)
        self.drawn = Drawn()
        self._waiters: list[asyncio.Future[None]] = []
        self._watchers: list[Callable[[], None]] = []

    def called(self, method: str, args: Json, error: str | None, status: int, answer: Json) -> None:
        """The app called, and this is what it is told."""
        self.record.call(method, args, error, status, self.clock.now(), answer)
        self.changed()

    def on_change(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Have this called at every change; what comes back ends it."""
        self._watchers.append(wake)
        return lambda: self._watchers.remove(wake)

    def changed(self) -> None:
        """Something can be seen now that could not be seen before."""
        for wake in self._watchers:
            wake()
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
