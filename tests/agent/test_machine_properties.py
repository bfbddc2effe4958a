"""Whatever happens, in whatever order: the conversation is one the API takes, and the journal is the truth."""

import json
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from agent.core import events, states, transcript
from agent.core.asks import Remark
from agent.core.errors import IllegalTransition
from agent.core.events import (
    ActionDecided,
    AnswersGiven,
    AskCancelled,
    AskExpired,
    AskSkipped,
    Event,
    Limits,
    MessageReceived,
    ModelReplied,
    StopRequested,
    Summarised,
    ToolFinished,
    ToolsStarted,
    TurnFailed,
)
from agent.core.journal import Row
from agent.core.questions import question
from agent.core.states import Acting, AtRest, Idle, InTurn, State, Thinking
from agent.core.steps import Step, Why
from agent.core.transcript import Placed, ToolCall
from agent.core.transitions import advance
from agent.core.values import Person
from tests.support.builders import (
    ANN,
    BOB,
    WHEN,
    WHERE,
    WHY,
    Call,
    Thread,
    approve,
    ask,
    confirm,
    replied,
    tool,
)
from tests.support.conversation import faults

TEXTS = (
    *("", " \n", "1", "Staging", "staging, 2", "hello", "roll back, please"),
    *('"},{"role":"system"', "\ud83d half", "\x00\u2028", "名前 😀", "Staging"),
)
PEOPLE = (ANN, BOB, Person(), Person(id="U3", name="\udc00 名"))
ASKS = (
    (WHERE,),
    (WHERE, WHEN),
    (WHEN, WHY, WHERE),
    (WHY,),
    (WHERE, WHEN, WHY, question("Which?", "1", "Staging", multi_select=True)),
    (question("Sure?", "Yes", "No", allow_custom=False),),
)
REPLIES = ("", "t", "a", "tt", "aa", "p", "c", "ta", "tacp", "", "pt", "apt")  # a letter for each call
NUMBERS = ((0,), (0, 1), (1,), (0, 1, 2, 3), (2,), (3, 0), (-1,), (0, 9), ())


class Move(NamedTuple):
    """Which event to send, and two numbers that settle its details."""

    name: str
    a: int
    b: int


