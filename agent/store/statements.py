"""Statements of the path that every event takes: written in SQLAlchemy, run by the driver itself.

SQLAlchemy's execution costs several times what SQLite takes for a row; the drivers give the same plain values for
the numbers and texts that these statements are about.
"""

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite


class Statement:
    """Compiled once for each kind of database; one that differs between them is built with its module's `insert`."""

    def __init__(self, build: sa.ClauseElement | Callable[[Any], sa.ClauseElement]) -> None:
        self._build = build
        self._compiled: dict[str, tuple[str, tuple[str, ...] | None]] = {}

    def run(self, connection: sa.Connection, given: Mapping[str, Any]) -> list[Any]:
        """The rows, if it gives any."""
        text, order = self._compiled.get(connection.dialect.name) or self._compile(connection.dialect)
        driver: Any = connection.connection.driver_connection
        cursor = driver.execute(text, given if order is None else [given[name] for name in order])
        return cursor.fetchall() if cursor.description else []

    def _compile(self, dialect: sa.Dialect) -> tuple[str, tuple[str, ...] | None]:
        module = postgresql if dialect.name == "postgresql" else sqlite
        statement = self._build if isinstance(self._build, sa.ClauseElement) else self._build(module)
        compiled: Any = statement.compile(dialect=dialect)
        order = tuple(compiled.positiontup) if dialect.positional else None
        self._compiled[dialect.name] = str(compiled), order
        return self._compiled[dialect.name]
