"""The whole pause-and-resume machine: `advance(state, event)`, pure."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from agent.core import asks as words
from agent.core import transcript
from agent.core.asks import Ending, How, OpenApproval, OpenAsk, as_result
from agent.core.errors import IllegalTransition
from agent.core.events import (
    ActionDecided,
    AnswersGiven,
    AskCancelled,
    AskExpired,
    AskSkipped,
    Event,
    MessageReceived,
    ModelReplied,
    StopRequested,
    Summarised,
    ToolFinished,
    ToolsStarted,
    TurnEvent,
    TurnFailed,
)
from agent.core.questions import Ask
from agent.core.states import Acting, AtRest, Failed, Idle, InTurn, PendingTool, State, Stopped, Thinking
from agent.core.steps import Refused, Step, Why, acting, thinking, to
from agent.core.transcript import Message
from agent.core.values import Person
from agent.core.waiting import answer, decide, decline, ends, expire, hear_while_waiting

CONTEXT = "(What was said in this thread before you were called in:)"
CUT_OFF = "(Your reply was cut off at the length limit. Go on exactly where it stopped, repeating nothing.)"
NO_RESULT = "No result: the run was ended first. What this had begun may have taken effect."
UNKNOWN_OUTCOME = (
    "The run was ended while this tool was at work: whether it took effect is unknown. Check before you call it again."
)
ASKED_ENOUGH = "You have asked as often as one turn allows. Do not ask again: finish with what you have."


def advance(state: State, event: Event) -> Step | Refused:  # noqa: C901 (the machine is one table)
    match state, event:
        case _, MessageReceived() if not event.text.strip():
            return Refused(Why.EMPTY)
        case AtRest(), MessageReceived(addressed=True):
            return _begin(state, event)
        case Acting(waits_for_people=True), MessageReceived():
            return hear_while_waiting(state, event)
        case InTurn(), MessageReceived(addressed=True):
            heard = to(type(state), state, heard=state.seq + 1, requester=event.author.id)
            return Step(heard, (transcript.user(event.text, event.author, event.images),))
        case _, MessageReceived():
            return Refused(Why.NOT_ADDRESSED)

        case Acting(), AnswersGiven() if ask := state.ask(event.call_id):
            return answer(state, ask, event.answers, event.by)
        case Acting(), AskSkipped() if ask := state.ask(event.call_id):
            return decline(state, ask, "skipped", event.by, words.SKIPPED)
        case Acting(), AskExpired() if ask := state.ask(event.call_id):
            return decline(state, ask, "expired", Person(), words.EXPIRED)
        case Acting(), AskExpired() if approval := state.approval(event.call_id):
            return expire(state, approval, words.EXPIRED)
        case Acting(), ActionDecided() if approval := state.approval(event.call_id):
            return decide(state, approval, event)
        case Acting(), AskCancelled() if state.ask(event.call_id) or state.approval(event.call_id):
            return _end(state, Stopped, f"Cancelled{_by(event.by)}.", "cancelled", event.by, cancelled=True)
        case _, AnswersGiven() | AskSkipped() | AskCancelled() | AskExpired() | ActionDecided():
            return Refused(Why.CLOSED)

        case InTurn(), StopRequested():
            return _end(state, Stopped, f"Stopped{_by(event.by)}.", "stopped", event.by)
        case _, StopRequested():
            return Refused(Why.NOTHING_TO_STOP)

        case _, TurnEvent() if not isinstance(state, InTurn) or event.turn != state.turn:
            return Refused(Why.SUPERSEDED)
        case Thinking(), ModelReplied() if event.seen >= state.since:
            return _take_reply(state, event)
        case Thinking(), Summarised() if event.upto > state.upto:
            new = thinking(state, summary=state.seq + 1, upto=event.upto)
            return Step(new, (transcript.user(event.summary),))
        case Acting(), ToolsStarted() if set(event.call_ids) <= {t.call_id for t in state.tools if not t.started}:
            return Step(acting(state, tools=_started(state.tools, event.call_ids)))
        case Acting(), ToolFinished() if any(tool.call_id == event.call_id for tool in state.tools):
            left = tuple(tool for tool in state.tools if tool.call_id != event.call_id)
            return Step(acting(state, tools=left), (transcript.result(event.call_id, event.content),))
        case InTurn(), TurnFailed():
            return _end(state, Failed, event.shown, "failed", Person(), shown=event.shown)
        case _, ModelReplied() | Summarised() | ToolsStarted() | ToolFinished():
            return Refused(Why.SUPERSEDED)
    raise IllegalTransition(f"{state.kind} cannot take {event.kind}")


def fold(events: Iterable[Event]) -> State:
    """The state that a journal amounts to."""
    state: State = Idle()
    for event in events:
        step = advance(state, event)
        if isinstance(step, Refused):
            raise IllegalTransition(f"{event.kind} is in the journal, but {state.kind} refuses it")
        state = step.state
    return state


def replay(reply: ModelReplied, later: Iterable[Event]) -> tuple[State, dict[str, Ending]]:
    """What became of one reply's calls by the events after it: what is still open, and how the rest ended."""
    state: State = Thinking(turn=reply.turn)
    found: dict[str, Ending] = {}
    for event in chain([reply], later):
        step = advance(state, event)
        if isinstance(step, Refused):
            break
        state = step.state
        found |= {ending.call_id: ending for ending in step.endings}
        if not isinstance(state, Acting):
            break
    return state, found


