"""What `advance` does with each event in each state."""

import json

import pytest
from pydantic import ValidationError

from agent.core import asks as words
from agent.core.errors import IllegalTransition, InvalidAsk
from agent.core.events import (
    ActionDecided,
    AnswersGiven,
    AskCancelled,
    AskExpired,
    AskSkipped,
    Event,
    Limits,
    ModelReplied,
    StopRequested,
    Summarised,
    ToolFinished,
    ToolsStarted,
    TurnFailed,
)
from agent.core.questions import question
from agent.core.states import Failed, Idle, RunningTools, Stopped, Thinking, Waiting
from agent.core.steps import Why
from agent.core.transcript import ToolCall
from agent.core.transitions import ASKED_ENOUGH, CUT_OFF, NO_RESULT, UNKNOWN_OUTCOME, fold
from agent.core.values import Person
from tests.support.builders import (
    ANN,
    BOB,
    WHEN,
    WHERE,
    WHY,
    Call,
    Thread,
    acting_on,
    approve,
    ask,
    confirm,
    mutters,
    replied,
    says,
    thinking,
    tool,
)
from tests.support.conversation import faults


def answers(call_id: str, by: Person = ANN, **given: str) -> AnswersGiven:
    """`answers("a", _0="Staging")`: question 0 of ask "a"."""
    return AnswersGiven(call_id=call_id, answers={int(k[1:]): v for k, v in given.items()}, by=by)


def roles(thread: Thread) -> list[str]:
    return [message["role"] for message in thread.transcript()]


def said(thread: Thread) -> list[str | None]:
    return [message["content"] for message in thread.transcript()]


# A message arrives.


def test_a_message_to_an_idle_thread_starts_a_turn() -> None:
    thread = Thread()

    thread.takes(says("ship it", BOB))

    assert isinstance(thread.state, Thinking)
    assert (thread.state.seq, thread.state.turn, thread.state.heard, thread.state.requester) == (1, 1, 1, "U2")
    assert thread.transcript() == [{"role": "user", "content": "ship it", "name": "Bob"}]


def test_a_message_to_nobody_in_particular_starts_nothing() -> None:
    assert Thread().refuses(mutters("lunch?")).why is Why.NOT_ADDRESSED


def test_a_message_after_a_stop_starts_the_next_turn() -> None:
    thread = thinking()
    thread.takes(StopRequested())

    thread.takes(says("go on", BOB))

    assert isinstance(thread.state, Thinking)
    assert (thread.state.turn, thread.state.requester) == (2, "U2")


def test_a_message_after_a_failure_starts_the_next_turn() -> None:
    thread = thinking()
    thread.takes(TurnFailed(turn=1, shown="The model is away."))

    thread.takes(says("try again"))

    assert isinstance(thread.state, Thinking)
    assert thread.state.turn == 2


def test_a_new_turn_counts_its_model_calls_and_asks_from_zero() -> None:
    thread = acting_on(ask("a"))
    thread.takes(StopRequested(), says("again"))

    assert isinstance(thread.state, Thinking)
    assert (thread.state.model_calls, thread.state.asks_made, thread.state.finish) == (0, 0, False)


def test_a_message_while_thinking_is_part_of_the_conversation() -> None:
    thread = thinking()

    thread.takes(says("to staging", BOB))

    assert isinstance(thread.state, Thinking)
    assert thread.state.turn == 1
    assert said(thread) == ["ship it", "to staging"]


def test_a_remark_to_others_while_thinking_is_none_of_the_agents_business() -> None:
    assert thinking().refuses(mutters("lunch?")).why is Why.NOT_ADDRESSED


def test_a_message_that_the_reply_has_seen_is_answered_by_it() -> None:
    thread = thinking()
    thread.takes(says("to staging"))

    thread.replies("Done.")

    assert isinstance(thread.state, Idle)
    assert said(thread) == ["ship it", "to staging", "Done."]


def test_a_message_that_the_reply_has_not_seen_starts_the_next_turn() -> None:
    thread = thinking()
    thread.takes(says("to staging"))

    thread.replies("Where to?", seen=1)

    assert isinstance(thread.state, Thinking)
    assert (thread.state.turn, thread.state.model_calls) == (2, 0)
    assert said(thread) == ["ship it", "Where to?", "to staging"]


def test_whoever_wrote_the_unseen_message_is_the_next_turns_requester() -> None:
    thread = thinking()
    thread.takes(says("to staging", BOB))

    thread.replies("Where to?", seen=1)

    assert isinstance(thread.state, Thinking)
    assert thread.state.requester == BOB.id


def test_a_message_while_tools_run_follows_their_results() -> None:
    thread = acting_on(tool("t"))

    thread.takes(says("and hurry"))

    assert isinstance(thread.state, RunningTools)
    assert roles(thread) == ["user"]  # not yet: the call has no result
    thread.finishes("t")
    assert roles(thread) == ["user", "assistant", "tool", "user"]


def test_a_message_between_a_request_and_its_calls_follows_their_results() -> None:
    thread = thinking()
    thread.takes(says("and hurry"))

    thread.replies("", tool("t"), seen=1)
    thread.finishes("t")

    assert isinstance(thread.state, Thinking)
    assert thread.state.turn == 1
    assert said(thread) == ["ship it", None, "done", "and hurry"]


