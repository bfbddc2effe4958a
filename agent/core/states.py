"""What a thread is doing now: a small value, folded from the journal and kept beside it."""

from typing import ClassVar

from agent.core.asks import OpenApproval, OpenAsk, Remark
from agent.core.values import Frozen, Text

# Raise it when a state's meaning changes: rows of an older version are folded anew from their journal.
VERSION = 1


class State(Frozen):
    kind: ClassVar[str]
    seq: int = 0  # journal rows so far
    turn: int = 0  # the current turn's number, or the last one's
    replies: int = 0  # model replies so far, to number their calls
    heard: int = 0  # the row of the last message meant for the agent
    summary: int = 0  # the row of the newest summary, and the last row it stands for
    upto: int = 0


class AtRest(State):
    """Nothing to do until someone says something."""


class Idle(AtRest):
    kind: ClassVar[str] = "idle"


class Stopped(AtRest):
    kind: ClassVar[str] = "stopped"
    cancelled: bool = False


class Failed(AtRest):
    kind: ClassVar[str] = "failed"
    shown: Text = ""


class InTurn(State):
    requester: Text = ""  # the id of whoever last spoke to the agent
    model_calls: int = 0
    asks_made: int = 0
    finish: bool = False  # the limit is reached: the next reply must be the last


class Thinking(InTurn):
    """The model's reply is wanted: one that has read at least the row `since`, or it is an answer to the past."""

    kind: ClassVar[str] = "thinking"
    since: int = 0


class PendingTool(Frozen):
    call_id: str
    started: bool = False


class Acting(InTurn):
    """The last reply called tools; what has no result yet is listed here."""

    replied: int = 0  # the row of that reply
    tools: tuple[PendingTool, ...] = ()
    asks: tuple[OpenAsk, ...] = ()
    approvals: tuple[OpenApproval, ...] = ()
    discussion: tuple[Remark, ...] = ()

    @property
    def waits_for_people(self) -> bool:
        return bool(self.asks or self.approvals)

    def ask(self, call_id: str) -> OpenAsk | None:
        return next((ask for ask in self.asks if ask.call_id == call_id), None)

    def approval(self, call_id: str) -> OpenApproval | None:
        return next((approval for approval in self.approvals if approval.call_id == call_id), None)


class RunningTools(Acting):
    """At least one tool has to run; asks may be open beside it."""

    kind: ClassVar[str] = "running_tools"


class Waiting(Acting):
    """Only people can move it on."""

    kind: ClassVar[str] = "waiting"


UNFINISHED = (Thinking.kind, RunningTools.kind)
_KINDS: dict[str, type[State]] = {
    state.kind: state for state in (Idle, Stopped, Failed, Thinking, RunningTools, Waiting)
}


def from_row(kind: str, data: str) -> State:
    return _KINDS[kind].model_validate_json(data)
