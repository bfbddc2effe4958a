"""What a turn needs from outside, as protocols: a model to ask, someone who watches, and someone who measures."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from agent.core.asks import Beaten
from agent.core.states import State
from agent.core.transcript import Placed, ToolCall
from agent.core.values import Frozen


class ThreadKey(Frozen):
    """One conversation, by its root message. A sub-agent has its parent's, and the call that made it."""

    team: str
    channel: str
    root: str
    call_id: str = ""
    number: int = 0

    @property
    def parent(self) -> "ThreadKey":
        """The conversation that people see; of one that is no sub-agent's, itself."""
        return self.model_copy(update={"call_id": "", "number": 0})


# Whose a thread is after something was recorded in it: ours; ours now, and perhaps not wholly shown; another's.
Held = Literal["ours", "taken", "theirs"]


@dataclass(frozen=True)
class Recorded:
    """An event that is in the journal now, the state after it, and the answers in it that came second."""

    state: State
    beaten: tuple[Beaten, ...] = ()
    held: Held = "ours"


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


What = Literal["turn", "model", "tool", "slack", "delivery"]
Occurrence = Literal["received", "limited", "committed"]
Fact = str | int | float | bool | ThreadKey


class Doing(Protocol):
    def note(self, **facts: Fact) -> None:
        """What is known of it only now; without an `outcome`, how it ends says whether it went well."""


class Meter(Protocol):
    """Measures what is done here and how it goes. It decides nothing, and costs next to nothing.

    Of what it is told, only `thread` is about someone: that is never to leave as it is.
    """

    def doing(self, what: What, *, since: float | None = None, **facts: Fact) -> AbstractContextManager[Doing]:
        """Something is under way, from now on or since then (by time.perf_counter), until the context ends."""

    def happened(self, what: Occurrence, **facts: Fact) -> None: ...


class NoMeter:
    """Nobody measures."""

    def doing(self, what: What, *, since: float | None = None, **facts: Fact) -> "NoMeter":
        return self

    def happened(self, what: Occurrence, **facts: Fact) -> None: ...

    def note(self, **facts: Fact) -> None: ...

    def __enter__(self) -> "NoMeter":
        return self

    def __exit__(self, *_: object) -> None: ...


class Stream(Protocol):
    """Gets a reply's text while it is written."""

    def text(self, delta: str, so_far: str) -> None:
        """The newest piece, and all that is written by now."""

    def restarted(self) -> None:
        """What came so far is void: the stream broke and the reply begins anew."""


class Model(Protocol):
    async def reply(
        self,
        messages: Sequence[str],
        tools: Sequence[dict[str, Any]] = (),
        *,
        may_call: bool = True,
        stream: Stream | None = None,
    ) -> Reply:
        """One reply to the whole conversation, each message as JSON; raises ModelError when there is none to be had."""


class Presence(Protocol):
    """This process among those that share its database: a thread belongs to one of them for as long as that lives."""

    @property
    def number(self) -> int:
        """What it is known by: another one after it was taken for dead, and NOBODY in between."""

    def lives(self, number: int) -> bool:
        """Whether that one lived a moment ago. Of one that has only just come this may say no."""

    def is_current(self) -> bool:
        """Whether nobody can have taken this one for dead."""


NOBODY = -1


class Alone:
    """The only process on its database."""

    number = 0

    def lives(self, number: int) -> bool:
        return True

    def is_current(self) -> bool:
        return True


class Watcher(Protocol):
    """A front end's live view of a thread. It may miss things, and it decides nothing."""

    def text(self, thread: ThreadKey, delta: str, so_far: str) -> None: ...

    def restarted(self, thread: ThreadKey) -> None: ...

    def tool_started(self, thread: ThreadKey, call: ToolCall) -> None: ...

    def tool_finished(self, thread: ThreadKey, call: ToolCall, failed: bool) -> None: ...

    def changed(self, thread: ThreadKey, state: State) -> None:
        """The thread's journal grew; `state` is what it is doing now."""

    def adopted(self, thread: ThreadKey, state: State) -> None:
        """The thread belonged to a process that ended, and now to this one: what it showed last is not known."""


class NoWatcher:
    """Nobody is looking."""

    def text(self, thread: ThreadKey, delta: str, so_far: str) -> None: ...

    def restarted(self, thread: ThreadKey) -> None: ...

    def tool_started(self, thread: ThreadKey, call: ToolCall) -> None: ...

    def tool_finished(self, thread: ThreadKey, call: ToolCall, failed: bool) -> None: ...

    def changed(self, thread: ThreadKey, state: State) -> None: ...

    def adopted(self, thread: ThreadKey, state: State) -> None: ...
