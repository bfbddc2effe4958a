"""`parley questions`: lists what waits for people, by titles and no more, and cancels it, for whoever runs Parley."""

import json
import time
from collections.abc import Callable, Sequence

from agent.core.errors import StoreError
from agent.store.open_questions import OpenQuestion
from agent.store.outside import Outside
from bot.received import CancelOrdered

_LONGEST_TITLE = 60
_WAIT_SECONDS = 10.0
_PAUSE = 0.2

NONE = "Nothing waits for an answer."
CANCELLED = "Cancelled. The thread shows it."
LEFT = "Parley is not running: it is cancelled when it starts."
NOT_YET = "It is written down, but the thread does not show it yet: Parley does it when it can. See its log."


class NotOpen(StoreError):
    """There is no open question with that id."""


def listing(url: str, *, newest_first: bool, most: int, as_json: bool, now: float) -> str:
    with Outside.open(url) as outside:
        found = outside.questions(newest_first=newest_first, most=most + 1)
    if as_json:
        return json.dumps([_as_json(question, now) for question in found[:most]], indent=2, ensure_ascii=False)
    return _as_table(found[:most], now, more=len(found) > most) if found else NONE


def cancel(url: str, question_id: str, *, pause: Callable[[float], None] = time.sleep) -> str:
    """Leave the order, and wait a while for the thread to show that it was carried out."""
    with Outside.open(url) as outside:
        question = outside.question(question_id)
        if question is None:
            raise NotOpen(f"No open question has the id {question_id}: `parley questions` lists those that are.")
        order = CancelOrdered(
            team=question.thread.team, user="", thread=question.thread, call_id=question.call_id, at=time.time()
        )
        outside.leave("/".join(order.key), order.dump())
        if not outside.is_in_use():
            return LEFT
        for _ in range(int(_WAIT_SECONDS / _PAUSE)):
            if outside.question(question_id) is None:
                return CANCELLED
            pause(_PAUSE)
    return NOT_YET


def _as_json(question: OpenQuestion, now: float) -> dict[str, object]:
    return {
        "id": question.id,
        "kind": question.kind,
        "age_seconds": round(max(0.0, now - question.at)),
        "team": question.thread.team,
        "channel": question.thread.channel,
        "thread": question.thread.root,
        "title": _printable(question.title),
    }


def _as_table(found: Sequence[OpenQuestion], now: float, *, more: bool) -> str:
    rows = [("AGE", "KIND", "WHERE", "ID", "TITLE")]
    for question in found:
        where = f"{question.thread.team}/{question.thread.channel}"
        title = _short(_printable(question.title))
        rows.append((age(now - question.at), question.kind, where, question.id, title))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join([*map(str.ljust, row, widths), row[4]]) for row in rows]
    return "\n".join([*lines, *(["There are more: --most shows them."] if more else [])])


def age(seconds: float) -> str:
    """In its two largest units."""
    parts: list[str] = []
    left = max(0, int(seconds))
    for name, size in (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)):
        if left >= size or parts:
            parts.append(f"{left // size}{name}")
            left %= size
    return " ".join(parts[:2]) or "0s"


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"


def _printable(title: str) -> str:
    """On one line, and without what could make a terminal do something."""
    return "".join(letter for letter in " ".join(title.split()) if letter.isprintable())