def test_a_remark_to_others_while_tools_run_is_none_of_the_agents_business() -> None:
    assert acting_on(tool("t")).refuses(mutters("lunch?")).why is Why.NOT_ADDRESSED


# A message arrives while people are waited for.


def test_a_reply_of_exactly_a_label_answers_the_only_open_question() -> None:
    thread = acting_on(ask("a", WHERE))

    thread.takes(mutters("staging", ANN))

    assert isinstance(thread.state, Thinking)
    assert thread.result("a") == {"answers": {"Where to?": "Staging"}}


def test_a_reply_of_a_number_answers_the_only_open_question() -> None:
    thread = acting_on(ask("a", WHERE))

    thread.takes(mutters("2", ANN))

    assert thread.result("a") == {"answers": {"Where to?": "Production"}}


def test_a_mention_answers_the_only_open_question_in_free_text() -> None:
    thread = acting_on(ask("a", WHERE))

    thread.takes(says(" the moon "))

    assert thread.result("a") == {"answers": {"Where to?": "the moon"}}


def test_a_mention_answers_the_question_that_is_left() -> None:
    thread = acting_on(ask("a", WHERE, WHEN))
    thread.takes(answers("a", _0="Staging"))

    thread.takes(says("tomorrow"))

    assert thread.result("a") == {"answers": {"Where to?": "Staging", "When?": "tomorrow"}}


def test_a_mention_closes_an_ask_of_several_open_questions_as_a_response() -> None:
    thread = acting_on(ask("a", WHERE, WHEN, WHY))
    thread.takes(answers("a", _1="Now"))

    thread.takes(says("forget it, roll back"))

    assert isinstance(thread.state, Thinking)
    assert thread.result("a") == {"answers": {"When?": "Now"}, "response": "forget it, roll back"}


def test_a_mention_that_a_question_cannot_take_as_an_answer_is_a_response() -> None:
    thread = acting_on(ask("a", question("Sure?", "Yes", "No", allow_custom=False)))

    thread.takes(says("what for?"))

    assert thread.result("a") == {"answers": {}, "response": "what for?"}


def test_a_mention_closes_every_ask_that_is_open() -> None:
    thread = acting_on(ask("a", WHERE), ask("b", WHEN))

    thread.takes(says("you choose"))

    assert isinstance(thread.state, Thinking)
    assert thread.result("a") == thread.result("b") == {"answers": {}, "response": "you choose"}


def test_a_mention_denies_an_action_and_says_why() -> None:
    thread = acting_on(confirm("c"))

    thread.takes(says("not on a Friday", BOB))

    assert isinstance(thread.state, Thinking)
    assert thread.result("c") == {"approved": False, "decided_by": "Bob", "response": "not on a Friday"}


def test_a_mention_leaves_the_tools_that_still_run_alone() -> None:
    thread = acting_on(tool("t"), ask("a", WHERE, WHEN))

    thread.takes(says("you choose"))

    assert isinstance(thread.state, RunningTools)
    assert thread.contents("t") == []


def test_a_label_does_not_answer_while_several_questions_are_open() -> None:
    thread = acting_on(ask("a", WHERE), ask("b", WHEN))

    thread.takes(mutters("Staging"))

    assert isinstance(thread.state, Waiting)
    assert [remark.text for remark in thread.discussion] == ["Staging"]


def test_what_people_discuss_meanwhile_comes_with_the_answers() -> None:
    thread = acting_on(ask("a", WHERE))
    thread.takes(mutters("is staging up?"), mutters("it is", ANN), mutters("good", Person()))

    assert isinstance(thread.state, Waiting)
    thread.takes(answers("a", _0="Staging"))

    assert thread.result("a") == {
        "answers": {"Where to?": "Staging"},
        "discussion": ["Bob: is staging up?", "Ann: it is", "good"],
    }


def test_the_discussion_is_told_once() -> None:
    thread = acting_on(ask("a", WHERE), ask("b", WHEN))
    thread.takes(mutters("is staging up?"), answers("a", _0="Staging"), answers("b", _0="Now"))

    assert "discussion" in thread.result("a")
    assert "discussion" not in thread.result("b")


def test_the_discussion_of_several_actions_is_told_once() -> None:
    thread = acting_on(confirm("c1"), confirm("c2"))
    thread.takes(mutters("is it tested?"))
    thread.takes(ActionDecided(call_id="c2", approved=True), ActionDecided(call_id="c1", approved=True))

    assert "discussion" in thread.result("c2")
    assert "discussion" not in thread.result("c1")


@pytest.mark.parametrize(
    "event", [AskSkipped(call_id="a"), AskExpired(call_id="a"), says("you choose"), StopRequested()]
)
def test_the_discussion_is_told_however_the_ask_closes(event: Event) -> None:
    thread = acting_on(ask("a", WHERE, WHEN))
    thread.takes(mutters("is staging up?"), event)

    assert thread.result("a")["discussion"] == ["Bob: is staging up?"]


def test_the_discussion_of_an_action_is_told_with_the_decision() -> None:
    thread = acting_on(confirm("c"))
    thread.takes(mutters("is it tested?"), ActionDecided(call_id="c", approved=True, by=ANN))

    assert thread.result("c")["discussion"] == ["Bob: is it tested?"]


