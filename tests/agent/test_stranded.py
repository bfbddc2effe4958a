"""A database that is away for a moment: what became ours is not forgotten, and what runs goes on."""

import asyncio
from typing import Any

import pytest

from agent import threads
from agent.core.errors import StoreError
from agent.core.events import Event, MessageReceived, ModelReplied, StopRequested, ToolFinished, ToolsStarted
from agent.core.states import Idle, State, Stopped
from agent.core.steps import Refused
from agent.ports import Recorded, ThreadKey
from agent.store.journal import Store
from agent.turn import NOT_RUN
from tests.support.world import ANN, THREAD, World

OTHER = THREAD.model_copy(update={"root": "2"})


async def test_threads_whose_state_cannot_be_read_at_once_go_on_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await Store.open(world.database_url)
    for key in (THREAD, OTHER):
        await store.append(key, MessageReceived(text="go", author=ANN))
    await store.close()
    monkeypatch.setattr(Store, "held", away_once(Store.held))
    world.model.will_say("Done.")
    world.model.will_say("Done.")

    await world.start()
    await world.model.asked(2)

    for key in (THREAD, OTHER):
        assert isinstance(await world.threads.settled(key), Idle)


def away_once(usual: Any) -> Any:
    failed: list[bool] = []

    async def read(*given: Any) -> Any:
        if not failed:
            failed.append(True)
            raise StoreError("away")
        return await usual(*given)

    return read


def answers_lost(world: World, monkeypatch: pytest.MonkeyPatch, *events: type[Event], written: bool) -> list[str]:
    """The first append of each of these fails, `written` down all the same or not."""
    usual, lost = world.store.append, list(events)
    failed: list[str] = []

    async def append(key: ThreadKey, event: Event, received: str = "") -> Recorded | Refused:
        if type(event) not in lost:
            return await usual(key, event, received)
        lost.remove(type(event))
        failed.append(event.kind)
        if written:
            await usual(key, event, received)
        raise StoreError("away")

    monkeypatch.setattr(world.store, "append", append)
    return failed


@pytest.mark.parametrize("written", [False, True])
async def test_a_run_goes_on_when_the_database_was_away_for_a_moment(
    world: World, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    ran = []

    @world.toolbox.tool(repeatable=True)
    async def look(where: str) -> str:
        """Look there."""
        ran.append(where)
        return "nothing"

    await world.start()
    failed = answers_lost(world, monkeypatch, ModelReplied, ToolFinished, written=written)
    world.model.will_call(("look", {"where": "here"}))
    world.model.will_say("Nothing there.")

    await world.record(MessageReceived(text="go", author=ANN))
    await world.model.asked(2)

    assert isinstance(await world.settled(), Idle)
    assert (ran, failed) == (["here"], ["replied", "finished"])
    assert [message["role"] for message in await world.transcript()] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize("written", [False, True])
async def test_what_may_not_run_twice_is_not_run_unless_that_is_written_down(
    world: World, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    ran = []

    @world.toolbox.tool()
    async def ship(what: str) -> str:
        """Ship it."""
        ran.append(what)
        return "shipped"

    @world.toolbox.tool(repeatable=True)
    async def look(where: str) -> str:
        """Look there."""
        ran.append(where)
        return "nothing"

    await world.start()
    answers_lost(world, monkeypatch, ToolsStarted, written=written)
    world.model.will_call(("ship", {"what": "it"}), ("look", {"where": "here"}))
    world.model.will_say("It was not shipped.")

    await world.record(MessageReceived(text="go", author=ANN))
    await world.model.asked(2)

    assert isinstance(await world.settled(), Idle)
    assert (ran, await world.results()) == (["here"], [NOT_RUN, "nothing"])


async def test_an_older_state_that_is_read_late_is_not_told_after_a_newer_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.start()
    read, hand_over = asyncio.Event(), asyncio.Event()
    usual = world.store.held

    async def slow(key: ThreadKey) -> State | None:
        state = await usual(key)
        read.set()
        await hand_over.wait()
        return state

    monkeypatch.setattr(world.store, "held", slow)
    world.model.will_hang()
    await world.record(MessageReceived(text="go", author=ANN))
    await world.model.asked(1)
    world.threads.wake(THREAD)
    await read.wait()
    await world.record(StopRequested(by=ANN))
    await world.settled()

    hand_over.set()
    await asyncio.gather(*world.threads._waking)

    assert [what for step, what in world.seen.steps if step == "state"] == ["thinking", "stopped"]
    assert isinstance(await world.settled(), Stopped)
    assert len(world.model.requests) == 1


async def test_a_thread_that_is_woken_often_while_the_database_is_away_is_looked_at_by_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.start()
    back = asyncio.Event()

    async def away(_key: ThreadKey) -> State | None:
        if back.is_set():
            return None
        raise StoreError("away")

    async def sleep(_seconds: float) -> None:
        await back.wait()

    monkeypatch.setattr(world.store, "held", away)
    monkeypatch.setattr(threads.asyncio, "sleep", sleep)
    for _ in range(20):
        world.threads.wake(THREAD)
        await asyncio.wait(world.threads._waking, timeout=0)

    assert len(world.threads._waking) == 1
    back.set()
    await asyncio.gather(*world.threads._waking)
