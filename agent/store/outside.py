"""The database from outside the process that runs on it: it is read, and orders are left, without a claim on it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import sqlalchemy as sa

from agent.core.errors import StoreError
from agent.store import database, open_questions
from agent.store.open_questions import OpenQuestion
from agent.store.schema import inbox

T = TypeVar("T")


class Outside:
    def __init__(self, url: str) -> None:
        self._url = database.parse_url(url)
        self._engine = database.create_engine(self._url)

    @classmethod
    @contextmanager
    def open(cls, url: str) -> Iterator["Outside"]:
        """Makes nothing: whoever only looks must not leave files behind that Parley cannot write to."""
        outside = cls(url)
        try:
            if not database.exists(outside._url):
                raise StoreError(
                    f"There is no database at {outside._url.database} yet: Parley makes it when it starts."
                )
            outside._run(_need_tables)
            yield outside
        finally:
            outside._engine.dispose()

    def is_in_use(self) -> bool:
        """Whether a Parley runs on it."""
        return self._run(database.users) > 0

    def questions(self, *, newest_first: bool, most: int) -> list[OpenQuestion]:
        return self._run(lambda c: open_questions.listed(c, newest_first=newest_first, most=most))

    def question(self, question_id: str) -> OpenQuestion | None:
        return self._run(lambda c: open_questions.found(c, question_id))

    def leave(self, key: str, body: str) -> None:
        """Something that came in, as if Slack had delivered it; whoever runs on the database deals with it."""
        row = {"key": key, "at": time.time(), "body": body}
        self._run(lambda c: c.execute(sa.insert(inbox), row))

    def _run(self, work: Callable[[sa.Connection], T]) -> T:
        try:
            with self._engine.begin() as connection:
                return work(connection)
        except sa.exc.DBAPIError as error:
            raise database.unusable(self._url, error) from error


def _need_tables(connection: sa.Connection) -> None:
    match database.standing(connection):
        case "none":
            raise StoreError("The database is empty yet: Parley makes its tables when it starts.")
        case "older":
            raise StoreError("The database was written by an older Parley: start this one first, which migrates it.")
        case "newer":
            raise StoreError("The database was written by a newer Parley than this one; use that version instead.")
