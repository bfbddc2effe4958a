"""Work that belongs to nobody, since the process it belonged to has ended: found by small indexes, and taken over."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

import sqlalchemy as sa

from agent import signals
from agent.core.errors import StoreError
from agent.ports import NOBODY, Presence, ThreadKey
from agent.store.keys import KEY, key_of
from agent.store.runners import is_postgres, present
from agent.store.schema import cards, due, inbox, threads, unfinished, unshown, waiting
from agent.store.transactions import Run

T = TypeVar("T")

_AT_ONCE = 100  # the rest is for the next sweep, or for another replica
_BELONGS_TO_NOBODY = sa.text(f"runner NOT IN ({signals.LIVING})")
_ONLY_US = frozenset({0})


class Adoption:
    """On SQLite there is one process at a time: when it starts, everything belongs to nobody."""

    def __init__(self, run: Run, look: Run, here: Presence) -> None:
        self._run, self._read, self._here = run, look, here
        self._teams: set[str] = set()
        self._shown: set[str] = set()
        self._taken: set[ThreadKey] = set()
        self._doubted = NOBODY

    @property
    def in_doubt(self) -> bool:
        """Whether something may be ours without our knowing: the answer to the commit that took it over was lost."""
        return self._doubted != NOBODY and self._doubted == self._here.number

    def note(self, key: ThreadKey) -> None:
        """The thread becomes ours. To be said before that is committed: from then on, anything of it may be told."""
        self._taken.add(key)

    def is_news(self, key: ThreadKey) -> bool:
        """Whether the thread was taken over since this was last asked of it: what it shows is not known then."""
        if key not in self._taken:
            return False
        self._taken.discard(key)
        return True

    def serve(self, team: str, *, writes_down_what_is_shown: bool = True) -> None:
        """Adopt threads of this team too: only who can show a thread may have it."""
        self._teams.add(team)
        if writes_down_what_is_shown:
            self._shown.add(team)

    def leave(self, team: str) -> None:
        """Adopt no more of its threads."""
        self._teams.discard(team)
        self._shown.discard(team)

    def serves(self, team: str) -> bool:
        return team in self._teams

    async def unfinished(self, team: str) -> list[ThreadKey]:
        """The threads of a team in which something runs or is to run, whosever they are."""
        return await self._keys(sa.select(*KEY).where(unfinished, threads.c.team == team))

    async def behind(self, team: str) -> list[ThreadKey]:
        """Those of its threads that are ours, and unfinished or not wholly shown."""
        if self._here.number == NOBODY:
            return []  # nothing is, yet
        ours = sa.select(*KEY).where(threads.c.team == team, threads.c.runner == self._here.number)
        return await self._keys(sa.union(ours.where(unfinished), ours.where(unshown)))

    async def _keys(self, query: sa.Select[Any] | sa.CompoundSelect[Any]) -> list[ThreadKey]:
        rows = await self._read(lambda connection: connection.execute(query).all())
        return [key_of(row) for row in rows]

    async def dead(self, now: float) -> Collection[int]:
        """The runners that no longer live and have left something to do."""
        found: Collection[int] = await self._read(lambda c: self._dead(c, now) if is_postgres(c) else _ONLY_US)
        return found

    def _dead(self, connection: sa.Connection, now: float) -> Collection[int]:
        work = [sa.select(threads.c.runner).where(which) for which in self._work]
        work += [sa.select(inbox.c.runner).where(waiting)]
        work += [sa.select(threads.c.runner).join_from(cards, threads).where(which, self._ours) for which in due(now)]
        found = sa.union(*work).subquery("work")
        return frozenset(connection.scalars(sa.select(found.c.runner).where(_BELONGS_TO_NOBODY)))

    async def threads(self, dead: Collection[int]) -> list[ThreadKey]:
        """Take over threads that are unfinished or not wholly shown."""
        left = sa.select(threads.c.id, *KEY).where(threads.c.runner.in_(dead))
        return await self._adopt(sa.union(*(left.where(which) for which in self._work)), dead, self.note)

    async def due(self, dead: Collection[int], now: float) -> list[ThreadKey]:
        """Take over threads of which people are to be reminded, or in which a question expires.

        Only those that are wholly shown: the others are taken over as such, and their time comes then.
        """
        if self._here.number in dead:
            return []  # they are ours already
        left = sa.select(threads.c.id, *KEY).join_from(cards, threads).where(self._ours, threads.c.runner.in_(dead))
        left = left.where(sa.not_(unfinished), sa.not_(unshown))
        return await self._adopt(sa.union(*(left.where(which) for which in due(now))), dead)

    async def received(self, dead: Collection[int]) -> list[tuple[str, str]]:
        """Take over what came in and is not dealt with: keys and bodies, oldest first."""
        query = sa.select(inbox.c.key, inbox.c.body).where(waiting, inbox.c.runner.in_(dead)).order_by(inbox.c.at)

        def work(connection: sa.Connection, number: int) -> list[tuple[str, str]]:
            if not is_postgres(connection):
                return [(row.key, row.body) for row in connection.execute(query)]
            bounded = query.limit(_AT_ONCE).with_for_update(skip_locked=True)
            found = {row.key: row.body for row in connection.execute(bounded)}
            if found:
                connection.execute(sa.update(inbox).where(inbox.c.key.in_(found)).values(runner=number))
            return list(found.items())

        return await self._take(work)

    async def _adopt(
        self, left: sa.CompoundSelect[Any], dead: Collection[int], note: Callable[[ThreadKey], None] = lambda _key: None
    ) -> list[ThreadKey]:
        def work(connection: sa.Connection, number: int) -> list[ThreadKey]:
            if not is_postgres(connection):
                found = connection.execute(left).all()
            elif found := connection.execute(left.limit(_AT_ONCE)).all():
                ours = set(connection.scalars(_lock([row.id for row in found], dead)))
                connection.execute(sa.update(threads).where(threads.c.id.in_(ours)).values(runner=number))
                found = [row for row in found if row.id in ours]
            keys = [key_of(row[1:]) for row in found]
            for key in keys:
                note(key)
            return keys

        return await self._take(work)

    async def _take(self, work: Callable[[sa.Connection, int], list[T]]) -> list[T]:
        number = present(self._here)
        taken: list[T] = []

        def noted(connection: sa.Connection) -> None:
            taken[:] = work(connection, number)

        try:
            await self._run(noted)
        except StoreError:
            if taken:  # it failed only when that was to be committed
                self._doubted = number
            raise
        return taken

    @property
    def _ours(self) -> sa.ColumnElement[bool]:
        return threads.c.team.in_(sorted(self._teams))

    @property
    def _work(self) -> tuple[sa.ColumnElement[bool], ...]:
        """What makes a thread one to go on with, each by its own index."""
        return sa.and_(unfinished, self._ours), sa.and_(unshown, threads.c.team.in_(sorted(self._shown)))


def _lock(ids: list[int], dead: Collection[int]) -> sa.Select[Any]:
    """Those of the threads that nobody else is at, or has taken meanwhile."""
    which = sa.select(threads.c.id).where(threads.c.id.in_(ids), threads.c.runner.in_(dead))
    return which.with_for_update(skip_locked=True)
