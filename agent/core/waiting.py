"""What people do while a thread waits for them: answer, respond with words, decide, or talk."""

from collections.abc import Mapping

from agent.core import transcript
from agent.core.asks import Beaten, OpenApproval, OpenAsk, Remark
from agent.core.events import ActionDecided, MessageReceived
from agent.core.states import Acting, PendingTool
from agent.core.steps import Refused, Step, Why, acting
from agent.core.values import Person


def hear_while_waiting(state: Acting, event: MessageReceived) -> Step | Refused:
    if not event.text.strip():
        return Refused(Why.EMPTY)
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
    return Step(acting(state, asks=(), approvals=(), discussion=()), results)


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
    return close_ask(state, taken, taken.result(state.requester, state.discussion), beaten)


def close_ask(state: Acting, ask: OpenAsk, content: str, beaten: tuple[Beaten, ...] = ()) -> Step:
    left = tuple(other for other in state.asks if other.call_id != ask.call_id)
    return Step(acting(state, asks=left, discussion=()), (transcript.result(ask.call_id, content),), beaten)


def decline(state: Acting, ask: OpenAsk, how: str, words: str) -> Step:
    return close_ask(state, ask, ask.declined(state.requester, state.discussion, how, words))


def decide(state: Acting, approval: OpenApproval, event: ActionDecided) -> Step:
    left = tuple(other for other in state.approvals if other is not approval)
    if event.approved and approval.runs:
        tools = (*state.tools, PendingTool(call_id=approval.call_id))
        if left or state.asks:  # one of these will tell the model of the discussion
            return Step(acting(state, approvals=left, tools=tools))
        talk = tuple(transcript.user(remark.text, remark.author) for remark in state.discussion)
        return Step(acting(state, approvals=left, tools=tools, discussion=()), talk)
    reason = {"reason": event.reason} if event.reason else {}
    content = approval.result(event.approved, event.by, state.discussion, reason)
    return Step(acting(state, approvals=left, discussion=()), (transcript.result(approval.call_id, content),))
