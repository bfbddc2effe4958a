"""What people do while a thread waits for them: answer, respond with words, decide, or talk."""

from collections.abc import Mapping
from typing import Literal

from agent.core import transcript
from agent.core.asks import Beaten, Ending, How, OpenApproval, OpenAsk, Remark
from agent.core.events import ActionDecided, MessageReceived
from agent.core.states import Acting, PendingTool
from agent.core.steps import Refused, Step, Why, acting
from agent.core.values import Person


def hear_while_waiting(state: Acting, event: MessageReceived) -> Step | Refused:
    still_open = [(ask, number) for ask in state.asks for number in ask.unanswered]
    if len(still_open) == 1:
        ask, number = still_open[0]
        question = ask.asked[number].question
        given = question.match(event.text) or (question.answer(text=event.text) if event.addressed else "")
        if given:
            return answer(state, ask, {number: given}, event.author)
    if event.addressed:
        return _respond(state, event)
    remarks = (*state.discussion, Remark(author=event.author, text=event.text))
    return Step(acting(state, discussion=remarks))


def _respond(state: Acting, event: MessageReceived) -> Step:
    """Words instead of answers close whatever waits for people."""
    talk, response = state.discussion, {"response": event.text}
    asks = [(ask.call_id, ask.result(state.requester, talk, response)) for ask in state.asks]
    approvals = [(a.call_id, a.result(False, event.author, talk, response)) for a in state.approvals]
    results = tuple(transcript.result(call_id, content) for call_id, content in [*asks, *approvals])
    ended = ends(state, "response", event.author, event.text)
    return Step(acting(state, asks=(), approvals=(), discussion=()), results, endings=ended)


def ends(state: Acting, how: How, by: Person, words: str = "") -> tuple[Ending, ...]:
    """Everything that waits for people ends in the same way."""
    asks = [Ending(call_id=ask.call_id, how=how, by=by, asked=ask.asked, words=words) for ask in state.asks]
    return (*asks, *(Ending(call_id=a.call_id, how=how, by=by, words=words) for a in state.approvals))


def answer(state: Acting, ask: OpenAsk, answers: Mapping[int, str], by: Person) -> Step | Refused:
    if not all(0 <= number < len(ask.asked) for number in answers):
        return Refused(Why.UNKNOWN_QUESTION)
    if not answers or not all(text.strip() for text in answers.values()):
        return Refused(Why.EMPTY)
    taken, beaten = ask.taking(answers, by)
    if len(beaten) == len(answers):
        return Refused(Why.ALREADY_ANSWERED, beaten)
    if taken.unanswered:
        left = tuple(taken if other is ask else other for other in state.asks)
        return Step(acting(state, asks=left), beaten=beaten)
    ending = Ending(call_id=ask.call_id, how="answered", by=by, asked=taken.asked)
    return _close(state, ending, taken.result(state.requester, state.discussion), beaten)


def decline(state: Acting, ask: OpenAsk, how: Literal["skipped", "expired"], by: Person, words: str) -> Step:
    ending = Ending(call_id=ask.call_id, how=how, by=by, asked=ask.asked)
    return _close(state, ending, ask.declined(state.requester, state.discussion, how, words))


def decide(state: Acting, approval: OpenApproval, event: ActionDecided) -> Step:
    ending = Ending(
        call_id=event.call_id, how="approved" if event.approved else "denied", by=event.by, words=event.reason
    )
    if event.approved and approval.runs:
        return _let_run(state, approval, ending)
    reason = {"reason": event.reason} if event.reason else {}
    return _close(state, ending, approval.result(event.approved, event.by, state.discussion, reason))


def expire(state: Acting, approval: OpenApproval, words: str) -> Step:
    content = approval.result(False, Person(), state.discussion, {"expired": words})
    return _close(state, Ending(call_id=approval.call_id, how="expired"), content)


def _close(state: Acting, ending: Ending, content: str, beaten: tuple[Beaten, ...] = ()) -> Step:
    asks = tuple(ask for ask in state.asks if ask.call_id != ending.call_id)
    approvals = tuple(approval for approval in state.approvals if approval.call_id != ending.call_id)
    new = acting(state, asks=asks, approvals=approvals, discussion=())
    return Step(new, (transcript.result(ending.call_id, content),), beaten, (ending,))


def _let_run(state: Acting, approval: OpenApproval, ending: Ending) -> Step:
    left = tuple(other for other in state.approvals if other is not approval)
    tools = (*state.tools, PendingTool(call_id=approval.call_id))
    if left or state.asks:  # one of these will tell the model of the discussion
        return Step(acting(state, approvals=left, tools=tools), endings=(ending,))
    talk = tuple(transcript.user(remark.text, remark.author) for remark in state.discussion)
    return Step(acting(state, approvals=left, tools=tools, discussion=()), talk, endings=(ending,))
