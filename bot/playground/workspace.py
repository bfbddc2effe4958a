"""The workspace: teams, people, channels, messages, files and views, all plain data."""

import base64
from dataclasses import dataclass, field
from typing import Any, Literal

from bot.playground import looking

Json = dict[str, Any]
Values = dict[str, dict[str, Json]]  # block_id -> action_id -> what is filled in
Kind = Literal["channel", "group", "im"]


@dataclass
class Team:
    id: str
    name: str
    domain: str


@dataclass
class User:
    id: str
    name: str
    real_name: str
    team_id: str
    is_admin: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_stranger: bool = False
    is_bot: bool = False
    deleted: bool = False
    tz: str = "Europe/Berlin"
    display_name: str = ""  # the short name, unless they chose another


@dataclass
class UserGroup:
    id: str
    handle: str
    users: list[str]


@dataclass
class Channel:
    id: str
    name: str
    kind: Kind
    members: list[str]
    is_ext_shared: bool = False


@dataclass
class File:
    id: str
    name: str
    mimetype: str
    user: str
    created: int
    content: str  # base64, so that it can be written down as JSON

    @property
    def data(self) -> bytes:
        return base64.b64decode(self.content)


@dataclass
class Stream:
    """A message that is still being written, and how."""

    expires_at: float
    display: str = "timeline"
    mode: Literal["", "markdown_text", "chunks"] = ""
    ended: Literal["", "stopped", "stopped_by_user", "expired"] = ""
    text: str = ""
    plan: str = ""
    tasks: list[Json] = field(default_factory=list)
    blocks: list[Json] = field(default_factory=list)


@dataclass
class Message:
    """A message as it is shown now; `forms` is what each person has filled in but not sent."""

    channel: str
    ts: str
    user: str
    text: str
    blocks: list[Json] = field(default_factory=list)
    thread_ts: str | None = None
    by_app: bool = False
    name: str | None = None
    subtype: str | None = None
    metadata: Json | None = None
    files: list[str] = field(default_factory=list)
    edited_ts: str | None = None
    only_for: str | None = None
    stream: Stream | None = None
    forms: dict[str, Values] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """Everything that can be read in it."""
        return looking.words(self.blocks) if self.blocks else self.text

    @property
    def buttons(self) -> list[str]:
        return [button["text"]["text"] for button in looking.buttons(self.blocks)]


@dataclass
class View:
    id: str
    user: str
    type: str
    body: Json
    hash: str
    root_id: str
    previous_id: str | None = None
    external_id: str = ""
    values: Values = field(default_factory=dict)

    @property
    def blocks(self) -> list[Json]:
        blocks: list[Json] = self.body["blocks"]
        return blocks

    @property
    def words(self) -> str:
        return looking.words(self.blocks)

    @property
    def buttons(self) -> list[str]:
        return [button["text"]["text"] for button in looking.buttons(self.blocks)]


@dataclass
class Status:
    text: str
    loading_messages: list[str]
    expires_at: float


@dataclass
class Session:
    status: str
    title: str
    initiator: str | None


@dataclass
class Waiting:
    """An event that the app has not acknowledged."""

    payload: Json
    attempt: int


@dataclass
class ResponseUrl:
    user: str
    channel: str
    message_ts: str
    expires_at: float
    left: int = 5


@dataclass
class Trigger:
    user: str
    expires_at: float
    used: bool = False


@dataclass
class Workspace:
    """Everything this Slack knows; nothing in it but data."""

    team: Team
    app_id: str
    bot_id: str
    bot_user_id: str
    teams: dict[str, Team] = field(default_factory=dict)
    users: dict[str, User] = field(default_factory=dict)
    groups: dict[str, UserGroup] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    messages: dict[str, dict[str, Message]] = field(default_factory=dict)
    threads: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    private: list[Message] = field(default_factory=list)
    files: dict[str, File] = field(default_factory=dict)
    homes: dict[str, View] = field(default_factory=dict)
    modals: dict[str, list[View]] = field(default_factory=dict)
    statuses: dict[str, dict[str, Status]] = field(default_factory=dict)
    sessions: dict[str, dict[str, Session]] = field(default_factory=dict)
    waiting: dict[str, Waiting] = field(default_factory=dict)
    response_urls: dict[str, ResponseUrl] = field(default_factory=dict)
    triggers: dict[str, Trigger] = field(default_factory=dict)
    last_ts: int = 0
    last_id: int = 0

    def new_id(self, prefix: str) -> str:
        self.last_id += 1
        return f"{prefix}{self.last_id:08X}"

    def new_ts(self, now: float) -> str:
        """A timestamp later than every other one, as messages are known by them."""
        self.last_ts = max(int(now * 1_000_000), self.last_ts + 100)
        return f"{self.last_ts // 1_000_000}.{self.last_ts % 1_000_000:06d}"

    def message(self, channel: str, ts: str) -> Message | None:
        return self.messages.get(channel, {}).get(ts)

    def add(self, message: Message) -> Message:
        self.messages.setdefault(message.channel, {})[message.ts] = message
        if message.thread_ts:
            self.threads.setdefault(message.channel, {}).setdefault(message.thread_ts, []).append(message.ts)
        return message

    def replies(self, channel: str, ts: str) -> list[Message]:
        here = self.messages.get(channel, {})
        return [here[reply] for reply in self.threads.get(channel, {}).get(ts, ()) if reply in here]

    def im(self, user: str) -> Channel:
        """The direct messages between the app and this person; it is there as soon as it is asked for."""
        for channel in self.channels.values():
            if channel.kind == "im" and user in channel.members:
                return channel
        channel = Channel(self.new_id("D0"), "", "im", [user, self.bot_user_id])
        self.channels[channel.id] = channel
        return channel