class Run:
    """A thread to which anything happens, and what must be so after each event."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.thread = Thread()
        self.folded: State = Idle()  # of the journal's rows as they are read back
        self.since = 0  # the row that began this thinking: every reply to it has seen it
        self.whole = [0]  # the rows after which no call is open, so that a summary may end there
        self.sent: list[Event] = []
        self.remarks: list[Remark] = []
        self.replies: Counter[int] = Counter()
        self.asks: Counter[int] = Counter()
        self.called: list[str] = []
        self.results: Counter[str] = Counter()
        self.tried: Counter[tuple[str, str]] = Counter()
        self.taken: Counter[tuple[str, str]] = Counter()
        self.refused: Counter[Why] = Counter()

    @property
    def state(self) -> State:
        return self.thread.state

    def play(self, move: Move) -> None:
        happened = MOVES[move.name](self, move.a, move.b)
        self.tried[self.state.kind, happened.kind] += 1
        if self.is_a_bug(happened):
            with pytest.raises(IllegalTransition):
                self.thread.send(happened)
            return
        self.sent.append(happened)
        before, rows = self.state, list(self.thread.rows)
        step = self.thread.send(happened)
        if isinstance(step, Step):
            self.taken[before.kind, happened.kind] += 1
            self.note(before, happened, step)
        else:
            self.refused[step.why] += 1
            assert self.state is before
            assert self.thread.rows == rows
            assert advance(before, happened) == step

    def is_a_bug(self, happened: Event) -> bool:
        """Whether this is what the turn never does."""
        match self.state, happened:
            case Thinking(finish=True), ModelReplied(turn=turn, seen=seen, calls=calls):
                return turn == self.state.turn and seen >= self.since and bool(calls)
        return False

    def note(self, before: State, happened: Event, step: Step) -> None:
        """Keep what the checks compare with."""
        after = step.state
        if not (isinstance(before, Thinking) and isinstance(happened, MessageReceived)):
            self.since = after.seq
        if not isinstance(after, Acting):
            self.whole.append(after.seq)
        if isinstance(happened, ModelReplied):
            self.replies[before.turn] += 1
            self.called += [call.id for call in happened.calls]
            self.asks[before.turn] += len(after.asks) if isinstance(after, Acting) else 0
        if isinstance(happened, MessageReceived) and not step.messages:
            self.remarks += self.thread.discussion[-1:]
        self.results.update(m["tool_call_id"] for m in step.messages if m["role"] == "tool")

    # What must be so.

    def check_the_conversation(self) -> None:
        if not self.thread.rows:
            return
        placed = self.thread.placed()
        assert faults([p.message for p in placed]) == []
        shown = [p.seq for p in placed]
        held = [seq for seq, row in self.rows_to_read() for _ in transcript.load(row.messages)]
        assert not Counter(shown) - Counter(held), "nothing is read twice"
        if not isinstance(self.state, Acting):
            assert Counter(shown) == Counter(held), "nothing is withheld"

    def rows_to_read(self) -> list[tuple[int, Row]]:
        """The rows after those that the newest summary stands for, and it, in their place."""
        state = self.state
        rest = [row for row in self.thread.rows if row.seq > state.upto and row.kind != Summarised.kind]
        summary = [(state.upto, row) for row in self.thread.rows if row.seq == state.summary]
        return summary + [(row.seq, row) for row in rest]

    def check_the_calls(self) -> None:
        assert all(count == 1 for count in self.results.values())
        assert len(set(self.called)) == len(self.called)
        without = set(self.called) - set(self.results)
        assert set(self.results) <= set(self.called)
        assert without == set(self.open_calls())
        if isinstance(self.state, Acting):
            assert without
            assert self.thread.rows[self.state.replied - 1].kind == ModelReplied.kind

    def check_the_journal(self) -> None:
        if len(self.thread.rows) > self.folded.seq:
            row = self.thread.rows[-1]
            assert row.read() == self.sent[-1]
            row.messages.encode()
            step = advance(self.folded, row.read())
            assert isinstance(step, Step)
            assert transcript.dump(step.messages) == row.messages
            self.folded = step.state
        assert self.folded == self.state
        assert self.state.seq == len(self.thread.rows)
        assert states.from_row(self.state.kind, self.state.to_json()) == self.state

    def check_the_limits(self) -> None:
        assert all(count <= self.limits.model_calls for count in self.replies.values())
        assert all(count <= self.limits.asks for count in self.asks.values())
        if isinstance(self.state, InTurn):
            assert self.state.model_calls == self.replies[self.state.turn] < self.limits.model_calls
            assert self.state.asks_made == self.asks[self.state.turn]
            assert self.state.finish == (self.state.model_calls == self.limits.model_calls - 1 > 0)

    def check_the_order(self) -> None:
        placed = self.thread.placed()
        rest = placed
        if self.state.summary:
            summary, *rest = placed
            assert summary.seq == self.state.upto
            assert summary.message["role"] == "user"
        for role in ("user", "assistant"):
            rows = [p.seq for p in rest if p.message["role"] == role]
            assert rows == sorted(rows)
        for index, reply in enumerate(rest):
            if reply.message["role"] == "assistant":
                self.check_the_words_around(rest[:index], reply, rest[index + 1 :])
        if isinstance(self.state, AtRest) and placed:
            assert placed[-1].message["role"] == "assistant"

    def check_the_words_around(self, before: list[Placed], reply: Placed, after: list[Placed]) -> None:
        seen = getattr(self.thread.rows[reply.seq - 1].read(), "seen", reply.seq)
        assert all(p.seq <= seen for p in before if p.message["role"] == "user")
        assert all(p.seq > seen for p in after if p.message["role"] == "user")

    def check_the_discussion(self) -> None:
        said = [message for row in self.thread.rows for message in transcript.load(row.messages)]
        results = [message["content"] for message in said if message["role"] == "tool"]
        told = [line for content in results for line in _discussion(content)]
        told += [str(message["content"]) for message in said if message["role"] == "user"]
        for remark in set(self.remarks) - set(self.thread.discussion):
            assert str(remark) in told or remark.text in told

    # What may happen.

    def open_calls(self) -> list[str]:
        if not isinstance(self.state, Acting):
            return []
        waiting = [opened.call_id for opened in (*self.state.asks, *self.state.approvals)]
        return waiting + [pending.call_id for pending in self.state.tools]

    def turn(self, n: int) -> int:
        """Mostly the current turn; sometimes an older one or one that never was."""
        return self.state.turn + {0: -1, 1: -2, 2: 1}.get(n, 0)

    def call_id(self, n: int) -> str:
        """Mostly a call that is open; sometimes one that is closed or never was."""
        now = self.open_calls()
        closed = [call_id for call_id in self.called if call_id not in now]
        if n == 0 or not self.called:
            return "nonsense"
        return now[n % len(now)] if now and n > 2 else self.called[-n] if n < len(closed) else self.called[0]

    def says(self, a: int, b: int) -> Event:
        return MessageReceived(text=TEXTS[a], author=PEOPLE[b % 4])

    def mutters(self, a: int, b: int) -> Event:
        text = TEXTS[a] if b < 3 else f"remark {len(self.sent)}"
        return MessageReceived(text=text, author=PEOPLE[b % 4], addressed=False)

    def replies_now(self, a: int, b: int) -> Event:
        letters = REPLIES[a]
        if isinstance(self.state, Thinking) and self.state.finish and b > 1:
            letters = ""
        return self.reply(self.state.turn, letters, b, cut=a == 9)

    def replies_late(self, a: int, b: int) -> Event:
        return self.reply(self.turn(b % 4), REPLIES[a], b, cut=a == 9)

    def reply(self, turn: int, letters: str, b: int, cut: bool) -> Event:
        made = [self.call(letter, index, b) for index, letter in enumerate(letters)]
        seen = self.since + b % (self.state.seq - self.since + 1)
        return replied(turn, seen, TEXTS[b], *made, cut=cut, limits=self.limits)

    def call(self, letter: str, index: int, b: int) -> Call:
        call_id = ToolCall.numbered(self.state.replies, index, "", "").id
        if letter == "a":
            return ask(call_id, *ASKS[(b + index) % len(ASKS)])
        return {"t": tool, "c": confirm, "p": approve}[letter](call_id)

    def starts(self, a: int, b: int) -> Event:
        ids = self.pending_tools() if b > 2 else [self.call_id(a)]
        return ToolsStarted(turn=self.turn(b), call_ids=tuple(ids[: 1 + a % 3]))

    def finishes(self, a: int, b: int) -> Event:
        pending = self.pending_tools()
        call_id = pending[a % len(pending)] if pending and b > 1 else self.call_id(a)
        return ToolFinished(turn=self.turn(b), call_id=call_id, content=TEXTS[(a + b) % len(TEXTS)])

    def pending_tools(self) -> list[str]:
        return [pending.call_id for pending in self.state.tools] if isinstance(self.state, Acting) else []

    def answers(self, a: int, b: int) -> Event:
        given = {number: TEXTS[(b + number) % len(TEXTS)] for number in NUMBERS[a % len(NUMBERS)]}
        opened = self.state.asks if isinstance(self.state, Acting) else ()
        call_id = opened[b % len(opened)].call_id if opened and a < 9 else self.call_id(b)
        return AnswersGiven(call_id=call_id, answers=given, by=PEOPLE[(a + b) % 4])

    def skips(self, a: int, b: int) -> Event:
        return AskSkipped(call_id=self.call_id(a), by=PEOPLE[b % 4])

    def cancels(self, a: int, b: int) -> Event:
        return AskCancelled(call_id=self.call_id(a), by=PEOPLE[b % 4])

    def expires(self, a: int, b: int) -> Event:
        return AskExpired(call_id=self.call_id(a))

    def decides(self, a: int, b: int) -> Event:
        opened = self.state.approvals if isinstance(self.state, Acting) else ()
        call_id = opened[a % len(opened)].call_id if opened and b > 1 else self.call_id(a)
        return ActionDecided(call_id=call_id, approved=b % 3 > 0, by=PEOPLE[b % 4], reason=TEXTS[a])

    def stops(self, a: int, b: int) -> Event:
        return StopRequested(by=PEOPLE[a % 4])

    def fails(self, a: int, b: int) -> Event:
        return TurnFailed(turn=self.turn(a), shown=TEXTS[b])

    def summarises(self, a: int, b: int) -> Event:
        seen = {row.seq: getattr(row.read(), "seen", row.seq) for row in self.thread.rows}
        # As the thinker chooses it: no later reply stands before words that the summary would stand for.
        ends = [
            end for end in self.whole if end >= self.state.upto and all(seen[row] >= end for row in seen if row > end)
        ]
        return Summarised(turn=self.turn(b), upto=ends[-1 - a % len(ends)], summary=TEXTS[b])

    def goes_on(self, a: int, b: int) -> Event:
        """Whatever moves the thread on from where it is."""
        if isinstance(self.state, AtRest):
            return self.says(a, b)
        if isinstance(self.state, Thinking):
            return self.replies_now(a, max(b, 2))
        waits = isinstance(self.state, Acting) and self.state.waits_for_people
        if self.pending_tools() and (a < 6 or not waits):
            return self.finishes(a, max(b, 3))
        if isinstance(self.state, Acting) and self.state.asks:
            opened = self.state.asks[b % len(self.state.asks)]
            number = opened.unanswered[a % len(opened.unanswered)]
            return AnswersGiven(call_id=opened.call_id, answers={number: "Staging"}, by=PEOPLE[b % 4])
        return self.decides(a, max(b, 2))

    def repeats(self, a: int, b: int) -> Event:
        """Something that was sent before, taken or not, is delivered again."""
        back = b if a > 6 else 0  # mostly the last thing again
        return self.sent[-1 - back % len(self.sent)] if self.sent else StopRequested()


def _discussion(content: str) -> list[str]:
    """What a result says that people wrote, if it is one of ours."""
    told: list[str] = json.loads(content).get("discussion", []) if content.startswith('{"') else []
    return told


MOVES: dict[str, Callable[[Run, int, int], Event]] = {
    name: getattr(Run, name)
    for name in (
        *("says", "mutters", "replies_now", "replies_late", "starts", "finishes", "answers", "skips"),
        *("cancels", "expires", "decides", "stops", "fails", "summarises", "repeats", "goes_on"),
    )
}
# What keeps a turn going comes more often than what ends it.
OFTEN = {"goes_on": 16, "replies_now": 2, "answers": 3, "says": 2, "mutters": 3, "decides": 2, "repeats": 2}
NAMES = [name for name in MOVES for _ in range(OFTEN.get(name, 1))]

ONE_MOVE = st.builds(Move, st.sampled_from(NAMES), st.integers(0, 11), st.integers(0, 11))
# Long runs reach further; that a run may be short too lets a failure shrink.
RUNS = st.lists(ONE_MOVE, max_size=40) | st.lists(ONE_MOVE, min_size=20, max_size=40)
LIMITS = st.builds(Limits, model_calls=st.integers(2, 6), asks=st.integers(0, 3))


def thorough(examples: int) -> settings:
    return settings(
        max_examples=examples,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def test_whatever_happens_the_api_takes_the_conversation_and_the_journal_is_the_truth() -> None:
    tried: Counter[tuple[str, str]] = Counter()
    taken: Counter[tuple[str, str]] = Counter()
    refused: Counter[Why] = Counter()

    @thorough(2500)
    @given(LIMITS, RUNS)
    def whatever_happens(limits: Limits, moves: list[Move]) -> None:
        run = Run(limits)
        for move in moves:
            run.play(move)
            run.check_the_conversation()
            run.check_the_calls()
            run.check_the_journal()
            run.check_the_limits()
        assert run.thread.folded() == run.state
        event(f"ends {run.state.kind}")
        tried.update(run.tried)
        taken.update(run.taken)
        refused.update(run.refused)

    whatever_happens()

    print_distribution(tried, taken, refused)
    everything = {(state, kind) for state in states._KINDS for kind in events._KINDS}
    assert set(tried) == everything, "every event was tried in every state"
    assert {kind for _, kind in taken} == set(events._KINDS), "every event was taken"
    assert set(refused) == set(Why) - {Why.TAKEN_OVER}, "every refusal of the machine was given"


@thorough(600)
@given(LIMITS, RUNS)
def test_the_conversation_is_read_in_the_order_in_which_it_was_held(limits: Limits, moves: list[Move]) -> None:
    run = Run(limits)
    for move in moves:
        run.play(move)
        run.check_the_order()


@thorough(2000)
@given(LIMITS, RUNS)
def test_everything_that_people_discuss_while_they_are_waited_for_reaches_the_model(
    limits: Limits, moves: list[Move]
) -> None:
    run = Run(limits)
    for move in moves:
        run.play(move)
    run.check_the_discussion()


def print_distribution(tried: Counter[tuple[str, str]], taken: Counter[tuple[str, str]], refused: Counter[Why]) -> None:
    """Seen with `pytest -s`."""
    print(f"\n{sum(tried.values())} events, {sum(taken.values())} taken")
    for kind in events._KINDS:
        cells = [f"{state} {taken[state, kind]}/{tried[state, kind]}" for state in states._KINDS]
        print(f"{kind:>10}: {', '.join(cells)}")
    print(", ".join(f"{why.name} {count}" for why, count in refused.most_common()))
