"""What came in and is not dealt with yet, and what a front end shows: kept in the journal's database."""

import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict, fields
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from agent.ports import Card, ThreadKey
from agent.store.schema import cards, inbox, threads, unshown, waiting

T = TypeVar("T")
Run = Callable[[Callable[[sa.Connection], Any]], Awaitable[Any]]

_KEY = tuple(threads.c[name] for name in ThreadKey.model_fields)
_OF_KEY = sa.and_(*(column == sa.bindparam(column.name) for column in _KEY))
_CARD = tuple(cards.c[field.name] for field in fields(Card))
_THREAD = sa.select(threads.c.id, threads.c.shown).where(_OF_KEY)
_CARDS = sa.select(*_CARD).where(cards.c.thread_id == sa.bindparam("of_thread"))
_SETTLE = sa.update(inbox).where(inbox.c.key == sa.bindparam("of_key"))


class Delivery:
    def __init__(self, run: Run, clock: Callable[[], float] = time.time) -> None:
        self._run = run
        self._clock = clock

    async def accept(self, key: str, body: str) -> bool:
        """Write down what came in; False if it came before."""
        row = {"key": key, "at": self._clock(), "body": body}
        accepted: bool = await self._run(lambda c: c.execute(_accept(c), row).first() is not None)
        return accepted

    async def waiting(self) -> list[tuple[str, str]]:
        """What came in and is not dealt with, oldest first."""
        query = sa.select(inbox.c.key, inbox.c.body).where(waiting).order_by(inbox.c.at)
        rows: list[tuple[str, str]] = await self._run(lambda c: [tuple(row) for row in c.execute(query)])
        return rows

    async def settle(self, key: str) -> None:
        """It is dealt with, and led to nothing that is written down elsewhere."""
        await self._run(lambda c: settle(c, key))

    async def forget_before(self, at: float) -> None:
        """Drop what was dealt with so long ago that it will not be delivered again."""
        await self._run(lambda c: c.execute(sa.delete(inbox).where(inbox.c.at < at, ~waiting)))

    async def cards(self, key: ThreadKey) -> tuple[list[Card], int]:
        """What the thread shows, and the last row of the journal that is shown."""

        def read(connection: sa.Connection) -> tuple[list[Card], int]:
            found = connection.execute(_THREAD, key.model_dump()).one_or_none()
            if found is None:
                return [], 0
            rows = connection.execute(_CARDS, {"of_thread": found.id}).mappings()
            return [Card(**row) for row in rows], found.shown

        result: tuple[list[Card], int] = await self._run(read)
        return result

    async def show(self, key: ThreadKey, changed: Iterable[Card], shown: int) -> None:
        """Slack shows these cards now, and with them the journal up to this row."""

        def write(connection: sa.Connection) -> None:
            thread_id = connection.execute(_THREAD, key.model_dump()).one().id
            for card in changed:
                connection.execute(_upsert(connection), {"thread_id": thread_id, **asdict(card)})
            connection.execute(sa.update(threads).where(threads.c.id == thread_id), {"shown": shown})

        await self._run(write)

    async def put_off(self, key: ThreadKey, name: str, remind_at: float | None) -> None:
        """Remind of it then, or not again; nothing, if it was closed meanwhile."""

        def write(connection: sa.Connection) -> None:
            thread_id = connection.execute(_THREAD, key.model_dump()).one().id
            which = sa.and_(cards.c.thread_id == thread_id, cards.c.name == name, cards.c.is_open)
            connection.execute(sa.update(cards).where(which), {"remind_at": remind_at})

        await self._run(write)

    async def unshown(self, team: str) -> list[ThreadKey]:
        """The threads whose journal says more than is shown."""
        return await self._keys(sa.select(*_KEY).where(unshown, threads.c.team == team))

    async def open_cards(self, team: str, most: int) -> list[tuple[ThreadKey, Card]]:
        """What waits for people, newest first."""
        return await self._listed(cards.c.is_open, team, most)

    async def ended_cards(self, team: str, most: int) -> list[tuple[ThreadKey, Card]]:
        """What people decided last, newest first."""
        return await self._listed(cards.c.ending != sa.literal_column("''"), team, most)

    async def due(self, now: float) -> list[tuple[ThreadKey, Card]]:
        """The open cards whose reminder or expiry has come."""
        late = sa.or_(cards.c.remind_at <= now, cards.c.expire_at <= now)
        return await self._pairs(_listing().where(cards.c.is_open, late))

    async def next_due(self) -> float | None:
        """When the next reminder or expiry comes."""
        times = sa.select(sa.func.min(cards.c.remind_at), sa.func.min(cards.c.expire_at)).where(cards.c.is_open)
        found = await self._run(lambda c: c.execute(times).one())
        return min((time for time in found if time is not None), default=None)

    async def _listed(self, which: sa.ColumnElement[bool], team: str, most: int) -> list[tuple[ThreadKey, Card]]:
        query = _listing().where(which, threads.c.team == team).order_by(cards.c.at.desc()).limit(most)
        return await self._pairs(query)

    async def _pairs(self, query: sa.Select[Any]) -> list[tuple[ThreadKey, Card]]:
        count = len(_KEY)
        rows = await self._run(lambda c: c.execute(query).all())
        return [
            (ThreadKey(**dict(zip(ThreadKey.model_fields, row[:count], strict=True))), Card(*row[count:]))
            for row in rows
        ]

    async def _keys(self, query: sa.Select[Any]) -> list[ThreadKey]:
        rows = await self._run(lambda c: c.execute(query).mappings().all())
        return [ThreadKey(**row) for row in rows]


def settle(connection: sa.Connection, key: str) -> None:
    connection.execute(_SETTLE, {"of_key": key, "body": ""})


def _listing() -> sa.Select[Any]:
    return sa.select(*_KEY, *(column.label(f"card_{column.name}") for column in _CARD)).join_from(cards, threads)


def _accept(connection: sa.Connection) -> Any:
    """Returns a row only if it inserted one."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(inbox).on_conflict_do_nothing().returning(inbox.c.key)


def _upsert(connection: sa.Connection) -> Any:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement = dialect.insert(cards)
    new = {column.name: statement.excluded[column.name] for column in cards.c if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=["thread_id", "name"], set_=new)
