"""Logs: events and ids; what people and the model wrote stays out of them at the default level."""

import json
import re
import sys
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


def test_an_exception_that_is_handed_over_is_named_too(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")

    structlog.get_logger().error("replica.not_let_go", exc_info=ValueError("hunter2"))

    line = json.loads(capsys.readouterr().err)
    assert line["error"] == "ValueError"
    assert "hunter2" not in str(line)


def test_at_debug_level_the_whole_traceback_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert "hunter2" in logged(capsys, "debug")


def test_what_is_below_the_level_is_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("warning")

    structlog.get_logger().info("model.retry")

    assert capsys.readouterr().err == ""


def test_in_a_terminal_a_line_can_be_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    line = re.sub(r"\x1b\[\d+m", "", logged(capsys, "info"))

    assert re.match(r"\d\d:\d\d:\d\d \[error +\] turn\.failed +at=", line)
    assert line.endswith(" error=ValueError incident=ab12\n")
    assert "hunter2" not in line


def test_a_traceback_in_a_terminal_shows_no_local_variables(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    logs.configure("debug")
    try:
        refuse("sk-secret".upper())
    except ValueError:
        structlog.get_logger().exception("turn.failed")
    traceback = capsys.readouterr().err

    assert "in refuse" in traceback
    assert traceback.endswith("ValueError: no\n")
    assert "SK-SECRET" not in traceback


def refuse(_key: str) -> None:
    raise ValueError("no")
