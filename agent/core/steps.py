"""What `advance` returns, and how one state becomes the next."""

import enum
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from agent.core.asks import Beaten, Ending
from agent.core.states import InTurn, RunningTools, State, Thinking, Waiting
from agent.core.transcript import Message

S = TypeVar("S", bound=State)


class Why(enum.Enum):
    """Why an event changed nothing."""

    NOT_ADDRESSED = "not addressed to the agent"
    EMPTY = "says nothing"
    ALREADY_ANSWERED = "answered by someone before"
    CLOSED = "no longer open"
    UNKNOWN_QUESTION = "no such question"
    NOTHING_TO_STOP = "nothing is running"
    SUPERSEDED = "of a turn that is over"
    TAKEN_OVER = "another process has it now"


@dataclass(frozen=True)
class Step:
    """The next state, what the event adds to the conversation, what it ended, and which answers came second."""

    state: State
    messages: tuple[Message, ...] = ()
    beaten: tuple[Beaten, ...] = ()
    endings: tuple[Ending, ...] = ()


@dataclass(frozen=True)
class Refused:
    """A late, second or meaningless event: it changes nothing and is not recorded."""

    why: Why
    beaten: tuple[Beaten, ...] = ()
    ending: Ending | None = None  # of what was closed before: who was first


def to(kind: type[S], state: State, **changes: Any) -> S:
    """The next state: of this kind, one row further, with every field that both kinds have."""
    return _recast(kind, state, seq=state.seq + 1, **changes)


def thinking(state: State, **changes: Any) -> Thinking:
    """A reply to everything up to this row is wanted."""
    return to(Thinking, state, since=state.seq + 1, **changes)


def acting(state: InTurn, **changes: Any) -> State:
    """Running tools, waiting for people, or, with nothing left open, thinking on."""
    new = to(RunningTools, state, **changes)
    if new.tools:
        return new
    return _recast(Waiting, new) if new.waits_for_people else _recast(Thinking, new, since=new.seq)


def _recast(kind: type[S], state: State, **changes: Any) -> S:
    kept = {name: getattr(state, name) for name in kind.model_fields if hasattr(state, name)}
    return cast(S, kind.model_construct(**(kept | changes)))
