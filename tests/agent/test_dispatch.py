"""Who runs a turn: one contract for a process that is alone, and for one of many."""

import asyncio

from agent.core.events import MessageReceived, ModelReplied
from agent.core.states import Idle, State, Thinking
from agent.core.steps import Refused
from agent.core.transcript import ToolCall
from agent.dispatch.local import LocalDispatch
from agent.ports import Card, ThreadKey
from tests.support.replicas import Process
from tests.support.world import ANN, THREAD

OTHER = THREAD.model_copy(update={"team": "T2"})
SAID = MessageReceived(text="go", author=ANN)
ASK = ToolCall.numbered(1, 0, "ask_user_question", '{"questions": [{"question": "Why?"}]}')
ASKED = ModelReplied(turn=1, seen=1, calls=(ASK,), waits={ASK.id: "ask"})
FORM = Card("2/ask/000001000", "1.5", "abc", 100.0, is_open=True, title="Why?")


async def test_a_start_goes_on_with_what_was_left_and_only_for_teams_that_are_served(database_url: str) -> None:
    first = await Process(database_url).start()
    await first.store.append(THREAD, SAID)
    await first.store.append(OTHER, SAID)
    await first.store.delivery.accept("a", "{}")
    await first.stop()

    second = await Process(database_url).start()

    assert second.adopted == [THREAD]
    assert second.received == [("a", "{}")]
    assert isinstance(await second.store.held(THREAD), Thinking)
    await second.stop()


async def test_a_thread_that_waits_and_is_shown_is_not_work(database_url: str) -> None:
    first = await Process(database_url).start()
    for event in (SAID, ASKED):
        await first.store.append(THREAD, event)
    await first.store.delivery.show(THREAD, [FORM], 2)
    await first.stop()

    second = await Process(database_url).start()

    assert second.adopted == []
    await second.stop()


async def test_where_nobody_writes_down_what_is_shown_only_unfinished_threads_are_work(database_url: str) -> None:
    first = await Process(database_url).start()
    for event in (SAID, ASKED):
        await first.store.append(THREAD, event)
    await first.stop()

    second = Process(database_url, "T2")
    await second.start()
    second.store.adoption.serve("T1", writes_down_what_is_shown=False)
    dead = await second.store.adoption.dead(0)

    assert await second.store.adoption.threads(dead) == []
    await second.stop()


async def test_what_was_dealt_with_is_not_dealt_with_again(database_url: str) -> None:
    process = await Process(database_url).start()
    await process.store.delivery.accept("a", "{}")

    assert not isinstance(await process.store.append(THREAD, SAID, received="a"), Refused)
    assert isinstance(await process.store.append(THREAD, SAID, received="a"), Refused)

    assert len(await process.store.events(THREAD)) == 1
    await process.stop()


class Turn:
    """It runs until it is told that there is nothing to do; a stubborn one does not end when it is cancelled."""

    def __init__(self, state: State, *, stubborn: bool = False) -> None:
        self.states = [state]
        self.over, self.released = asyncio.Event(), asyncio.Event()
        self._stubborn = stubborn

    def learn(self, state: State) -> None:
        self.states.append(state)
        if isinstance(state, Idle):
            self.over.set()

    async def run(self) -> None:
        try:
            await self.over.wait()
        finally:
            if self._stubborn:
                await self.released.wait()


class Turns:
    def __init__(self, *, stubborn: bool = False) -> None:
        self.begun: list[Turn] = []
        self._stubborn = stubborn

    def begin(self, _key: ThreadKey, state: State) -> Turn:
        self.begun.append(Turn(state, stubborn=self._stubborn))
        return self.begun[-1]


async def test_a_thread_has_one_turn_which_hears_of_everything() -> None:
    turns = Turns()
    dispatch = LocalDispatch(turns.begin)

    dispatch.learn(THREAD, Thinking(seq=1))
    dispatch.learn(THREAD, Thinking(seq=2))
    await asyncio.sleep(0)
    dispatch.learn(THREAD, Idle(seq=3))
    await dispatch.idle()

    assert [[state.seq for state in turn.states] for turn in turns.begun] == [[1, 2, 3]]


async def test_a_thread_without_work_gets_no_turn() -> None:
    turns = Turns()
    dispatch = LocalDispatch(turns.begin)

    dispatch.learn(THREAD, Idle(seq=1))
    await dispatch.settled(THREAD)

    assert turns.begun == []


async def test_a_thread_that_comes_back_while_its_old_turn_still_ends_gets_a_new_one() -> None:
    turns = Turns(stubborn=True)
    dispatch = LocalDispatch(turns.begin)
    dispatch.learn(THREAD, Thinking(seq=1))
    await asyncio.sleep(0)
    letting_go = asyncio.create_task(dispatch.let_go())
    await asyncio.sleep(0)

    dispatch.learn(THREAD, Thinking(seq=1))
    old, new = turns.begun
    old.released.set()
    await letting_go
    dispatch.learn(THREAD, Idle(seq=2))
    new.released.set()
    await dispatch.idle()

    assert [state.seq for state in old.states] == [1]
    assert [state.seq for state in new.states] == [1, 2]


async def test_after_its_end_no_turn_begins() -> None:
    turns = Turns()
    dispatch = LocalDispatch(turns.begin)
    dispatch.learn(THREAD, Thinking(seq=1))
    await dispatch.close()

    dispatch.learn(THREAD, Thinking(seq=2))
    await dispatch.settled(THREAD)

    assert len(turns.begun) == 1