def test_the_discussion_of_an_action_that_is_approved_and_then_run_is_not_lost() -> None:
    thread = acting_on(approve("d"))
    thread.takes(mutters("only the blue cluster, please"))
    thread.takes(ActionDecided(call_id="d", approved=True, by=ANN))
    thread.finishes("d", "deployed")

    assert "only the blue cluster, please" in json.dumps(thread.transcript())


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_a_message_that_says_nothing_answers_nothing(blank: str) -> None:
    thread = acting_on(ask("a", WHY))

    assert thread.refuses(says(blank)).why is Why.EMPTY
    assert thread.refuses(mutters(blank)).why is Why.EMPTY


# The model replies.


def test_a_reply_with_text_ends_the_turn() -> None:
    thread = thinking()

    thread.replies("Done.")

    assert thread.state == Idle(seq=2, turn=1, replies=1, heard=1)
    assert said(thread) == ["ship it", "Done."]


def test_a_reply_that_says_nothing_leaves_a_conversation_that_the_api_takes() -> None:
    thread = thinking()

    thread.send(replied(1, 1, ""))

    assert faults(thread.transcript()) == []


def test_a_reply_with_a_tool_call_runs_the_tool() -> None:
    thread = acting_on(tool("t"))

    assert isinstance(thread.state, RunningTools)
    assert [pending.call_id for pending in thread.state.tools] == ["t"]
    assert thread.state.replied == 2


def test_a_reply_may_say_something_and_call_tools() -> None:
    thread = acting_on(tool("t"), text="Let me look.")
    thread.finishes("t")

    assert said(thread) == ["ship it", "Let me look.", "done"]


def test_a_reply_may_call_several_tools_at_once() -> None:
    thread = acting_on(tool("t1"), tool("t2"), tool("t3"))

    assert isinstance(thread.state, RunningTools)
    assert [pending.call_id for pending in thread.state.tools] == ["t1", "t2", "t3"]


def test_tool_results_may_come_in_any_order_and_are_read_in_the_order_of_the_calls() -> None:
    thread = acting_on(tool("t1"), tool("t2"), tool("t3"))

    for call_id in ("t3", "t1", "t2"):
        thread.finishes(call_id, f"result of {call_id}")

    assert isinstance(thread.state, Thinking)
    assert said(thread) == ["ship it", None, "result of t1", "result of t2", "result of t3"]


def test_a_reply_enters_the_conversation_with_all_its_results_or_not_yet() -> None:
    thread = acting_on(tool("t1"), tool("t2"))

    thread.finishes("t2")

    assert isinstance(thread.state, RunningTools)
    assert roles(thread) == ["user"]


def test_a_reply_may_ask() -> None:
    thread = acting_on(ask("a", WHERE, WHEN))

    assert isinstance(thread.state, Waiting)
    (opened,) = thread.state.asks
    assert opened.call_id == "a"
    assert [asked.question for asked in opened.asked] == [WHERE, WHEN]
    assert opened.unanswered == (0, 1)


def test_a_reply_may_ask_twice_at_once() -> None:
    thread = acting_on(ask("a", WHERE), ask("b", WHEN))

    thread.takes(answers("b", _0="Now"))
    assert isinstance(thread.state, Waiting)
    thread.takes(answers("a", _0="Staging"))

    assert isinstance(thread.state, Thinking)
    assert [m["tool_call_id"] for m in thread.transcript()[2:]] == ["a", "b"]


def test_an_ask_can_be_answered_while_a_tool_of_the_same_reply_runs() -> None:
    thread = acting_on(tool("t"), ask("a", WHERE))
    assert isinstance(thread.state, RunningTools)

    thread.takes(answers("a", _0="Staging"))
    assert isinstance(thread.state, RunningTools)
    thread.finishes("t")

    assert isinstance(thread.state, Thinking)


def test_a_tool_can_finish_before_the_ask_of_the_same_reply_is_answered() -> None:
    thread = acting_on(tool("t"), ask("a", WHERE))

    thread.finishes("t")
    assert isinstance(thread.state, Waiting)
    thread.takes(answers("a", _0="Staging"))

    assert isinstance(thread.state, Thinking)


def test_an_ask_that_breaks_the_rules_never_reaches_people() -> None:
    event = ModelReplied(
        turn=1, seen=1, calls=(ToolCall(id="a", name="ask_user_question", arguments="{}"),), waits={"a": "ask"}
    )

    with pytest.raises(InvalidAsk, match="questions: is missing"):
        thinking().send(event)


def test_a_late_reply_of_an_older_turn_is_refused() -> None:
    thread = thinking()
    thread.takes(StopRequested(), says("something else"))

    assert thread.refuses(replied(1, 1, "Done.")).why is Why.SUPERSEDED


def test_a_late_reply_to_a_thread_at_rest_is_refused() -> None:
    thread = thinking()
    thread.replies("Done.")

    assert thread.refuses(replied(1, 1, "Done.")).why is Why.SUPERSEDED


def test_a_second_reply_while_the_calls_of_the_first_are_open_is_refused() -> None:
    assert acting_on(tool("t")).refuses(replied(1, 1, "Done.")).why is Why.SUPERSEDED


def test_a_second_reply_to_what_was_replied_to_already_is_refused() -> None:
    thread = acting_on(tool("t"))
    thread.finishes("t")

    assert thread.refuses(replied(1, 1, "", tool("t"))).why is Why.SUPERSEDED


