"""What somebody fills in or picks on the page: checked against the element before anything holds it."""

import re
from typing import Any

from bot.blocks import limits
from bot.playground import forms
from bot.playground.asking import CannotBeDone
from bot.playground.people import Surface
from bot.playground.typed import clean
from bot.playground.workspace import Json, Workspace

LONGEST = 100_000
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
TIME = re.compile(r"\d{2}:\d{2}")


def element(surface: Surface, block_id: str, action_id: str) -> tuple[Json, Json]:
    """A block and one of its elements, as they stand there now."""
    for block, found in forms.interactive(surface.blocks):
        if (block["block_id"], found["action_id"]) == (block_id, action_id):
            return block, found
    raise CannotBeDone("This field is no longer there.")


def value(workspace: Workspace, of: Json, given: Any) -> Any:
    """What was given, if the element can hold it: a text, a position, several positions, a date, a person…"""
    kind = of["type"]
    if kind in forms.TYPED:
        return _text(given)
    if kind in forms.ONE:
        return _position(of, given)
    if kind in forms.SEVERAL:
        return [_position(of, each) for each in _list(given)]
    if kind.startswith("multi_"):
        return [_named(workspace, kind, each) for each in _list(given)]
    if kind in forms.OTHERS:
        return None if given in (None, "") else _other(workspace, kind, given)
    raise CannotBeDone("This cannot be filled in here.")


def short_enough(of: Json, given: Any) -> None:
    most = of.get("max_length", limits.INPUT_TEXT)
    if isinstance(given, str) and len(given) > most:
        raise CannotBeDone(f"This field takes at most {most:,} characters.")


def _text(given: Any) -> str:
    if given is not None and not isinstance(given, str):
        raise CannotBeDone("This field takes text.")
    if len(given or "") > LONGEST:
        raise CannotBeDone(f"No field takes more than {LONGEST:,} characters.")
    return clean(given or "")


def _position(of: Json, given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < len(forms.options(of)):
        raise CannotBeDone("There is no such option.")
    return given


def _list(given: Any) -> list[Any]:
    if not isinstance(given, list):
        raise CannotBeDone("This field takes several at once.")
    return given


def _other(workspace: Workspace, kind: str, given: Any) -> Any:
    if kind == "datetimepicker":
        if isinstance(given, bool) or not isinstance(given, int):
            raise CannotBeDone("This is no time.")
        return given
    if kind in ("datepicker", "timepicker"):
        if not isinstance(given, str) or not (DATE if kind == "datepicker" else TIME).fullmatch(given):
            raise CannotBeDone("This is no date." if kind == "datepicker" else "This is no time.")
        return given
    return _named(workspace, kind, given)


def _named(workspace: Workspace, kind: str, given: Any) -> str:
    known = workspace.users if "users" in kind else workspace.channels
    if not isinstance(given, str) or given not in known:
        raise CannotBeDone("There is no such person." if "users" in kind else "There is no such channel.")
    return given
