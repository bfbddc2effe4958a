"""What came in and is not dealt with yet, and what a front end shows: kept in the journal's database."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from agent import signals
from agent.ports import Card, Presence, ThreadKey
from agent.store.keys import KEY, OF_KEY, key_of
from agent.store.runners import present, tell_everyone
from agent.store.schema import cards, due, ended, inbox, is_open, threads, waiting
from agent.store.transactions import Run

_TIMES = (cards.c.remind_at, cards.c.expire_at)
_CARD = tuple(cards.c[field.name] for field in fields(Card))
_THREAD = sa.select(threads.c.id, threads.c.shown, threads.c.runner).where(OF_KEY)
_CARDS = sa.select(*_CARD).where(cards.c.thread_id == sa.bindparam("of_thread"))
_OURS = sa.and_(inbox.c.key == sa.bindparam("of_key"), inbox.c.runner == sa.bindparam("of_runner"), waiting)
_LEFT, _SETTLE = sa.select(inbox.c.key).where(_OURS), sa.update(inbox).where(_OURS)
_MOVE_ON = sa.update(threads).where(
    threads.c.id == sa.bindparam("of_thread"), threads.c.runner == sa.bindparam("of_runner")
)


class Delivery:
    def __init__(self, run: Run, look: Run, here: Presence, clock: Callable[[], float] = time.time) -> None:
        self._run, self._read, self._here, self._clock = run, look, here, clock

    async def accept(self, key: str, body: str) -> bool:
        """Write down what came in; False if it came before."""
        row = {"key": key, "at": self._clock(), "body": body, "runner": present(self._here)}
        accepted: bool = await self._run(lambda c: c.execute(_accept(c), row).first() is not None)
        return accepted

    async def is_left(self, key: str) -> bool:
        """Whether it came in here, and is not dealt with."""
        which = {"of_key": key, "of_runner": self._here.number}
        left: bool = await self._read(lambda c: c.execute(_LEFT, which).first() is not None)
        return left

    async def settle(self, key: str) -> bool:
        """It is dealt with, and led to nothing that is written down elsewhere; False if it was before, or by others."""
        number = self._here.number
        settled: bool = await self._run(lambda c: settle(c, key, number))
        return settled

    async def forget_before(self, at: float) -> None:
        """Drop what was dealt with so long ago that it will not be delivered again."""
        await self._run(lambda c: c.execute(sa.delete(inbox).where(inbox.c.at < at, ~waiting)))

    async def cards(self, key: ThreadKey) -> tuple[list[Card], int] | None:
        """What the thread shows, and the last row of the journal that is shown; None if it does not belong to us."""
        number = self._here.number

        def read(connection: sa.Connection) -> tuple[list[Card], int] | None:
            found = connection.execute(_THREAD, key.model_dump()).one_or_none()
            if found is None or found.runner != number:
                return None
            rows = connection.execute(_CARDS, {"of_thread": found.id}).mappings()
            return [Card(**row) for row in rows], found.shown

        result: tuple[list[Card], int] | None = await self._read(read)
        return result

    async def show(self, key: ThreadKey, changed: Sequence[Card], shown: int) -> bool:
        """Slack shows these cards now, and with them the journal up to this row; False if the thread is not ours."""
        number = self._here.number

        def write(connection: sa.Connection) -> bool:
            thread_id = connection.execute(_THREAD, key.model_dump()).one().id
            which = {"of_thread": thread_id, "of_runner": number}
            if not connection.execute(_MOVE_ON, {**which, "shown": shown}).rowcount:
                return False
            for card in changed:
                connection.execute(_upsert(connection), {"thread_id": thread_id, "team": key.team, **asdict(card)})
            if any(card.is_open or card.ending for card in changed):
                tell_everyone(connection, signals.shown_in(key.team))
            return True

        written: bool = await self._run(write)
        return written

    async def put_off(self, key: ThreadKey, name: str, remind_at: float | None) -> None:
        """Remind of it then, or not again; nothing, if it was closed meanwhile."""

        def write(connection: sa.Connection) -> None:
            thread_id = connection.execute(_THREAD, key.model_dump()).one().id
            which = sa.and_(cards.c.thread_id == thread_id, cards.c.name == name, cards.c.is_open)
            connection.execute(sa.update(cards).where(which), {"remind_at": remind_at})

        await self._run(write)

    async def open_cards(self, team: str, most: int) -> list[tuple[ThreadKey, Card]]:
        """What waits for people, newest first."""
        return await self._listed(is_open, team, most)

    async def ended_cards(self, team: str, most: int) -> list[tuple[ThreadKey, Card]]:
        """What people decided last, newest first."""
        return await self._listed(ended, team, most)

    async def due(self, now: float) -> list[tuple[ThreadKey, Card]]:
        """The open cards of our threads whose reminder or expiry has come."""
        ours = threads.c.runner == self._here.number
        return await self._pairs(sa.union(*(_listing().where(which, ours) for which in due(now))))

    async def next_due(self, now: float) -> float | None:
        """When the next reminder or expiry comes, in whosever thread: to know whose would mean to read them all."""
        found = await self._read(lambda c: [c.scalar(_next(column, now)) for column in _TIMES])
        return min((time for time in found if time is not None), default=None)

    async def _listed(self, which: sa.ColumnElement[bool], team: str, most: int) -> list[tuple[ThreadKey, Card]]:
        query = _listing().where(which, cards.c.team == team).order_by(cards.c.at.desc()).limit(most)
        return await self._pairs(query)

    async def _pairs(self, query: sa.Select[Any] | sa.CompoundSelect[Any]) -> list[tuple[ThreadKey, Card]]:
        count = len(KEY)
        rows = await self._read(lambda c: c.execute(query).all())
        return [(key_of(row[:count]), Card(*row[count:])) for row in rows]


def settle(connection: sa.Connection, key: str, number: int) -> bool:
    settled = connection.execute(_SETTLE, {"of_key": key, "of_runner": number, "body": ""})
    return bool(settled.rowcount)


def _next(column: sa.ColumnElement[float], now: float) -> sa.Select[Any]:
    """The first in the column's index."""
    return sa.select(column).where(is_open, column > now).order_by(column).limit(1)


def _listing() -> sa.Select[Any]:
    return sa.select(*KEY, *(column.label(f"card_{column.name}") for column in _CARD)).join_from(cards, threads)


def _accept(connection: sa.Connection) -> Any:
    """Returns a row only if it inserted one."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(inbox).on_conflict_do_nothing().returning(inbox.c.key)


def _upsert(connection: sa.Connection) -> Any:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement = dialect.insert(cards)
    new = {column.name: statement.excluded[column.name] for column in cards.c if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=["thread_id", "name"], set_=new)