def test_a_second_reply_to_what_got_a_cut_reply_already_is_refused() -> None:
    thread = thinking()
    thread.replies("Once upon", cut=True)

    assert thread.refuses(replied(1, 1, "Once upon", cut=True)).why is Why.SUPERSEDED


def test_a_reply_that_was_cut_off_is_gone_on_with() -> None:
    thread = thinking()

    thread.replies("Once upon", cut=True)

    assert isinstance(thread.state, Thinking)
    assert (thread.state.turn, thread.state.model_calls) == (1, 1)
    assert said(thread) == ["ship it", "Once upon", CUT_OFF]


def test_a_reply_that_was_cut_off_at_the_limit_of_model_calls_is_the_last() -> None:
    thread, limits = thinking(), Limits(model_calls=2)
    thread.replies("Once", cut=True, limits=limits)
    assert isinstance(thread.state, Thinking)
    assert thread.state.finish

    thread.replies("upon", cut=True, limits=limits)

    assert isinstance(thread.state, Idle)


def test_words_that_came_during_a_cut_reply_are_read_after_it() -> None:
    thread = thinking()
    thread.takes(says("shorter, please"))

    thread.replies("Once upon", cut=True, seen=1)

    assert said(thread) == ["ship it", "Once upon", "shorter, please", CUT_OFF]


# Limits.


def test_after_the_limit_of_model_calls_the_next_reply_must_be_the_last() -> None:
    thread, limits = thinking(), Limits(model_calls=3)

    for number in range(2):
        assert isinstance(thread.state, Thinking)
        assert not thread.state.finish
        thread.replies("", tool(f"t{number}"), limits=limits)
        thread.finishes(f"t{number}")

    assert isinstance(thread.state, Thinking)
    assert thread.state.finish
    thread.replies("That is all I found.", limits=limits)
    assert isinstance(thread.state, Idle)


def test_calls_in_a_reply_that_had_to_be_the_last_are_a_bug() -> None:
    thread = thinking()
    thread.replies("", tool("t1"), limits=Limits(model_calls=2))
    thread.finishes("t1")

    with pytest.raises(IllegalTransition, match="had to be the last"):
        thread.replies("", tool("t2"), limits=Limits(model_calls=2))


@pytest.mark.parametrize("count", [-1, 0, 1])
def test_a_limit_of_model_calls_leaves_room_for_the_reply_that_must_be_the_last(count: int) -> None:
    with pytest.raises(ValidationError):
        Limits(model_calls=count)


def test_an_ask_beyond_the_limit_is_told_to_finish_instead() -> None:
    thread, limits = thinking(), Limits(asks=1)
    thread.replies("", ask("a"), limits=limits)
    thread.takes(answers("a", _0="Staging"))

    thread.replies("", ask("b"), limits=limits)

    assert isinstance(thread.state, Thinking)
    assert thread.contents("b") == [ASKED_ENOUGH]
    assert faults(thread.transcript()) == []


def test_of_two_asks_at_once_only_those_within_the_limit_are_asked() -> None:
    thread = thinking()

    thread.replies("", ask("a"), ask("b"), limits=Limits(asks=1))

    assert isinstance(thread.state, Waiting)
    assert [opened.call_id for opened in thread.state.asks] == ["a"]
    assert thread.contents("b") == [ASKED_ENOUGH]


def test_approvals_do_not_count_as_asks() -> None:
    thread = thinking()

    thread.replies("", confirm("c"), ask("a"), limits=Limits(asks=1))

    assert isinstance(thread.state, Waiting)
    assert thread.state.asks_made == 1
    assert len(thread.state.asks) == len(thread.state.approvals) == 1


def test_a_message_that_starts_the_next_turn_lifts_the_limit() -> None:
    thread, limits = thinking(), Limits(model_calls=2)
    thread.replies("", tool("t"), limits=limits)
    thread.finishes("t")
    thread.takes(says("one more thing"))

    thread.replies("That is all.", seen=3, limits=limits)

    assert isinstance(thread.state, Thinking)
    assert (thread.state.turn, thread.state.finish, thread.state.model_calls) == (2, False, 0)


# Answers.


def test_an_answer_to_every_question_resumes_the_turn() -> None:
    thread = acting_on(ask("a", WHERE, WHEN))

    thread.takes(answers("a", _0="Staging", _1="Now"))

    assert isinstance(thread.state, Thinking)
    assert thread.state.turn == 1
    assert thread.result("a") == {"answers": {"Where to?": "Staging", "When?": "Now"}}


def test_a_partial_answer_is_kept_and_the_rest_is_waited_for() -> None:
    thread = acting_on(ask("a", WHERE, WHEN))

    thread.takes(answers("a", _1="Now"))

    assert isinstance(thread.state, Waiting)
    assert thread.state.asks[0].unanswered == (0,)
    assert thread.contents("a") == []


def test_several_people_can_answer_one_ask() -> None:
    thread = acting_on(ask("a", WHERE, WHEN, WHY))

    thread.takes(answers("a", BOB, _2="because"), answers("a", ANN, _0="Staging"))
    thread.takes(answers("a", Person(id="U3", name="Cy"), _1="Now"))

    assert thread.result("a") == {
        "answers": {"Where to?": "Staging", "When?": "Now", "Why?": "because"},
        "answered_by": {"When?": "Cy", "Why?": "Bob"},
    }


