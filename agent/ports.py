"""What a turn needs from outside, as protocols: a model to ask, and someone who watches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agent.core.asks import Beaten
from agent.core.states import State
from agent.core.transcript import Message, Placed, ToolCall
from agent.core.values import Frozen


class ThreadKey(Frozen):
    """One conversation, by its root message. A sub-agent has its parent's, and the call that made it."""

    team: str
    channel: str
    root: str
    call_id: str = ""
    number: int = 0


@dataclass(frozen=True)
class Recorded:
    """An event that is in the journal now, the state after it, and the answers in it that came second."""

    state: State
    beaten: tuple[Beaten, ...] = ()


@dataclass(frozen=True)
class Conversation:
    """What the model is to read, how long it is as JSON, and the state it was read in."""

    state: State
    placed: list[Placed]
    size: int = 0


@dataclass(frozen=True)
class Card:
    """Something a front end shows in a thread: where it stands (`ts`), and a digest of what it shows.

    One that waits for people is open; its title and ending are what lists of questions and decisions say.
    """

    name: str
    ts: str
    digest: str
    at: float
    is_open: bool = False
    title: str = ""
    ending: str = ""
    remind_at: float | None = None
    expire_at: float | None = None


@dataclass(frozen=True)
class RawCall:
    """A tool call exactly as the model sent it; `arguments` may be anything."""

    name: str
    arguments: str


@dataclass(frozen=True)
class Reply:
    """A whole model reply. `cut` if it ended at the length limit."""

    text: str = ""
    calls: tuple[RawCall, ...] = ()
    cut: bool = False


class Stream(Protocol):
    """Gets a reply's text while it is written."""

    def text(self, delta: str) -> None: ...

    def restarted(self) -> None:
        """What came so far is void: the stream broke and the reply begins anew."""


class Model(Protocol):
    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]] = (),
        *,
        may_call: bool = True,
        stream: Stream | None = None,
    ) -> Reply:
        """One reply to the whole conversation; raises ModelError when there is none to be had."""


class Watcher(Protocol):
    """A front end's live view of a thread. It may miss things, and it decides nothing."""

    def text(self, thread: ThreadKey, delta: str) -> None: ...

    def restarted(self, thread: ThreadKey) -> None: ...

    def tool_started(self, thread: ThreadKey, call: ToolCall) -> None: ...

    def tool_finished(self, thread: ThreadKey, call: ToolCall, failed: bool) -> None: ...

    def changed(self, thread: ThreadKey, state: State) -> None:
        """The thread's journal grew; `state` is what it is doing now."""


class NoWatcher:
    """Nobody is looking."""

    def text(self, thread: ThreadKey, delta: str) -> None: ...

    def restarted(self, thread: ThreadKey) -> None: ...

    def tool_started(self, thread: ThreadKey, call: ToolCall) -> None: ...

    def tool_finished(self, thread: ThreadKey, call: ToolCall, failed: bool) -> None: ...

    def changed(self, thread: ThreadKey, state: State) -> None: ...
