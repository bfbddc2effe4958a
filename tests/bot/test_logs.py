"""Logs: events and ids; what people and the model wrote stays out of them at the default level."""

import json
from collections.abc import Iterator

import pytest
import structlog

from bot import logs


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def fail() -> None:
    raise ValueError("the customer said: my password is hunter2")


def logged(capsys: pytest.CaptureFixture[str], level: str) -> str:
    logs.configure(level)
    try:
        fail()
    except ValueError:
        structlog.get_logger().exception("turn.failed", incident="ab12")
    return capsys.readouterr().err


def test_an_exception_is_logged_by_kind_and_place_but_not_in_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    line = json.loads(logged(capsys, "info"))

    assert line["event"] == "turn.failed"
    assert line["incident"] == "ab12"
    assert line["error"] == "ValueError"
    assert line["at"][-1].endswith("fail")
    assert "hunter2" not in str(line)


def test_at_debug_level_the_whole_traceback_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert "hunter2" in logged(capsys, "debug")


def test_what_is_below_the_level_is_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("warning")

    structlog.get_logger().info("model.retry")

    assert capsys.readouterr().err == ""