def test_the_answers_are_in_the_order_of_the_questions() -> None:
    thread = acting_on(ask("a", WHERE, WHEN))

    thread.takes(answers("a", _1="Now"), answers("a", _0="Staging"))

    assert list(thread.result("a")["answers"]) == ["Where to?", "When?"]


def test_an_answer_of_the_requesters_does_not_say_who_answered() -> None:
    thread = acting_on(ask("a", WHERE))

    thread.takes(answers("a", ANN, _0="Staging"))

    assert "answered_by" not in thread.result("a")


def test_an_answer_of_someone_elses_says_who_answered() -> None:
    thread = acting_on(ask("a", WHERE))

    thread.takes(answers("a", BOB, _0="Staging"))

    assert thread.result("a")["answered_by"] == {"Where to?": "Bob"}


def test_an_answer_of_someone_without_a_name_does_not_say_who_answered() -> None:
    thread = acting_on(ask("a", WHERE))

    thread.takes(answers("a", Person(), _0="Staging"))

    assert "answered_by" not in thread.result("a")


def test_someone_elses_reply_in_the_thread_says_who_answered() -> None:
    thread = acting_on(ask("a", WHERE))

    thread.takes(mutters("Staging", BOB))

    assert thread.result("a")["answered_by"] == {"Where to?": "Bob"}


def test_the_same_answer_twice_is_refused_the_second_time() -> None:
    thread = acting_on(ask("a", WHERE, WHEN))
    thread.takes(answers("a", _0="Staging"))

    assert thread.refuses(answers("a", _0="Staging")).why is Why.ALREADY_ANSWERED


def test_the_first_answer_wins_and_whoever_came_second_learns_who_was_first() -> None:
    thread = acting_on(ask("a", WHERE, WHEN))
    thread.takes(answers("a", ANN, _0="Staging"))

    refused = thread.refuses(answers("a", BOB, _0="Production"))

    assert refused.why is Why.ALREADY_ANSWERED
    assert [(b.question, b.first.words, b.first.by) for b in refused.beaten] == [("Where to?", "Staging", ANN)]


def test_of_several_answers_those_that_came_first_are_taken_and_the_others_reported() -> None:
    thread = acting_on(ask("a", WHERE, WHEN))
    thread.takes(answers("a", ANN, _0="Staging"))

    step = thread.takes(answers("a", BOB, _0="Production", _1="Now"))

    assert [(b.question, b.first.by.name) for b in step.beaten] == [("Where to?", "Ann")]
    assert thread.result("a")["answers"] == {"Where to?": "Staging", "When?": "Now"}


def test_a_partial_answer_reports_those_that_came_second_too() -> None:
    thread = acting_on(ask("a", WHERE, WHEN, WHY))
    thread.takes(answers("a", ANN, _0="Staging"))

    step = thread.takes(answers("a", BOB, _0="Production", _1="Now"))

    assert isinstance(thread.state, Waiting)
    assert [b.question for b in step.beaten] == ["Where to?"]


@pytest.mark.parametrize("number", [-1, 1, 99])
def test_an_answer_to_a_question_that_was_not_asked_is_refused(number: int) -> None:
    thread = acting_on(ask("a", WHERE))

    event = AnswersGiven(call_id="a", answers={0: "Staging", number: "x"}, by=ANN)

    assert thread.refuses(event).why is Why.UNKNOWN_QUESTION


@pytest.mark.parametrize("given", [{}, {0: ""}, {0: " \n"}, {0: "Staging", 1: " "}])
def test_an_answer_that_says_nothing_is_refused(given: dict[int, str]) -> None:
    thread = acting_on(ask("a", WHERE, WHEN))

    assert thread.refuses(AnswersGiven(call_id="a", answers=given, by=ANN)).why is Why.EMPTY


CLOSING: list[Event] = [
    answers("a", _0="Staging"),
    AskSkipped(call_id="a"),
    AskCancelled(call_id="a"),
    AskExpired(call_id="a"),
    StopRequested(),
    TurnFailed(turn=1, shown="The model is away."),
]
LATE: list[Event] = [
    answers("a", BOB, _0="Production"),
    AskSkipped(call_id="a"),
    AskCancelled(call_id="a"),
    AskExpired(call_id="a"),
    ActionDecided(call_id="a", approved=True),
]


@pytest.mark.parametrize("late", LATE, ids=lambda event: event.kind)
@pytest.mark.parametrize("closing", CLOSING, ids=lambda event: event.kind)
def test_whatever_comes_for_an_ask_that_is_closed_is_refused(closing: Event, late: Event) -> None:
    thread = acting_on(ask("a", WHERE))
    thread.takes(closing)

    assert thread.refuses(late).why is Why.CLOSED
    assert len(thread.contents("a")) == 1


@pytest.mark.parametrize("late", LATE, ids=lambda event: event.kind)
def test_whatever_comes_for_an_ask_that_is_closed_is_refused_while_another_is_open(late: Event) -> None:
    thread = acting_on(ask("a", WHERE), ask("b", WHEN))
    thread.takes(answers("a", _0="Staging"))

    assert thread.refuses(late).why is Why.CLOSED


