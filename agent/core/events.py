"""What can happen to a thread. Each event is one row of its journal."""

import json
from typing import ClassVar, Literal

from pydantic import Field

from agent.core import transcript
from agent.core.transcript import Message, ToolCall
from agent.core.values import Frozen, Person, Text

Wait = Literal["ask", "confirm", "approve"]


class Limits(Frozen):
    """How much one turn may do before it must finish with what it has."""

    model_calls: int = Field(40, ge=2)  # the last of them may only finish
    asks: int = Field(8, ge=0)


class Event(Frozen):
    kind: ClassVar[str]
    # Fields kept once, in the row's messages, since they are most of its size.
    spoken: ClassVar[frozenset[str]] = frozenset()

    def to_json(self) -> str:
        return self.model_dump_json(exclude_defaults=True, exclude=set(self.spoken))


class MessageReceived(Event):
    """Someone wrote in the thread; `addressed` if it was meant for the agent (by a mention, say)."""

    kind: ClassVar[str] = "message"
    spoken: ClassVar[frozenset[str]] = frozenset({"images"})
    text: Text
    author: Person = Person()
    addressed: bool = True
    context: Text = ""  # what people had said to each other before the agent was called in
    images: tuple[str, ...] = ()  # as data URLs


class AnswersGiven(Event):
    """Someone answered some questions of an ask, by their numbers."""

    kind: ClassVar[str] = "answers"
    call_id: str
    answers: dict[int, Text]
    by: Person = Person()


class AskSkipped(Event):
    kind: ClassVar[str] = "skipped"
    call_id: str
    by: Person = Person()


class AskCancelled(Event):
    kind: ClassVar[str] = "cancelled"
    call_id: str
    by: Person = Person()


class AskExpired(Event):
    kind: ClassVar[str] = "expired"
    call_id: str


class ActionDecided(Event):
    kind: ClassVar[str] = "decided"
    call_id: str
    approved: bool
    by: Person = Person()
    reason: Text = ""


class StopRequested(Event):
    kind: ClassVar[str] = "stopped"
    by: Person = Person()


class TurnEvent(Event):
    """Something the turn itself reports. It counts only while that turn is the thread's current one."""

    turn: int


class ModelReplied(TurnEvent):
    """The model's whole reply to the rows up to `seen`; `waits` names the calls that wait for people."""

    kind: ClassVar[str] = "replied"
    spoken: ClassVar[frozenset[str]] = frozenset({"text", "calls"})
    seen: int
    text: Text = ""
    calls: tuple[ToolCall, ...] = ()
    waits: dict[str, Wait] = Field(default_factory=dict)
    cut: bool = False
    limits: Limits = Limits()

    def to_json(self) -> str:
        """With the limits in any case: a row must fold the same way when their defaults change."""
        fields = self.model_dump(mode="json", exclude_defaults=True, exclude=set(self.spoken))
        return json.dumps({**fields, "limits": self.limits.model_dump()}, separators=(",", ":"))


class ToolsStarted(TurnEvent):
    """Written before tools run that must not run twice."""

    kind: ClassVar[str] = "started"
    call_ids: tuple[str, ...]


class ToolFinished(TurnEvent):
    kind: ClassVar[str] = "finished"
    spoken: ClassVar[frozenset[str]] = frozenset({"content"})
    call_id: str
    content: Text


class TurnFailed(TurnEvent):
    """The turn cannot go on; `shown` is what people read."""

    kind: ClassVar[str] = "failed"
    shown: Text


class Summarised(TurnEvent):
    """From here on the model reads `summary` in place of every row up to `upto`."""

    kind: ClassVar[str] = "summarised"
    upto: int
    summary: Text


Decision = AnswersGiven | AskSkipped | AskCancelled | AskExpired | ActionDecided
DECISIONS = (AnswersGiven, AskSkipped, AskCancelled, AskExpired, ActionDecided)

_KINDS: dict[str, type[Event]] = {
    event.kind: event
    for event in (
        *(MessageReceived, StopRequested, *DECISIONS),
        *(ModelReplied, ToolsStarted, ToolFinished, TurnFailed, Summarised),
    )
}


def from_row(kind: str, data: str, messages: list[Message]) -> Event:
    """The event that a journal row holds."""
    fields = json.loads(data)
    if kind == ModelReplied.kind:
        fields |= {"text": messages[0]["content"] or "", "calls": transcript.calls_of(messages[0])}
    elif kind == MessageReceived.kind and messages and messages[-1]["role"] == "user":
        fields |= {"images": transcript.images_of(messages[-1])}
    elif kind == ToolFinished.kind:
        fields |= {"content": messages[0]["content"]}
    return _KINDS[kind].model_validate(fields)
