"""What belongs to whom, when several processes share a PostgreSQL: one that is dead or frozen loses it for good."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from agent import signals
from agent.core.errors import StoreError
from agent.core.events import MessageReceived, ModelReplied, StopRequested
from agent.core.states import State, Thinking
from agent.core.steps import Refused, Why
from agent.core.transcript import ToolCall
from agent.dispatch import postgres
from agent.model.openai import OpenAIModel
from agent.ports import NOBODY, Alone, Card, NoWatcher, Recorded, ThreadKey
from agent.replica import Replica
from agent.store import journal
from agent.thinking import Thinker
from agent.threads import Threads
from agent.tools.registry import Toolbox
from tests.support.postgres import SERVER, fresh_database, make_template
from tests.support.replicas import Process
from tests.support.scripted_model import ScriptedModel
from tests.support.world import ANN, THREAD

OTHER = THREAD.model_copy(update={"root": "2"})
SAID = MessageReceived(text="go", author=ANN)
MORE = MessageReceived(text="and quickly", author=ANN)
ASK = ToolCall.numbered(1, 0, "ask_user_question", '{"questions": [{"question": "Why?"}]}')
ASKED = ModelReplied(turn=1, seen=1, calls=(ASK,), waits={ASK.id: "ask"})
DONE = ModelReplied(turn=1, seen=1, text="Done.")
FORM = Card("2/ask/000001000", "1.5", "abc", 100.0, is_open=True, title="Why?", remind_at=200.0)


class Office:
    """A database, and processes that come and go."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.processes: list[Process] = []

    async def hires(self, *teams: str) -> Process:
        self.processes.append(await Process(self.url, *teams).start())
        return self.processes[-1]

    async def loses(self, process: Process) -> None:
        self.processes.remove(process)
        await process.stop()

    def cuts_off(self, process: Process) -> None:
        """Its lock goes, as if the others had taken it for dead."""
        self.ask(
            "SELECT pg_terminate_backend(pid) FROM pg_locks"
            f" WHERE objid::bigint = {process.number} AND {signals.IS_HELD}"
        )

    def runner(self, key: ThreadKey) -> int:
        return int(self.ask(f"SELECT runner FROM threads WHERE root = '{key.root}' AND number = {key.number}")[0])

    def hands_over(self, key: ThreadKey, process: Process) -> None:
        self.ask(f"UPDATE threads SET runner = {process.number} WHERE root = '{key.root}' RETURNING id")

    def ask(self, query: str) -> tuple[int, ...]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(query).fetchone() or ()


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    if not SERVER:
        pytest.skip("PARLEY_TEST_POSTGRES is not set: no PostgreSQL server to test on")
    await asyncio.to_thread(make_template)
    with fresh_database() as url:
        office = Office(url)
        yield office
        for process in office.processes:
            await process.stop()


async def test_a_thread_belongs_to_whoever_heard_of_it_first_and_the_others_tell_it(office: Office) -> None:
    one, two = await office.hires(), await office.hires()
    first = await one.store.append(THREAD, SAID)

    second = await two.store.append(THREAD, MORE)

    assert isinstance(first, Recorded)
    assert isinstance(second, Recorded)
    assert (first.held, second.held) == ("ours", "theirs")
    assert office.runner(THREAD) == one.number
    await one.until(lambda: one.woken == [THREAD])
    assert await one.store.held(THREAD) == second.state
    assert await two.store.held(THREAD) is None


async def test_one_that_came_a_moment_ago_is_not_taken_for_dead(office: Office) -> None:
    one = await office.hires()
    assert one.presence
    two = await office.hires()
    await two.store.append(THREAD, SAID)
    one.presence._living = frozenset({one.number})  # as it was before the other came

    told = await one.store.append(THREAD, MORE)

    assert isinstance(told, Recorded)
    assert told.held == "theirs"