@pytest.mark.parametrize("event", LATE, ids=lambda event: event.kind)
def test_whatever_comes_for_a_call_that_is_a_tool_is_refused(event: Event) -> None:
    assert acting_on(tool("a")).refuses(event).why is Why.CLOSED


# Skip, cancel, expiry.


def test_a_skipped_ask_leaves_the_choice_to_the_agent() -> None:
    thread = acting_on(ask("a", WHERE))

    thread.takes(AskSkipped(call_id="a", by=BOB))

    assert isinstance(thread.state, Thinking)
    assert thread.result("a") == {"skipped": words.SKIPPED}


def test_an_expired_ask_is_not_taken_for_an_answer() -> None:
    thread = acting_on(ask("a", WHERE))

    thread.takes(AskExpired(call_id="a"))

    assert isinstance(thread.state, Thinking)
    assert thread.result("a") == {"expired": words.EXPIRED}


def test_a_cancelled_ask_ends_the_turn() -> None:
    thread = acting_on(ask("a", WHERE))

    thread.takes(AskCancelled(call_id="a", by=BOB))

    assert isinstance(thread.state, Stopped)
    assert thread.state.cancelled
    assert thread.result("a") == {"cancelled": words.CANCELLED}
    assert "(Cancelled by Bob.)" in said(thread)


def test_skipped_cancelled_and_expired_are_each_their_own_words_and_never_an_empty_answer() -> None:
    told = []
    for event in (AskSkipped(call_id="a"), AskCancelled(call_id="a"), AskExpired(call_id="a")):
        thread = acting_on(ask("a", WHERE))
        thread.takes(event)
        told.append(thread.result("a"))

    assert len({json.dumps(result) for result in told}) == 3
    assert all("answers" not in result for result in told)
    assert all(text.strip() for result in told for text in result.values())


@pytest.mark.parametrize(
    ("event", "key", "text"),
    [
        (AskSkipped(call_id="a"), "skipped", words.SKIPPED),
        (AskCancelled(call_id="a"), "cancelled", words.CANCELLED),
        (AskExpired(call_id="a"), "expired", words.EXPIRED),
    ],
)
def test_what_was_answered_before_the_ask_was_declined_is_kept(event: Event, key: str, text: str) -> None:
    thread = acting_on(ask("a", WHERE, WHEN))
    thread.takes(answers("a", BOB, _1="Now"), event)

    assert thread.result("a") == {"answers": {"When?": "Now"}, "answered_by": {"When?": "Bob"}, key: text}


def test_skipping_one_of_two_asks_leaves_the_other_open() -> None:
    thread = acting_on(ask("a", WHERE), ask("b", WHEN))

    thread.takes(AskSkipped(call_id="a"))

    assert isinstance(thread.state, Waiting)
    assert [opened.call_id for opened in thread.state.asks] == ["b"]


def test_cancelling_one_of_two_asks_ends_everything() -> None:
    thread = acting_on(ask("a", WHERE), ask("b", WHEN), confirm("c"), tool("t"))

    thread.takes(AskCancelled(call_id="a"))

    assert isinstance(thread.state, Stopped)
    assert [len(thread.contents(call_id)) for call_id in "abct"] == [1, 1, 1, 1]


# Approvals.


def test_an_approved_confirmation_is_its_result() -> None:
    thread = acting_on(confirm("c"))

    thread.takes(ActionDecided(call_id="c", approved=True, by=BOB))

    assert isinstance(thread.state, Thinking)
    assert thread.result("c") == {"approved": True, "decided_by": "Bob"}


def test_a_denied_confirmation_says_who_and_why() -> None:
    thread = acting_on(confirm("c"))

    thread.takes(ActionDecided(call_id="c", approved=False, by=BOB, reason="not on a Friday"))

    assert isinstance(thread.state, Thinking)
    assert thread.result("c") == {"approved": False, "decided_by": "Bob", "reason": "not on a Friday"}


def test_an_approved_call_runs_the_tool() -> None:
    thread = acting_on(approve("d"))
    assert isinstance(thread.state, Waiting)

    thread.takes(ActionDecided(call_id="d", approved=True, by=BOB))

    assert isinstance(thread.state, RunningTools)
    assert [pending.call_id for pending in thread.state.tools] == ["d"]
    thread.finishes("d", "deployed")
    assert thread.contents("d") == ["deployed"]


def test_a_denied_call_does_not_run_the_tool() -> None:
    thread = acting_on(approve("d"))

    thread.takes(ActionDecided(call_id="d", approved=False, by=BOB))

    assert isinstance(thread.state, Thinking)
    assert thread.result("d") == {"approved": False, "decided_by": "Bob"}


@pytest.mark.parametrize("call", [confirm("c"), approve("c")])
def test_an_approval_that_nobody_gave_in_time_is_a_denial_that_says_so(call: Call) -> None:
    thread = acting_on(call)

    thread.takes(AskExpired(call_id="c"))

    assert isinstance(thread.state, Thinking)
    assert thread.result("c") == {"approved": False, "expired": words.EXPIRED}


@pytest.mark.parametrize("approved", [True, False])
def test_the_second_decision_about_an_action_is_refused(approved: bool) -> None:
    thread = acting_on(approve("d"))
    thread.takes(ActionDecided(call_id="d", approved=True, by=ANN))

    assert thread.refuses(ActionDecided(call_id="d", approved=approved, by=BOB)).why is Why.CLOSED


