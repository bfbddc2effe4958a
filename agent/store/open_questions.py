"""What waits for people, for whoever runs Parley: counted and listed by the index of what is open."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from agent.ports import ThreadKey
from agent.store.keys import KEY, key_of
from agent.store.schema import cards, inbox, is_open, threads, waiting

Kind = Literal["question", "approval"]

# A card's name is its row in the journal, its sort, and the call that it belongs to.
_IS_APPROVAL = cards.c.name.like("%/approval/%")
_COUNTS = sa.select(_IS_APPROVAL, sa.func.count(), sa.func.min(cards.c.at)).where(is_open).group_by(_IS_APPROVAL)
_LISTED = sa.select(threads.c.id, cards.c.name, cards.c.at, cards.c.title, *KEY).join_from(cards, threads)


ORDER = "operator"  # what the keys of orders begin with
_ORDERS = sa.select(inbox.c.key, inbox.c.body).where(waiting, inbox.c.key.like(f"{ORDER}/%")).order_by(inbox.c.at)


@dataclass(frozen=True)
class Open:
    """How many of a kind are open, and since when the oldest is."""

    kind: Kind
    count: int
    oldest: float


@dataclass(frozen=True)
class OpenQuestion:
    """`id` is what whoever runs Parley calls it by."""

    id: str
    kind: Kind
    at: float
    title: str
    thread: ThreadKey
    call_id: str


def counted(connection: sa.Connection) -> list[Open]:
    return [Open(_kind(approval), count, oldest) for approval, count, oldest in connection.execute(_COUNTS)]


def listed(connection: sa.Connection, *, newest_first: bool, most: int) -> list[OpenQuestion]:
    order = cards.c.at.desc() if newest_first else cards.c.at
    return [_question(row) for row in connection.execute(_LISTED.where(is_open).order_by(order).limit(most))]


def found(connection: sa.Connection, question_id: str) -> OpenQuestion | None:
    """None if it is closed, or never was."""
    thread_id, _, call_id = question_id.partition("-")
    if not (thread_id.isascii() and thread_id.isdecimal() and len(thread_id) < 19):
        return None
    rows = connection.execute(_LISTED.where(is_open, cards.c.thread_id == int(thread_id)))
    return next((question for row in rows if (question := _question(row)).call_id == call_id), None)


def orders(connection: sa.Connection) -> list[tuple[str, str]]:
    """What whoever runs Parley has left to be done, by another process."""
    return [(row.key, row.body) for row in connection.execute(_ORDERS)]


def _question(row: Sequence[Any]) -> OpenQuestion:
    thread_id, name, at, title, *key = row
    call_id = name.rsplit("/", 1)[-1]
    return OpenQuestion(f"{thread_id}-{call_id}", _kind("/approval/" in name), at, title, key_of(key), call_id)


def _kind(is_approval: object) -> Kind:
    return "approval" if is_approval else "question"