async def test_what_a_turn_reports_is_refused_once_the_thread_is_anothers(office: Office) -> None:
    one, two = await office.hires(), await office.hires()
    await one.store.append(THREAD, SAID)
    office.hands_over(THREAD, two)

    assert await one.store.append(THREAD, DONE) == Refused(Why.TAKEN_OVER)
    assert isinstance(await one.store.append(THREAD, MORE), Recorded)
    assert isinstance(await two.store.append(THREAD, replace_seen(DONE, 1)), Recorded)


def replace_seen(event: ModelReplied, seen: int) -> ModelReplied:
    return event.model_copy(update={"seen": seen})


async def test_what_is_shown_counts_only_from_whoever_has_the_thread(office: Office) -> None:
    one, two = await office.hires(), await office.hires()
    for event in (SAID, ASKED):
        await one.store.append(THREAD, event)

    assert await two.store.delivery.cards(THREAD) is None
    assert not await two.store.delivery.show(THREAD, [FORM], 2)
    assert await one.store.delivery.cards(THREAD) == ([], 0)
    assert await one.store.delivery.show(THREAD, [FORM], 2)


async def test_everyone_hears_in_which_team_something_opened_or_ended(office: Office) -> None:
    one, two = await office.hires(), await office.hires()
    await one.store.append(THREAD, SAID)

    await one.store.delivery.show(THREAD, [replace(FORM, is_open=False)], 1)
    await one.store.delivery.show(THREAD, [FORM], 1)

    await two.until(lambda: two.heard)
    await one.until(lambda: one.heard)
    assert one.heard == two.heard == [THREAD.team]


async def test_whoever_writes_to_the_thread_of_one_that_ended_has_it(office: Office) -> None:
    one = await office.hires()
    await one.store.append(THREAD, SAID)
    await one.store.append(OTHER, SAID)
    await one.store.append(OTHER, ASKED)
    await one.store.delivery.show(OTHER, [FORM], 2)
    await office.loses(one)
    two = await office.hires("another team")

    unshown, shown = await two.store.append(THREAD, MORE), await two.store.append(OTHER, MORE)

    assert isinstance(unshown, Recorded)
    assert isinstance(shown, Recorded)
    assert (unshown.held, shown.held) == ("taken", "ours")  # the second was wholly shown: nothing to look up
    assert office.runner(THREAD) == office.runner(OTHER) == two.number


async def test_what_one_leaves_is_adopted_by_one_of_the_others(office: Office) -> None:
    one, two, three = [await office.hires() for _ in range(3)]
    keys = [THREAD.model_copy(update={"root": str(number)}) for number in range(20)]
    await asyncio.gather(*(one.store.append(key, SAID) for key in keys))
    await one.store.delivery.accept("a", "{}")

    await office.loses(one)

    await two.until(lambda: len(two.adopted) + len(three.adopted) == len(keys))
    await two.until(lambda: two.received or three.received)
    assert {key.root for key in two.adopted + three.adopted} == {key.root for key in keys}
    assert two.received + three.received == [("a", "{}")]


async def test_a_paused_thread_is_left_alone_until_it_is_due(office: Office) -> None:
    one = await office.hires()
    for event in (SAID, ASKED):
        await one.store.append(THREAD, event)
    await one.store.delivery.show(THREAD, [FORM], 2)
    number = one.number
    await office.loses(one)
    two = await office.hires()

    assert await two.store.adoption.dead(now=199.0) == frozenset()
    assert await two.store.adoption.dead(now=200.0) == {number}
    assert await two.store.delivery.due(200.0) == []
    assert await two.store.adoption.due({number}, 200.0) == [THREAD]

    assert await two.store.delivery.due(200.0) == [(THREAD, FORM)]
    assert two.adopted == []


async def test_what_came_in_at_one_is_not_left_to_another_while_it_lives(office: Office) -> None:
    one, two = await office.hires(), await office.hires()
    await one.store.delivery.accept("a", "{}")

    assert not await two.store.delivery.accept("a", "{}")

    assert (await one.store.delivery.is_left("a"), await two.store.delivery.is_left("a")) == (True, False)


