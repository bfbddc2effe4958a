"""When people are reminded, and when a question expires."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from bot.schedule import Schedule

HOUR = 3_600.0


def schedule(hours: str = "9-18", zone: str = "Europe/Berlin", remind: float = 24, expire: float = 0) -> Schedule:
    opens, closes = (int(hour) for hour in hours.split("-"))
    return Schedule(remind * HOUR, expire * HOUR, opens, closes, ZoneInfo(zone))


def moment(text: str, zone: str = "Europe/Berlin") -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        pytest.param("2026-11-18 09:00", "2026-11-18 09:00", id="the first moment"),
        pytest.param("2026-11-18 17:59:59", "2026-11-18 17:59:59", id="the last moment"),
        pytest.param("2026-11-18 18:00", "2026-11-19 09:00", id="in the evening"),
        pytest.param("2026-11-18 03:30", "2026-11-18 09:00", id="in the night"),
        pytest.param("2026-11-20 18:30", "2026-11-23 09:00", id="on Friday evening"),
        pytest.param("2026-11-21 12:00", "2026-11-23 09:00", id="on Saturday"),
        pytest.param("2026-11-22 23:59", "2026-11-23 09:00", id="on Sunday night"),
        pytest.param("2026-03-28 12:00", "2026-03-30 09:00", id="over the night in which an hour is left out"),
        pytest.param("2026-10-24 12:00", "2026-10-26 09:00", id="over the night in which an hour comes twice"),
    ],
)
def test_a_reminder_comes_at_a_working_hour_of_a_working_day(at: str, expected: str) -> None:
    assert schedule().in_working_hours(moment(at)) == moment(expected)


def test_the_hours_are_those_of_the_time_zone() -> None:
    noon_in_berlin = moment("2026-11-18 12:00")

    assert schedule(zone="America/New_York").in_working_hours(noon_in_berlin) == moment("2026-11-18 15:00")
    assert schedule(zone="Asia/Kolkata").in_working_hours(noon_in_berlin) == noon_in_berlin
    night_in_india = moment("2026-11-18 20:15", "Asia/Kolkata")
    assert schedule(zone="Asia/Kolkata").in_working_hours(night_in_india) == moment("2026-11-19 09:00", "Asia/Kolkata")


def test_the_weekend_is_that_of_the_time_zone() -> None:
    monday_in_auckland = moment("2026-11-23 09:30", "Pacific/Auckland")  # still Sunday in Berlin

    assert schedule(zone="Pacific/Auckland").in_working_hours(monday_in_auckland) == monday_in_auckland


@pytest.mark.parametrize("at", ["2026-11-18 03:00", "2026-11-21 12:00", "2026-11-22 23:59:59"])
def test_from_0_to_24_is_always(at: str) -> None:
    assert schedule("0-24").in_working_hours(moment(at)) == moment(at)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2026-11-18 23:00", "2026-11-18 23:00"),
        ("2026-11-19 05:59", "2026-11-19 05:59"),
        ("2026-11-18 12:00", "2026-11-18 22:00"),
        ("2026-11-21 23:00", "2026-11-23 00:00"),
    ],
)
def test_hours_may_go_over_midnight(at: str, expected: str) -> None:
    assert schedule("22-6").in_working_hours(moment(at)) == moment(expected)


def test_a_reminder_is_due_after_its_time_and_put_off_to_working_hours() -> None:
    friday_noon = moment("2026-11-20 12:00")

    assert schedule(remind=2).times(friday_noon) == (friday_noon + 2 * HOUR, None)
    assert schedule(remind=24).times(friday_noon) == (moment("2026-11-23 09:00"), None)


def test_an_expiry_knows_no_working_hours() -> None:
    friday_noon = moment("2026-11-20 12:00")

    assert schedule(remind=0, expire=24).times(friday_noon) == (None, friday_noon + 24 * HOUR)


def test_zero_hours_is_never() -> None:
    assert schedule(remind=0, expire=0).times(moment("2026-11-20 12:00")) == (None, None)
