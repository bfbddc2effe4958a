"""What every database must do: one contract, run on SQLite and on PostgreSQL."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from agent.core import states
from agent.core.asks import Given
from agent.core.errors import IllegalTransition, StoreError
from agent.core.events import AnswersGiven, AskSkipped, Event, Limits, MessageReceived, ModelReplied, ToolFinished
from agent.core.states import Idle, RunningTools, Thinking, Waiting
from agent.core.steps import Refused, Why
from agent.core.transcript import ToolCall
from agent.core.transitions import fold
from agent.core.values import Person
from agent.ports import Recorded, ThreadKey
from agent.store import database, reading
from agent.store.journal import Store
from agent.store.schema import HEAD, metadata, threads
from agent.store.transactions import SerialTransactions
from tests.support.world import ANN, BEN, THREAD

OTHER = ThreadKey(team="T1", channel="C1", root="1700000000.000200")
ASK = ToolCall.numbered(*(1, 0, "ask_user_question"), '{"questions": [{"question": "Which?", "options": ["a", "b"]}]}')
SAID = MessageReceived(text="go", author=ANN)
ASKED = ModelReplied(turn=1, seen=1, calls=(ASK,), waits={ASK.id: "ask"})
LOOK = ToolCall.numbered(1, 0, "look", "{}")


async def append_all(store: Store, key: ThreadKey, *events: Event) -> Recorded:
    recorded: Recorded | Refused | None = None
    for event in events:
        recorded = await store.append(key, event)
        assert isinstance(recorded, Recorded), recorded
    assert isinstance(recorded, Recorded)
    return recorded


async def adoptable(store: Store) -> list[ThreadKey]:
    store.adoption.serve("T1")
    return await store.adoption.threads(await store.adoption.dead(0))


async def test_a_thread_nobody_spoke_in_is_idle_and_has_no_row(store: Store) -> None:
    assert await store.state(THREAD) == Idle()
    assert await store.newest("T1", "C1", ["idle"]) is None


async def test_what_is_appended_is_there_for_another_process(database_url: str) -> None:
    store = await Store.open(database_url)
    recorded = await append_all(store, THREAD, SAID, ASKED)
    await store.close()

    again = await Store.open(database_url)
    assert await again.state(THREAD) == recorded.state
    assert isinstance(recorded.state, Waiting)
    assert await again.events(THREAD) == [SAID, ASKED]
    await again.close()


async def test_a_refused_event_leaves_no_trace(store: Store) -> None:
    chatter = MessageReceived(text="lunch?", author=ANN, addressed=False)

    assert await store.append(THREAD, chatter) == Refused(Why.NOT_ADDRESSED)

    assert await store.events(THREAD) == []
    assert await store.newest("T1", "C1", ["idle"]) is None


async def test_an_event_that_cannot_happen_is_an_error_and_does_not_spoil_others(store: Store) -> None:
    last = ModelReplied(turn=1, seen=1, calls=(LOOK,), limits=Limits(model_calls=2))
    looked = ToolFinished(turn=1, call_id=LOOK.id, content="nothing")
    await append_all(store, THREAD, SAID, last, looked)
    wrong = ModelReplied(turn=1, seen=3, calls=(LOOK,))  # the next had to be the last, without calls

    outcomes = await asyncio.gather(*(store.append(THREAD, wrong), store.append(OTHER, SAID)), return_exceptions=True)

    assert isinstance(outcomes[0], IllegalTransition)
    assert isinstance(outcomes[1], Recorded)
    assert await store.events(THREAD) == [SAID, last, looked]


async def test_of_twenty_concurrent_answers_one_is_recorded_and_nineteen_learn_who_was_first(store: Store) -> None:
    await append_all(store, THREAD, SAID, ASKED)
    people = [Person(id=f"U{n}", name=f"Person {n}") for n in range(20)]

    outcomes = await asyncio.gather(
        *(store.append(THREAD, AnswersGiven(call_id=ASK.id, answers={0: "a"}, by=person)) for person in people)
    )

    first = [person for person, outcome in zip(people, outcomes, strict=True) if isinstance(outcome, Recorded)]
    late = [outcome for outcome in outcomes if isinstance(outcome, Refused)]
    assert len(first) == 1
    assert [(refused.why, refused.ending and refused.ending.by) for refused in late] == [(Why.CLOSED, first[0])] * 19


async def test_whoever_clicks_too_late_learns_who_answered_in_words(store: Store) -> None:
    answered = MessageReceived(text="b", author=BEN, addressed=False)
    await append_all(store, THREAD, SAID, ASKED, answered)

    late = await store.append(THREAD, AskSkipped(call_id=ASK.id, by=ANN))

    assert isinstance(late, Refused)
    assert late.ending
    assert (late.ending.how, late.ending.by) == ("answered", BEN)
    assert late.ending.asked[0].given == Given(words="b", by=BEN)
    assert await store.ending(THREAD, ASK.id) == late.ending


@pytest.mark.parametrize("call_id", ["000009000", "nonsense", ""])
async def test_what_was_never_asked_has_no_ending(store: Store, call_id: str) -> None:
    await append_all(store, THREAD, SAID, ASKED)

    refused = await store.append(THREAD, AskSkipped(call_id=call_id))

    assert refused == Refused(Why.CLOSED)
    assert await store.ending(THREAD, ASK.id) is None


async def test_of_twenty_concurrent_answers_to_one_of_two_questions_nineteen_are_told_the_first(store: Store) -> None:
    two = ToolCall.numbered(1, 0, "ask_user_question", '{"questions": [{"question": "A?"}, {"question": "B?"}]}')
    await append_all(store, THREAD, SAID, ModelReplied(turn=1, seen=1, calls=(two,), waits={two.id: "ask"}))
    people = [Person(id=f"U{n}", name=f"Person {n}") for n in range(20)]

    outcomes = await asyncio.gather(
        *(store.append(THREAD, AnswersGiven(call_id=two.id, answers={0: p.name}, by=p)) for p in people)
    )

    [first] = [person for person, outcome in zip(people, outcomes, strict=True) if isinstance(outcome, Recorded)]
    told = [outcome.beaten[0].first.by for outcome in outcomes if isinstance(outcome, Refused)]
    assert told == [first] * 19


async def test_a_full_disk_fails_what_does_not_fit_and_loses_nothing_that_was_recorded(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/parley.db"
    engine = database.create_engine(database.parse_url(url))
    sa.event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA max_page_count = 40"))
    store = Store(SerialTransactions(engine), release=lambda: None)
    await store._run(database.migrate)
    keys = [THREAD.model_copy(update={"root": str(number)}) for number in range(20)]

    outcomes = await asyncio.gather(
        *(store.append(key, MessageReceived(text="x" * 20_000)) for key in keys), return_exceptions=True
    )

    recorded = [isinstance(outcome, Recorded) for outcome in outcomes]
    assert {True, False} == set(recorded)
    assert all(isinstance(outcome, Recorded | StoreError) for outcome in outcomes)
    assert [bool(await store.events(key)) for key in keys] == recorded
    await store.close()


async def test_an_error_of_the_database_does_not_quote_what_people_wrote(store: Store) -> None:
    def fail(connection: sa.Connection) -> None:
        connection.execute(sa.insert(threads), {"team": "hunter2"})

    with pytest.raises(StoreError) as failed:
        await store._run(fail)

    assert str(failed.value) == "The database cannot be used now (IntegrityError)."


async def test_a_store_that_is_closed_says_so(database_url: str) -> None:
    store = await Store.open(database_url)
    await store.close()

    with pytest.raises((StoreError, RuntimeError)):
        await store.state(THREAD)


async def test_only_threads_with_work_to_do_are_unfinished(store: Store) -> None:
    waiting, thinking, running = (OTHER.model_copy(update={"root": root}) for root in "123")
    sub_agent = thinking.model_copy(update={"call_id": "000001000", "number": 1})
    await append_all(store, waiting, SAID, ASKED)
    await append_all(store, thinking, SAID)
    await append_all(store, running, SAID, ModelReplied(turn=1, seen=1, calls=(LOOK,)))
    await append_all(store, sub_agent, SAID)

    for key in (waiting, thinking, running):
        await store.delivery.show(key, [], 2)

    assert sorted(key.root for key in await adoptable(store)) == ["2", "3"]


async def test_a_sub_agents_thread_is_its_own(store: Store) -> None:
    await append_all(store, THREAD, SAID)
    await append_all(store, THREAD.model_copy(update={"call_id": "000001000"}), SAID, ASKED)

    assert isinstance(await store.state(THREAD), Thinking)


async def test_the_newest_thread_of_a_kind_is_found(store: Store) -> None:
    await append_all(store, THREAD, SAID, ASKED)
    await append_all(store, OTHER, SAID, ASKED)
    await append_all(store, OTHER.model_copy(update={"channel": "C2"}), SAID, ASKED)
    await append_all(store, THREAD.model_copy(update={"root": "3"}), SAID)

    assert await store.newest("T1", "C1", ["waiting"]) == OTHER


async def test_late_words_stand_after_the_reply_that_did_not_see_them(store: Store) -> None:
    late = MessageReceived(text="wait", author=Person())
    await append_all(store, THREAD, SAID, late, ModelReplied(turn=1, seen=1, text="Done."))

    placed = (await store.conversation(THREAD)).placed

    assert [each.message["content"] for each in placed] == ["go", "Done.", "wait"]


async def test_words_that_come_while_a_conversation_is_read_are_not_in_it(
    store: Store, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database_url.startswith("sqlite"):
        pytest.skip("SQLite reads and writes on one thread: nothing can come in between")
    await append_all(store, THREAD, SAID)
    loop, find = asyncio.get_running_loop(), reading.find

    def interrupted(connection: sa.Connection, key: ThreadKey) -> reading.Found | None:
        found = find(connection, key)
        late = store.append(THREAD, MessageReceived(text="wait", author=Person()))
        asyncio.run_coroutine_threadsafe(late, loop).result()
        return found

    monkeypatch.setattr(reading, "find", interrupted)
    conversation = await store.conversation(THREAD)

    assert conversation.state.seq == 1
    assert [each.message["content"] for each in conversation.placed] == ["go"]


async def test_a_state_of_an_older_version_is_folded_anew_from_the_journal(database_url: str) -> None:
    store = await Store.open(database_url)
    recorded = await append_all(store, THREAD, SAID, ASKED)
    await store.close()
    _execute(database_url, sa.update(threads).values(version=states.VERSION - 1, state='{"old": true}'))

    store = await Store.open(database_url)
    assert await store.state(THREAD) == recorded.state
    skipped = await append_all(store, THREAD, AskSkipped(call_id=ASK.id))
    assert skipped.state.seq == 3
    await store.close()


async def test_the_journal_folds_to_the_stored_state(store: Store) -> None:
    done = ToolFinished(turn=1, call_id=LOOK.id, content="seen")
    recorded = await append_all(store, THREAD, SAID, ModelReplied(turn=1, seen=1, calls=(LOOK,)), done)

    assert fold(await store.events(THREAD)) == recorded.state == await store.state(THREAD)


async def test_a_journal_that_the_machine_refuses_is_not_folded_silently() -> None:
    with pytest.raises(IllegalTransition):
        fold([AskSkipped(call_id="000001000")])


async def test_hostile_text_comes_back_as_it_was(store: Store) -> None:
    text = "nul \0, quote ', emoji \N{PARTY POPPER}, \u202ertl, '); DROP TABLE journal; --"
    await append_all(store, THREAD, MessageReceived(text=text))

    assert await store.events(THREAD) == [MessageReceived(text=text)]


async def test_migrations_build_exactly_the_tables_in_the_code(database_url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    await (await Store.open(database_url)).close()

    engine = database.create_engine(database.parse_url(database_url))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == HEAD
    engine.dispose()


async def test_the_cards_of_an_older_database_are_found_by_their_team(database_url: str) -> None:
    _migrate(database_url, "0002")
    for number, team in ((1, "T1"), (2, "T2")):
        thread = f"{number}, '{team}', 'C1', '1.0', '', 0, 'waiting', '{{}}', 1, 0.0, 2, 2"
        form = f"{number}, '2/ask/000001000', '1.5', 'abc', 'Of {team}?', '', true, 1.0, NULL, NULL"
        receipt = f"{number}, '2/ask/000000000', '1.4', 'abc', 'Was {team}?', 'x', false, 1.0, NULL, NULL"
        _execute(database_url, sa.text(f"INSERT INTO threads VALUES ({thread})"))
        _execute(database_url, sa.text(f"INSERT INTO cards VALUES ({form}), ({receipt})"))

    store = await Store.open(database_url)
    found = [*await store.delivery.open_cards("T2", 10), *await store.delivery.ended_cards("T2", 10)]
    await store.close()

    assert [(key.team, card.title) for key, card in found] == [("T2", "Of T2?"), ("T2", "Was T2?")]


async def test_a_database_of_a_newer_parley_is_refused(database_url: str) -> None:
    await (await Store.open(database_url)).close()
    _execute(database_url, sa.text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(StoreError, match="newer Parley"):
        await Store.open(database_url)


async def test_finding_work_at_the_start_reads_no_paused_thread(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/parley.db"
    await (await Store.open(url)).close()

    plan = _execute(url, sa.text(f"EXPLAIN QUERY PLAN {_unfinished_sql()}"))

    assert "USING INDEX threads_unfinished" in str(plan)


async def test_finding_what_is_due_reads_no_card_that_is_not(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/parley.db"
    store = await Store.open(url)
    asked = _asked(store)
    await store.delivery.due(1.0)
    await store.delivery.next_due(1.0)
    await store.close()

    plans = [_explain(url, text, given) for text, given in asked]

    assert len(plans) == 3
    assert not [plan for plan in plans if "SCAN" in plan or "INDEX cards_" not in plan]


async def test_listing_what_waits_and_what_was_decided_reads_no_more_than_is_listed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/parley.db"
    store = await Store.open(url)
    asked = _asked(store)
    await store.delivery.open_cards("T1", 10)
    await store.delivery.ended_cards("T1", 10)
    await store.close()

    waiting, decided = [_explain(url, text, given) for text, given in asked]

    assert "SEARCH cards USING INDEX cards_open (team=?)" in waiting
    assert "SEARCH cards USING INDEX cards_ended (team=?)" in decided
    assert "B-TREE" not in waiting + decided  # nothing is sorted


async def test_sqlite_writes_ahead_and_waits_for_the_disk(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/parley.db"
    await (await Store.open(url)).close()

    assert _execute(url, sa.text("PRAGMA journal_mode")) == [("wal",)]
    assert _execute(url, sa.text("PRAGMA synchronous")) == [(2,)]  # FULL


async def test_a_second_process_on_the_same_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/parley.db"
    store = await Store.open(url)
    program = (
        "import asyncio\nfrom agent.store.journal import Store\n"
        f"try:\n    asyncio.run(Store.open({url!r}))\nexcept Exception as error:\n    print(error)"
    )

    second = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    await store.close()
    third = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert second.stdout.strip() == (
        "Another Parley is already using parley.db: stop it, or give this one its own DATABASE_URL."
    )
    assert third.stdout == ""


@pytest.mark.parametrize(
    ("written", "understood"),
    [
        ("sqlite:///parley.db", "sqlite+pysqlite:///parley.db"),
        ("sqlite:////var/lib/parley.db", "sqlite+pysqlite:////var/lib/parley.db"),
        ("postgresql://u:p@db/parley", "postgresql+psycopg://u:***@db/parley"),
        ("postgres://db/parley", "postgresql+psycopg://db/parley"),
        ("postgresql+psycopg://db/parley", "postgresql+psycopg://db/parley"),
    ],
)
def test_a_url_is_understood_as_people_write_it(written: str, understood: str) -> None:
    assert database.parse_url(written).render_as_string() == understood


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("parley.db", "is not a database URL"),
        ("postgresql://parley@db:port/parley", "is not a database URL"),
        ("sqlite://", "names no file"),
        ("mysql://db/parley", "starts with mysql://"),
        ("sqlite:////nowhere/at/all/parley.db", "not a directory"),
        ("postgresql://parley:hunter2@127.0.0.1:1/parley", "cannot be opened"),
    ],
)
async def test_a_database_that_cannot_be_used_is_named_without_its_password(url: str, sentence: str) -> None:
    with pytest.raises(StoreError, match=sentence) as refused:
        await Store.open(url)

    assert "hunter2" not in str(refused.value)


async def test_a_file_that_is_no_database_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Not a database, but long enough to be taken for one. " * 20)

    with pytest.raises(StoreError, match="cannot be opened: file is not a database"):
        await Store.open(f"sqlite:///{tmp_path}/notes.txt")
    with pytest.raises(StoreError, match="cannot be opened: unable to open database file"):
        await Store.open(f"sqlite:///{tmp_path}")


async def test_two_stores_in_one_process_share_a_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/parley.db"
    one, two = await Store.open(url), await Store.open(url)
    await append_all(one, THREAD, SAID)

    recorded = await append_all(two, THREAD, ModelReplied(turn=1, seen=1, calls=(LOOK,)))

    assert isinstance(recorded.state, RunningTools)
    await one.close()
    await two.close()


def _unfinished_sql() -> str:
    from agent.store.schema import unfinished

    left = sa.and_(unfinished, threads.c.team == "T1", threads.c.runner == 0)
    return str(sa.select(threads.c.id).where(left).compile(compile_kwargs={"literal_binds": True}))


def _asked(store: Store) -> list[tuple[str, Any]]:
    """What is read from now on, and with which values."""
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, text: str, given: Any, *_: Any) -> None:
        if text.startswith("SELECT"):
            asked.append((text, given))

    sa.event.listen(store._transactions._engine, "before_cursor_execute", note)  # type: ignore[attr-defined]
    return asked


def _migrate(url: str, revision: str) -> None:
    from alembic import command
    from alembic.config import Config

    engine = database.create_engine(database.parse_url(url))
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "agent.store:migrations")
        command.upgrade(config, revision)
    engine.dispose()


def _explain(url: str, text: str, given: Any) -> str:
    engine = database.create_engine(database.parse_url(url))
    with engine.begin() as connection:
        return str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", given).all())


def _execute(url: str, statement: sa.Executable) -> list[tuple[object, ...]]:
    engine = database.create_engine(database.parse_url(url))
    with engine.begin() as connection:
        result = connection.execute(statement)
        rows = [tuple(row) for row in result] if result.returns_rows else []
    engine.dispose()
    return rows