def _begin(state: State, event: MessageReceived) -> Step:
    new = thinking(state, turn=state.turn + 1, heard=state.seq + 1, requester=event.author.id)
    before = (transcript.user(f"{CONTEXT}\n{event.context}"),) if event.context else ()
    return Step(new, (*before, transcript.user(event.text, event.author, event.images)))


def _take_reply(state: Thinking, event: ModelReplied) -> Step:
    counted = {"replies": state.replies + 1, "model_calls": state.model_calls + 1}
    said = transcript.assistant(event.text, event.calls)
    if event.calls:
        return _take_calls(state, event, counted)
    if event.cut and not state.finish:
        finish = counted["model_calls"] >= event.limits.model_calls - 1
        return Step(thinking(state, **counted, finish=finish), (said, transcript.user(CUT_OFF)))
    if state.heard > event.seen:  # someone wrote while the model did: that starts the next turn
        fresh = {"turn": state.turn + 1, "replies": state.replies + 1, "model_calls": 0, "asks_made": 0}
        return Step(thinking(state, **fresh, finish=False), (said,))
    return Step(to(Idle, state, replies=state.replies + 1), (said,))


def _take_calls(state: Thinking, event: ModelReplied, counted: dict[str, int]) -> Step:
    if state.finish:
        raise IllegalTransition("a reply that had to be the last calls tools")
    tools: list[PendingTool] = []
    asks: list[OpenAsk] = []
    approvals: list[OpenApproval] = []
    refused: list[Message] = []
    for call in event.calls:
        match event.waits.get(call.id):
            case "ask" if state.asks_made + len(asks) >= event.limits.asks:
                refused.append(transcript.result(call.id, ASKED_ENOUGH))
            case "ask":
                asks.append(OpenAsk.of(call.id, Ask.parse(json.loads(call.arguments))))
            case "confirm" | "approve" as wait:
                approvals.append(OpenApproval(call_id=call.id, runs=wait == "approve"))
            case None:
                tools.append(PendingTool(call_id=call.id))
    new = acting(
        state,
        **counted,
        asks_made=state.asks_made + len(asks),
        finish=counted["model_calls"] >= event.limits.model_calls - 1,
        replied=state.seq + 1,
        tools=tuple(tools),
        asks=tuple(asks),
        approvals=tuple(approvals),
    )
    return Step(new, (transcript.assistant(event.text, event.calls), *refused))


def _end(state: InTurn, kind: type[AtRest], note: str, how: How, by: Person, **fields: Any) -> Step:
    """End the turn here; whatever is still open gets a result, so that the conversation stays valid."""
    results = _last_results(state, how) if isinstance(state, Acting) else ()
    endings = ends(state, how, by) if isinstance(state, Acting) else ()
    return Step(to(kind, state, **fields), (*results, transcript.assistant(f"({note})")), endings=endings)


def _last_results(state: Acting, how: How) -> Iterator[Message]:
    talk = state.discussion
    key, why = ("failed", words.FAILED) if how == "failed" else ("cancelled", words.CANCELLED)
    for ask in state.asks:
        yield transcript.result(ask.call_id, ask.declined(state.requester, talk, key, why))
    for approval in state.approvals:
        yield transcript.result(approval.call_id, as_result({key: why}, talk))
    for tool in state.tools:
        yield transcript.result(tool.call_id, UNKNOWN_OUTCOME if tool.started else NO_RESULT)


def _by(person: Person) -> str:
    """A name is anyone's text, and this stands in words of the agent's own: one short line of it is enough."""
    name = " ".join(person.name.split())[:60]
    return f" by {name}" if name else ""


def _started(tools: Iterable[PendingTool], call_ids: Iterable[str]) -> tuple[PendingTool, ...]:
    started = set(call_ids)
    return tuple(PendingTool(call_id=t.call_id, started=t.started or t.call_id in started) for t in tools)
