"""How `parley questions` shows what it found, and what it says when there is nothing to look at."""

import json
from pathlib import Path

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from agent.core.errors import StoreError
from agent.ports import Card, ThreadKey
from agent.store.journal import Store
from bot import questions
from bot.cli import app
from tests.support.builders import says
from tests.support.replicas import Process

THREAD = ThreadKey(team="T1", channel="C1", root="1.1")


def lines(url: str, **changes: bool | int) -> list[str]:
    given = {"newest_first": False, "most": 100, "as_json": False, **changes}
    return questions.listing(url, **given, now=90_061.0).splitlines()  # type: ignore[arg-type]


async def show(store: Store, *cards: Card) -> None:
    await store.append(THREAD, says("hi"))
    await store.delivery.show(THREAD, cards, 1)


def card(number: int, at: float, title: str, sort: str = "ask", *, is_open: bool = True) -> Card:
    return Card(f"{number}/{sort}/00000{number}000", f"{number}.0", "d", at, is_open, title)


async def test_each_has_a_line_with_its_age_kind_place_id_and_title(store: Store, database_url: str) -> None:
    await show(
        store, card(2, 0.0, "Old?"), card(3, 90_000.0, "deploy", "approval"), card(4, 1.0, "gone", is_open=False)
    )

    assert lines(database_url) == [
        "AGE    KIND      WHERE  ID           TITLE",
        "1d 1h  question  T1/C1  1-000002000  Old?",
        "1m 1s  approval  T1/C1  1-000003000  deploy",
    ]
    assert [line[-6:] for line in lines(database_url, newest_first=True)[1:]] == ["deploy", "  Old?"]


async def test_there_may_be_more_than_it_lists_and_it_says_so(store: Store, database_url: str) -> None:
    await show(store, card(2, 0.0, "One?"), card(3, 1.0, "Two?"))

    assert len(lines(database_url, most=2)) == 3
    assert lines(database_url, most=1)[-1] == "There are more: --most shows them."


async def test_a_title_cannot_break_the_table_or_the_terminal(store: Store, database_url: str) -> None:
    await show(store, card(2, 0.0, "red \x1b[31m\nand \u202elong " + "x" * 100))

    [_, line] = lines(database_url)

    assert line.endswith("red [31m and long " + "x" * 41 + "…")
    [found] = json.loads("\n".join(lines(database_url, as_json=True)))
    assert found["title"] == "red [31m and long " + "x" * 100
    assert found["age_seconds"] == 90_061


async def test_with_nothing_open_it_says_so(store: Store, database_url: str) -> None:
    await store.append(THREAD, says("hi"))

    assert lines(database_url) == [questions.NONE]
    assert lines(database_url, as_json=True) == ["[]"]


@pytest.mark.parametrize("wrong", ["", "1", "x-000002000", "1-", "999-000002000", "9" * 40 + "-1", "1-000002000; drop"])
async def test_what_is_no_id_of_anything_open_is_refused(wrong: str, store: Store, database_url: str) -> None:
    await show(store, card(2, 0.0, "One?"), card(3, 0.0, "done", is_open=False))

    with pytest.raises(questions.NotOpen):
        questions.cancel(database_url, wrong)


async def test_while_parley_cannot_do_it_that_is_said_and_not_more(store: Store, database_url: str) -> None:
    await show(store, card(2, 0.0, "One?"))
    pauses: list[float] = []
    busy = await Process(database_url).start()

    assert questions.cancel(database_url, "1-000002000", pause=pauses.append) == questions.NOT_YET

    await busy.stop()

    assert 9 < sum(pauses) < 11
    [(key, body)] = await store.orders()
    assert key.startswith("operator/T1/C1/1.1/000002000/")
    assert '"cancel_ordered"' in body


def test_without_a_database_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no database"):
        lines(f"sqlite:///{tmp_path}/parley.db")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("version", "said"), [("0001", "an older Parley"), ("9999", "a newer Parley")])
async def test_tables_of_another_version_are_not_read(version: str, said: str, store: Store, database_url: str) -> None:
    await store._run(lambda c: c.execute(sa.text(f"UPDATE alembic_version SET version_num = '{version}'")))

    with pytest.raises(StoreError, match=said):
        lines(database_url)


@pytest.mark.parametrize(("seconds", "shown"), [(-5, "0s"), (59, "59s"), (3_600, "1h 0m"), (700_000, "8d 2h")])
def test_an_age_has_its_two_largest_units(seconds: float, shown: str) -> None:
    assert questions.age(seconds) == shown


def test_the_help_says_what_it_does() -> None:
    for arguments, words in ([["--help"], "while Parley runs"], [["cancel", "--help"], "when it starts"]):
        result = CliRunner().invoke(app, ["questions", *arguments])

        assert result.exit_code == 0
        assert words in " ".join(result.output.replace("│", " ").split())
