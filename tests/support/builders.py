"""Events in few words, and a thread that keeps its journal as the store does."""

import json
from typing import Any, NamedTuple

from agent.core import transcript
from agent.core.asks import Remark
from agent.core.events import Event, Limits, MessageReceived, ModelReplied, ToolFinished, Wait
from agent.core.journal import Row, conversation
from agent.core.questions import Ask, Question, question
from agent.core.states import Acting, Idle, State
from agent.core.steps import Refused, Step
from agent.core.transcript import Message, Placed, ToolCall
from agent.core.transitions import advance, fold
from agent.core.values import Person

ANN = Person(id="U1", name="Ann")
BOB = Person(id="U2", name="Bob")
WHERE = question("Where to?", "Staging", "Production")
WHEN = question("When?", "Now", "Tonight")
WHY = question("Why?")


class Call(NamedTuple):
    """A tool call of the model's, and what people must do before it can go on."""

    call: ToolCall
    wait: Wait | None = None


def tool(call_id: str, name: str = "look", arguments: str = "{}") -> Call:
    return Call(ToolCall(id=call_id, name=name, arguments=arguments))


def ask(call_id: str, *questions: Question) -> Call:
    arguments = Ask(questions=questions or (WHERE,)).to_json()
    return Call(ToolCall(id=call_id, name="ask_user_question", arguments=arguments), "ask")


def confirm(call_id: str) -> Call:
    return Call(ToolCall(id=call_id, name="confirm_action", arguments='{"action":"deploy"}'), "confirm")


def approve(call_id: str) -> Call:
    return Call(ToolCall(id=call_id, name="deploy", arguments="{}"), "approve")


def says(text: str, author: Person = ANN) -> MessageReceived:
    return MessageReceived(text=text, author=author)


def mutters(text: str, author: Person = BOB) -> MessageReceived:
    """Written in the thread, but not to the agent."""
    return MessageReceived(text=text, author=author, addressed=False)


def replied(
    turn: int, seen: int, text: str, *calls: Call, cut: bool = False, limits: Limits | None = None
) -> ModelReplied:
    return ModelReplied(
        turn=turn,
        seen=seen,
        text=text,
        calls=tuple(call.call for call in calls),
        waits={call.call.id: call.wait for call in calls if call.wait},
        cut=cut,
        limits=limits or Limits(),
    )


class Thread:
    """A state and the journal beside it."""

    def __init__(self) -> None:
        self.state: State = Idle()
        self.rows: list[Row] = []

    def send(self, event: Event) -> Step | Refused:
        step = advance(self.state, event)
        if isinstance(step, Step):
            row = Row.of(step.state.seq, event, step.messages)
            self.state = step.state
            self.rows.append(row)
        return step

    def takes(self, *given: Event) -> Step:
        """Send events that must all be recorded; the last one's step."""
        for event in given:
            step = self.send(event)
            assert isinstance(step, Step), f"{event!r} is refused: {step}"
        return step

    def refuses(self, event: Event) -> Refused:
        before = self.state
        refused = self.send(event)
        assert isinstance(refused, Refused), f"{event!r} is taken"
        assert self.state is before
        return refused

    def replies(
        self, text: str, *calls: Call, seen: int | None = None, cut: bool = False, limits: Limits | None = None
    ) -> Step:
        """The model replies in the current turn, having read everything unless `seen` says otherwise."""
        read = self.state.seq if seen is None else seen
        return self.takes(replied(self.state.turn, read, text, *calls, cut=cut, limits=limits))

    def finishes(self, call_id: str, content: str = "done") -> Step:
        return self.takes(ToolFinished(turn=self.state.turn, call_id=call_id, content=content))

    def placed(self) -> list[Placed]:
        return conversation(self.state, self.rows)

    def transcript(self) -> list[Message]:
        return [placed.message for placed in self.placed()]

    def folded(self) -> State:
        return fold(row.read() for row in self.rows)

    def contents(self, call_id: str) -> list[str]:
        """Every result that the journal holds for a call."""
        said = [message for row in self.rows for message in transcript.load(row.messages)]
        return [message["content"] for message in said if message.get("tool_call_id") == call_id]

    def result(self, call_id: str) -> Any:
        (content,) = self.contents(call_id)
        return json.loads(content)

    @property
    def discussion(self) -> tuple[Remark, ...]:
        return self.state.discussion if isinstance(self.state, Acting) else ()


def thinking() -> Thread:
    """Ann has said something, and the model's reply is wanted."""
    thread = Thread()
    thread.takes(says("ship it"))
    return thread


def acting_on(*calls: Call, text: str = "") -> Thread:
    """Ann has said something, and the model called these."""
    thread = thinking()
    thread.replies(text, *calls)
    return thread