def test_an_action_cannot_be_answered_or_skipped() -> None:
    thread = acting_on(confirm("c"))

    assert thread.refuses(answers("c", _0="yes")).why is Why.CLOSED
    assert thread.refuses(AskSkipped(call_id="c")).why is Why.CLOSED


def test_an_ask_cannot_be_approved() -> None:
    assert acting_on(ask("a")).refuses(ActionDecided(call_id="a", approved=True)).why is Why.CLOSED


def test_cancelling_an_approval_ends_the_turn() -> None:
    thread = acting_on(approve("d"))

    thread.takes(AskCancelled(call_id="d"))

    assert isinstance(thread.state, Stopped)
    assert thread.state.cancelled
    assert thread.result("d") == {"cancelled": words.CANCELLED}


def test_one_decision_leaves_the_other_approvals_open() -> None:
    thread = acting_on(confirm("c"), approve("d"))

    thread.takes(ActionDecided(call_id="c", approved=True))

    assert isinstance(thread.state, Waiting)
    assert [opened.call_id for opened in thread.state.approvals] == ["d"]


# Tools.


def test_a_tool_that_may_not_run_twice_is_marked_before_it_runs() -> None:
    thread = acting_on(tool("t1"), tool("t2"))

    thread.takes(ToolsStarted(turn=1, call_ids=("t2",)))

    assert isinstance(thread.state, RunningTools)
    assert [pending.started for pending in thread.state.tools] == [False, True]


def test_a_mark_stays_while_others_are_set() -> None:
    thread = acting_on(tool("t1"), tool("t2"))

    thread.takes(ToolsStarted(turn=1, call_ids=("t2",)), ToolsStarted(turn=1, call_ids=("t1",)))

    assert isinstance(thread.state, RunningTools)
    assert [pending.started for pending in thread.state.tools] == [True, True]


def test_a_tool_cannot_be_started_twice() -> None:
    thread = acting_on(tool("t"))
    thread.takes(ToolsStarted(turn=1, call_ids=("t",)))

    assert thread.refuses(ToolsStarted(turn=1, call_ids=("t",))).why is Why.SUPERSEDED


def test_a_call_that_waits_for_people_cannot_be_started() -> None:
    thread = acting_on(tool("t"), ask("a"), approve("d"))

    for call_ids in [("a",), ("d",), ("t", "d"), ("nonsense",)]:
        assert thread.refuses(ToolsStarted(turn=1, call_ids=call_ids)).why is Why.SUPERSEDED


def test_a_second_result_of_the_same_tool_is_refused() -> None:
    thread = acting_on(tool("t1"), tool("t2"))
    thread.finishes("t1", "first")

    assert thread.refuses(ToolFinished(turn=1, call_id="t1", content="second")).why is Why.SUPERSEDED
    assert thread.contents("t1") == ["first"]


def test_a_result_for_an_ask_is_not_the_turns_to_give() -> None:
    thread = acting_on(tool("t"), ask("a"))

    assert thread.refuses(ToolFinished(turn=1, call_id="a", content="x")).why is Why.SUPERSEDED


def test_a_late_result_of_an_older_turn_is_refused() -> None:
    thread = acting_on(tool("t"))
    thread.takes(StopRequested(), says("again"))

    assert thread.refuses(ToolFinished(turn=1, call_id="t", content="x")).why is Why.SUPERSEDED
    assert thread.contents("t") == [NO_RESULT]


@pytest.mark.parametrize(
    "event",
    [
        replied(1, 1, "x"),
        ToolsStarted(turn=1, call_ids=()),
        ToolFinished(turn=1, call_id="t", content="x"),
        TurnFailed(turn=1, shown="x"),
        Summarised(turn=1, upto=1, summary="x"),
    ],
    ids=lambda event: event.kind,
)
def test_whatever_an_older_turn_reports_is_refused(event: Event) -> None:
    thread = thinking()
    thread.takes(StopRequested())
    assert thread.refuses(event).why is Why.SUPERSEDED

    thread.takes(says("again"))
    assert thread.refuses(event).why is Why.SUPERSEDED

    thread.replies("", ask("a"))
    assert thread.refuses(event).why is Why.SUPERSEDED


def test_an_empty_result_is_a_result() -> None:
    thread = acting_on(tool("t"))

    thread.finishes("t", "")

    assert isinstance(thread.state, Thinking)
    assert thread.contents("t") == [""]
    assert thread.folded() == thread.state


def test_tools_cannot_finish_while_the_model_is_thinking() -> None:
    thread = thinking()

    assert thread.refuses(ToolFinished(turn=1, call_id="t", content="x")).why is Why.SUPERSEDED
    assert thread.refuses(ToolsStarted(turn=1, call_ids=("t",))).why is Why.SUPERSEDED


# Stop and failure.


def test_a_stop_while_thinking_ends_the_turn() -> None:
    thread = thinking()

    thread.takes(StopRequested(by=BOB))

    assert thread.state == Stopped(seq=2, turn=1, heard=1)
    assert said(thread) == ["ship it", "(Stopped by Bob.)"]