async def test_what_came_in_is_dealt_with_once_even_if_its_first_owner_comes_back(office: Office) -> None:
    one, two = await office.hires(), await office.hires()
    await one.store.delivery.accept("a", "{}")
    number = one.number
    office.cuts_off(one)
    await one.until(lambda: one.number not in (NOBODY, number))
    await two.until(lambda: one.received or two.received)
    heir, other = (one, two) if one.received else (two, one)

    assert isinstance(await heir.store.append(THREAD, SAID, received="a"), Recorded)
    assert await other.store.append(THREAD, SAID, received="a") == Refused(Why.TAKEN_OVER)
    assert await heir.store.append(THREAD, SAID, received="a") == Refused(Why.TAKEN_OVER)
    assert not await heir.store.delivery.settle("a")
    assert len(await heir.store.events(THREAD)) == 1


async def test_one_that_lost_its_place_lets_go_before_it_comes_back_under_another_number(office: Office) -> None:
    one = await office.hires()
    await one.store.append(THREAD, SAID)
    number = one.number

    office.cuts_off(one)

    await one.until(lambda: one.adopted == [THREAD])
    assert one.number_when_let_go == NOBODY
    assert one.number not in (NOBODY, number)
    assert one.replica.is_current()


class Place(Alone):
    """A membership that is told what to say."""

    def __init__(self) -> None:
        self.back = asyncio.Event()

    def give_up(self) -> None:
        raise AssertionError("there is no doubt")

    async def leave(self) -> None:
        pass

    async def join(self, hear: Callable[[signals.Sign], None]) -> None:
        self.hear = hear

    def rejoin(self) -> None:
        self.back.set()


class Looked:
    in_doubt = False

    def __init__(self) -> None:
        self.times = 0

    async def dead(self, _now: float) -> frozenset[int]:
        self.times += 1
        return frozenset()


async def test_one_that_is_told_to_stop_while_it_starts_over_takes_over_nothing_more() -> None:
    place, looked, letting_go, may_go = Place(), Looked(), asyncio.Event(), asyncio.Event()

    async def slowly() -> None:
        letting_go.set()
        await may_go.wait()

    replica = Replica(looked, place)
    replica.follow(let_go=slowly)
    await replica.join()
    await replica.start()
    place.hear(signals.Lost())
    await letting_go.wait()

    await replica.retire()
    may_go.set()
    await place.back.wait()
    place.hear(signals.Sweep())
    for _ in range(10):
        await asyncio.sleep(0)  # whatever would look now has its turn

    assert looked.times == 1
    await replica.close()


async def test_words_that_no_replica_would_say_do_not_end_one(office: Office) -> None:
    one = await office.hires()
    await one.store.append(THREAD, SAID)
    number = one.number

    office.ask(f"SELECT pg_notify('{signals.channel_of(number)}', 'nonsense')")

    await one.until(lambda: one.adopted == [THREAD])
    assert one.number not in (NOBODY, number)


