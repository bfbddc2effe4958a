"""The meter behind /metrics: what it does with what it is told, and how seldom it asks the database."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import structlog

from agent.core.errors import ModelError, StoreError
from agent.store.open_questions import Open
from bot import logs
from bot.metrics import Exposition, Metrics


class Counting:
    """A database that is asked how many are open."""

    def __init__(self) -> None:
        self.times, self.now, self.fails = 0, 1_000.0, False

    async def __call__(self) -> Sequence[Open]:
        self.times += 1
        if self.fails:
            raise StoreError("away")
        return [Open("question", 3, 900.0)]


def number(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def shown(metrics: Metrics, counting: Counting) -> Exposition:
    return Exposition(metrics, counting, database_url="sqlite:///x.db", clock=lambda: counting.now)


async def test_what_is_open_is_counted_at_most_every_few_seconds() -> None:
    metrics, counting = Metrics(), Counting()
    exposition = shown(metrics, counting)

    await asyncio.gather(*(exposition.text() for _ in range(20)))
    at_once = counting.times
    counting.now += 6
    await exposition.text()

    assert (at_once, counting.times) == (1, 2)
    assert number(metrics, "parley_oldest_question_age_seconds", kind="question") == 106


async def test_while_the_database_is_away_nothing_is_claimed_about_it_and_the_rest_is_told() -> None:
    metrics, counting = Metrics(), Counting()
    exposition = shown(metrics, counting)
    await exposition.text()

    counting.fails, counting.now = True, counting.now + 6
    text = (await exposition.text()).decode()

    assert "parley_database_up 0.0" in text
    assert "parley_open_questions{" not in text
    assert "parley_database_commits_total" in text


def test_what_fails_is_counted_as_that_and_what_is_cut_off_as_cut_off() -> None:
    metrics = Metrics()

    for error in (ModelError("no"), asyncio.CancelledError()):
        with suppress(type(error)), metrics.doing("model", model="m") as call:
            call.note(attempts=3)
            raise error

    assert number(metrics, "parley_model_call_seconds_count", outcome="failed") == 1
    assert number(metrics, "parley_model_call_seconds_count", outcome="cancelled") == 1
    assert number(metrics, "parley_model_attempts_total") == 6


def test_a_turn_that_is_cut_off_no_longer_counts_as_running() -> None:
    metrics = Metrics()

    with suppress(asyncio.CancelledError), metrics.doing("turn", of="thread"):
        running = number(metrics, "parley_turns_running", of="thread")
        raise asyncio.CancelledError

    assert (running, number(metrics, "parley_turns_running", of="thread")) == (1, 0)


def test_a_click_from_before_a_restart_says_nothing_about_how_quick_we_are() -> None:
    metrics = Metrics()

    with metrics.doing("delivery", kind="submitted"):
        pass
    with metrics.doing("delivery", since=0.0, kind="said"):
        pass

    assert number(metrics, "parley_click_seconds_count") == 0


def test_two_of_them_know_nothing_of_each_other() -> None:
    one, other = Metrics(), Metrics()

    one.happened("committed")

    assert (number(one, "parley_database_commits_total"), number(other, "parley_database_commits_total")) == (1, 0)


def test_every_error_in_the_log_is_counted_by_its_event() -> None:
    metrics = Metrics()
    before = structlog.get_config()
    try:
        logs.configure("error", metrics.error)
        log = structlog.get_logger()
        log.warning("cards.not_shown")
        log.error("inbox.failed")
        log.exception("turn.failed")
    finally:
        structlog.configure(**before)

    assert number(metrics, "parley_errors_total", event="turn.failed") == 1
    assert number(metrics, "parley_errors_total", event="inbox.failed") == 1
    assert number(metrics, "parley_errors_total", event="cards.not_shown") is None
