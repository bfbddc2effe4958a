"""What can reach us from Slack, as values that can be written down before the ack."""

import json
from abc import ABC, abstractmethod
from typing import ClassVar

from agent.core.values import Frozen, Text
from agent.ports import ThreadKey


class Inbound(Frozen, ABC):
    """Something that reached us."""

    kind: ClassVar[str]
    team: str
    user: str

    @property
    @abstractmethod
    def key(self) -> tuple[str, ...]:
        """The same for every delivery of it."""

    def dump(self) -> str:
        """As JSON, for `load`."""
        return json.dumps({"kind": self.kind, **self.model_dump(mode="json", exclude_defaults=True)})


class File(Frozen):
    id: Text
    name: Text = ""
    mimetype: Text = ""
    size: int = 0
    url_private: Text = ""


class Said(Inbound):
    """Someone wrote a message; `addressed` if to the bot, by a mention or directly."""

    kind: ClassVar[str] = "said"
    channel: str
    ts: str
    thread_ts: str | None = None
    user_team: str = ""
    text: Text = ""
    addressed: bool = False
    direct: bool = False
    external: bool = False  # of another organisation, or it cannot be known
    files: tuple[File, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        return (self.kind, self.team, self.channel, self.ts)

    @property
    def thread(self) -> ThreadKey:
        return ThreadKey(team=self.team, channel=self.channel, root=self.thread_ts or self.ts)


class ByUser(Inbound):
    """Someone used a button or a modal."""

    user_team: str = ""
    user_name: Text = ""
    trigger_id: str = ""

    @property
    def external(self) -> bool:
        return bool(self.user_team) and self.user_team != self.team  # else only users.info can say


class Click(ByUser):
    """A button of a message. `call_id` is the ask or the approval that it belongs to."""

    channel: str
    message_ts: str
    thread_ts: str | None = None
    action_id: str
    action_ts: str
    call_id: Text = ""

    @property
    def key(self) -> tuple[str, ...]:
        pressed = (self.action_id, self.action_ts, self.trigger_id)
        return ("click", self.team, self.channel, self.message_ts, self.user, *pressed)

    @property
    def thread(self) -> ThreadKey:
        return ThreadKey(team=self.team, channel=self.channel, root=self.thread_ts or self.message_ts)


class Picked(Frozen):
    """What one person filled in for one question: option numbers, and words."""

    chosen: tuple[int, ...] = ()
    text: Text = ""


class Submitted(Click):
    """Only what was filled in, by question number, in the newest revision of the form."""

    kind: ClassVar[str] = "submitted"
    choices: dict[int, Picked] = {}  # noqa: RUF012 (pydantic copies it)


class Skipped(Click):
    kind: ClassVar[str] = "skipped"


class Cancelled(Click):
    kind: ClassVar[str] = "cancelled"


class Decided(Click):
    kind: ClassVar[str] = "decided"
    approved: bool
    reason: Text = ""


class DetailsWanted(Click):
    """The whole of an ask or an approval is wanted, in a modal."""

    kind: ClassVar[str] = "details"


class Unknown(Click):
    """A button that is none of ours, or no longer: whoever pressed it deserves a sentence (`ids.UnknownId.shown`)."""

    kind: ClassVar[str] = "unknown"


class StopPressed(Inbound):
    """Slack's own Stop; it has ended the streams it names already."""

    kind: ClassVar[str] = "stop"
    channel: str
    thread_ts: str
    ts: str
    streams: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        return (self.kind, self.team, self.channel, self.thread_ts, self.ts)

    @property
    def thread(self) -> ThreadKey:
        return ThreadKey(team=self.team, channel=self.channel, root=self.thread_ts)


class HomeOpened(Inbound):
    kind: ClassVar[str] = "home"
    ts: str

    @property
    def key(self) -> tuple[str, ...]:
        return (self.kind, self.team, self.user, self.ts)


class Uninstalled(Inbound):
    """Parley was removed from a workspace, or its token there revoked; `ts` is Slack's name for having said so."""

    kind: ClassVar[str] = "uninstalled"
    ts: str

    @property
    def key(self) -> tuple[str, ...]:
        return (self.kind, self.team, self.ts)


class CancelOrdered(Inbound):
    """Whoever runs Parley cancels, from the command line, something that waits for people; `at` is when."""

    kind: ClassVar[str] = "cancel_ordered"
    thread: ThreadKey
    call_id: str
    at: float

    @property
    def key(self) -> tuple[str, ...]:
        return ("operator", self.thread.team, self.thread.channel, self.thread.root, self.call_id, str(self.at))


_CLICKS = (Submitted, Skipped, Cancelled, Decided, DetailsWanted, Unknown)
_OTHERS = (StopPressed, HomeOpened, Uninstalled, CancelOrdered)
_KINDS: dict[str, type[Inbound]] = {k.kind: k for k in (Said, *_CLICKS, *_OTHERS)}


def load(dumped: str) -> Inbound:
    """What `dump` wrote."""
    fields = json.loads(dumped)
    return _KINDS[fields.pop("kind")].model_validate(fields)