async def test_without_a_place_nothing_is_accepted_and_no_turn_can_report(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await office.hires()
    assert one.presence
    await one.store.append(THREAD, SAID)
    monkeypatch.setattr(one.presence, "rejoin", lambda: None)
    office.cuts_off(one)
    await one.until(lambda: one.number_when_let_go)

    assert not one.replica.is_current()
    assert await one.store.append(THREAD, DONE) == Refused(Why.TAKEN_OVER)
    for work in (one.store.append(THREAD, MORE), one.store.delivery.accept("a", "{}")):
        with pytest.raises(StoreError):
            await work
    assert len(await one.store.events(THREAD)) == 1


async def test_what_a_turn_wanted_to_write_before_the_place_was_lost_is_refused_afterwards(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await office.hires()
    assert one.presence
    await one.store.append(THREAD, SAID)
    monkeypatch.setattr(one.presence, "rejoin", lambda: None)
    usual = one.store._transactions.run

    async def late(work: Callable[[Any], Any]) -> Any:
        office.cuts_off(one)
        await one.until(lambda: one.number == NOBODY)
        return await usual(work)

    monkeypatch.setattr(one.store._transactions, "run", late)

    assert await one.store.append(THREAD, DONE) == Refused(Why.TAKEN_OVER)


async def test_one_that_no_longer_moves_is_ended_by_the_others(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    with psycopg.connect(office.url, autocommit=True) as frozen:
        frozen.execute(f"SELECT pg_advisory_lock({signals.NAMESPACE}, 7)")
        monkeypatch.setattr(postgres, "_FROZEN_SECONDS", 0.2)

        one = await office.hires()

        await one.until(lambda: office.ask(f"SELECT count(*) FROM pg_locks WHERE {signals.IS_HELD}") == (1,))
        with pytest.raises(psycopg.OperationalError):
            frozen.execute("SELECT 1")


class Empty:
    """A database in which nobody is."""

    def execute(self, *_query: object) -> "Empty":
        return self

    def fetchall(self) -> list[tuple[int, int, bool]]:
        return []


def test_the_time_in_which_a_machine_was_suspended_counts_as_not_having_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    presence, usual = postgres.PostgresPresence("postgresql://"), time.clock_gettime
    presence._beat(Empty())  # type: ignore[arg-type]
    assert presence.is_current()

    monkeypatch.setattr(time, "clock_gettime", lambda clock: usual(clock) + 60 * (clock == time.CLOCK_BOOTTIME))

    assert not presence.is_current()


async def test_a_sub_agent_goes_with_whoever_goes_on_with_its_parent(office: Office) -> None:
    one, two = await office.hires(), await office.hires()
    child = THREAD.model_copy(update={"call_id": "000001000", "number": 1})
    for key in (THREAD, child):
        await one.store.append(key, SAID)
    office.hands_over(THREAD, two)

    assert isinstance(await two.store.take(child), Thinking)
    assert await one.store.take(child) is None  # as of one that was frozen on its way there

    assert office.runner(child) == two.number
    assert await one.store.append(child, DONE) == Refused(Why.TAKEN_OVER)
    assert isinstance(await two.store.append(child, DONE), Recorded)


async def test_a_server_that_cannot_be_reached_is_said_so_at_the_start(office: Office) -> None:
    presence = postgres.PostgresPresence("postgresql://parley@127.0.0.1:1/parley")

    with pytest.raises(StoreError):
        await presence.join(lambda _sign: None)
    await presence.leave()


async def test_one_that_cannot_know_what_it_adopted_starts_over_and_has_it_then(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = await office.hires(), await office.hires()
    await one.store.append(THREAD, SAID)
    number, usual, lost = two.number, two.store.adoption._run, []

    async def without_an_answer(work: Callable[[Any], Any]) -> Any:
        result = await usual(work)
        if not lost and office.runner(THREAD) == number:
            lost.append(number)
            raise StoreError("The answer to the commit did not come.")
        return result

    monkeypatch.setattr(two.store.adoption, "_run", without_an_answer)
    await office.loses(one)

    await two.until(lambda: two.adopted == [THREAD])
    assert lost == [number]
    assert two.number not in (NOBODY, number)
    assert office.runner(THREAD) == two.number


async def test_one_that_adopted_nothing_since_the_database_was_away_keeps_its_place(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = await office.hires(), await office.hires()
    await one.store.append(THREAD, SAID)
    number, usual, failed = two.number, journal.Adoption._adopt, []

    async def away_once(*given: Any) -> Any:
        if not failed:
            failed.append(True)
            monkeypatch.setattr(two.store._transactions, "run", away)
        return await usual(*given)

    async def away(_work: Callable[[Any], Any]) -> Any:
        monkeypatch.undo()
        raise sa.exc.OperationalError("", None, Exception("away"))

    monkeypatch.setattr(journal.Adoption, "_adopt", away_once)
    await office.loses(one)

    await two.until(lambda: two.adopted == [THREAD])
    assert failed
    assert two.number == number


async def test_what_is_recorded_while_the_place_is_lost_starts_no_turn(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await office.hires()
    assert one.presence
    monkeypatch.setattr(one.presence, "rejoin", lambda: None)
    usual = one.store._transactions.run

    async def slow(work: Callable[[Any], Any]) -> Any:
        result = await usual(work)
        office.cuts_off(one)
        await one.until(lambda: one.number_when_let_go)
        return result

    async with ScriptedModel() as model:
        client = OpenAIModel(api_key="test", model="scripted", base_url=model.base_url)
        thinker = Thinker(client, Toolbox())
        threads = Threads(one.store, thinker, NoWatcher(), sub_agents_at_once=1, sub_agent_calls=2)
        one.replica.follow(let_go=threads.let_go)
        monkeypatch.setattr(one.store._transactions, "run", slow)

        assert isinstance(await threads.record(THREAD, SAID), Recorded)
        await asyncio.gather(*threads._waking)
        await threads.idle()

        assert model.requests == []
        await threads.close()
        await client.close()


async def test_two_can_begin_a_thread_at_once_whatever_the_servers_isolation(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = office.url.rsplit("/", 1)[-1].partition("?")[0]
    with psycopg.connect(office.url, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'")
    one, two = await office.hires(), await office.hires()
    loop, usual = asyncio.get_running_loop(), journal.find

    def overtaken(*given: Any, **options: Any) -> Any:
        found = usual(*given, **options)
        monkeypatch.setattr(journal, "find", usual)
        asyncio.run_coroutine_threadsafe(two.store.append(THREAD, SAID), loop).result()
        return found

    monkeypatch.setattr(journal, "find", overtaken)

    recorded = await one.store.append(THREAD, MORE)

    assert isinstance(recorded, Recorded)
    assert recorded.held == "theirs"
    assert await one.store.events(THREAD) == [SAID, MORE]


async def test_whatever_keeps_one_from_coming_back_it_goes_on_trying(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await office.hires()
    assert one.presence
    number, usual, failed = one.number, one.presence._enter, []

    def fragile() -> Any:
        if not failed:
            failed.append(True)
            raise OSError("Too many open files")
        return usual()

    monkeypatch.setattr(one.presence, "_enter", fragile)

    office.cuts_off(one)

    await one.until(lambda: one.number not in (NOBODY, number))
    assert failed


class Told(NoWatcher):
    """Remembers how it is told of threads."""

    def __init__(self) -> None:
        self.how: list[str] = []

    def changed(self, thread: ThreadKey, state: State) -> None:
        self.how.append("changed")

    def adopted(self, thread: ThreadKey, state: State) -> None:
        self.how.append("adopted")


async def test_whatever_is_told_first_of_a_thread_that_was_taken_over_says_so(office: Office) -> None:
    one = await office.hires()
    for event in (SAID, ASKED):
        await one.store.append(THREAD, event)
    await office.loses(one)
    two, watcher = await office.hires(), Told()
    await two.until(lambda: two.adopted == [THREAD])
    model = OpenAIModel(api_key="test", model="none", base_url="http://127.0.0.1:9")
    threads = Threads(two.store, Thinker(model, Toolbox()), watcher, sub_agents_at_once=1, sub_agent_calls=2)

    await threads.record(THREAD, StopRequested(by=ANN))  # before whoever swept could tell
    await threads.record(THREAD, MORE)

    assert watcher.how[:2] == ["adopted", "changed"]
    await threads.close()
    await model.close()


async def test_what_is_due_and_not_wholly_shown_is_taken_over_to_be_shown(office: Office) -> None:
    one = await office.hires()
    dead = one.number
    for event in (SAID, ASKED):
        await one.store.append(THREAD, event)
    await one.store.delivery.show(THREAD, [FORM], 1)
    await office.loses(one)
    two = await office.hires("another team")
    await two.replica.retire()
    two.store.adoption.serve(THREAD.team)

    assert await two.store.adoption.due({dead}, now=300.0) == []
    assert await two.store.adoption.threads({dead}) == [THREAD]
    assert [key for key, _card in await two.store.delivery.due(300.0)] == [THREAD]