def test_a_stop_by_nobody_known_names_nobody() -> None:
    thread = thinking()

    thread.takes(StopRequested())

    assert said(thread)[-1] == "(Stopped.)"


def test_the_reply_that_comes_after_a_stop_is_refused() -> None:
    thread = thinking()
    thread.takes(StopRequested())

    assert thread.refuses(replied(1, 1, "Done.")).why is Why.SUPERSEDED


def test_a_stop_while_tools_run_says_what_is_known_of_each() -> None:
    thread = acting_on(tool("t1"), tool("t2"), tool("t3"))
    thread.takes(ToolsStarted(turn=1, call_ids=("t2",)))
    thread.finishes("t3", "done")

    thread.takes(StopRequested())

    assert [thread.contents(f"t{n}") for n in (1, 2, 3)] == [[NO_RESULT], [UNKNOWN_OUTCOME], ["done"]]
    assert faults(thread.transcript()) == []


def test_a_stop_while_waiting_closes_what_is_open() -> None:
    thread = acting_on(ask("a", WHERE), confirm("c"))

    thread.takes(StopRequested())

    assert isinstance(thread.state, Stopped)
    assert not thread.state.cancelled
    assert thread.result("a") == thread.result("c") == {"cancelled": words.CANCELLED}


@pytest.mark.parametrize("event", [StopRequested(), TurnFailed(turn=1, shown="The model is away.")])
def test_the_note_that_a_turn_ended_is_the_last_thing_in_it(event: Event) -> None:
    thread = acting_on(tool("t"))
    thread.takes(says("and hurry"), event)

    assert roles(thread) == ["user", "assistant", "tool", "user", "assistant"]


def test_there_is_nothing_to_stop_in_a_thread_at_rest() -> None:
    thread = thinking()
    thread.replies("Done.")

    assert Thread().refuses(StopRequested()).why is Why.NOTHING_TO_STOP
    assert thread.refuses(StopRequested()).why is Why.NOTHING_TO_STOP


def test_a_stop_twice_is_refused_the_second_time() -> None:
    thread = thinking()
    thread.takes(StopRequested())

    assert thread.refuses(StopRequested()).why is Why.NOTHING_TO_STOP


def test_a_model_that_fails_ends_the_turn_in_words_for_people() -> None:
    thread = thinking()

    thread.takes(TurnFailed(turn=1, shown="The model is away."))

    assert thread.state == Failed(seq=2, turn=1, heard=1, shown="The model is away.")
    assert said(thread)[-1] == "(The model is away.)"


def test_a_failure_while_tools_run_gives_each_call_its_result() -> None:
    thread = acting_on(tool("t"), ask("a"))

    thread.takes(TurnFailed(turn=1, shown="No more."))

    assert isinstance(thread.state, Failed)
    assert faults(thread.transcript()) == []
    assert [len(thread.contents(call_id)) for call_id in ("t", "a")] == [1, 1]


def test_a_failure_of_an_older_turn_is_refused() -> None:
    thread = thinking()
    thread.takes(StopRequested(), says("again"))

    assert thread.refuses(TurnFailed(turn=1, shown="x")).why is Why.SUPERSEDED


# Summaries.


def test_a_summary_is_read_in_place_of_what_it_stands_for() -> None:
    thread = thinking()
    thread.replies("Done.")
    thread.takes(says("and now?"))

    thread.takes(Summarised(turn=2, upto=2, summary="They shipped it."))

    assert isinstance(thread.state, Thinking)
    assert (thread.state.summary, thread.state.upto) == (4, 2)
    assert said(thread) == ["They shipped it.", "and now?"]


def test_a_summary_comes_before_the_replies_that_it_does_not_stand_for() -> None:
    thread = thinking()
    thread.replies("Done.")
    thread.takes(says("and now?"))
    thread.replies("", tool("t"))
    thread.finishes("t")

    thread.takes(Summarised(turn=2, upto=2, summary="They shipped it."))

    assert said(thread) == ["They shipped it.", "and now?", None, "done"]


def test_a_later_summary_takes_the_place_of_the_earlier() -> None:
    thread = thinking()
    thread.takes(Summarised(turn=1, upto=1, summary="First."))
    thread.replies("Done.")
    thread.takes(says("and now?"))

    thread.takes(Summarised(turn=2, upto=4, summary="Second."))

    assert said(thread) == ["Second."]


def test_a_summary_that_is_reported_a_second_time_is_refused() -> None:
    thread, summary = thinking(), Summarised(turn=1, upto=1, summary="First.")
    thread.takes(summary)

    assert thread.refuses(summary).why is Why.SUPERSEDED
    thread.replies("", tool("t"))
    assert thread.refuses(summary).why is Why.SUPERSEDED


# The journal.


def test_the_state_is_what_the_journal_amounts_to() -> None:
    thread = acting_on(tool("t"), ask("a", WHERE, WHEN), approve("d"))
    thread.takes(mutters("hm"), answers("a", BOB, _1="Now"), ActionDecided(call_id="d", approved=True))

    assert thread.folded() == thread.state


def test_a_journal_that_holds_a_refused_event_is_broken() -> None:
    with pytest.raises(IllegalTransition, match="idle refuses it"):
        fold([StopRequested()])


def test_an_empty_journal_is_an_idle_thread() -> None:
    assert fold([]) == Idle()
