"""The workspace in a small SQLite file, a row for each thing in it; a kill at any time loses nothing it was told."""

import asyncio
import json
import logging
import sqlite3
from collections.abc import Iterator
from copy import copy, deepcopy
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from bot.playground import saving
from bot.playground.core import Core
from bot.playground.workspace import Json, Stream, Workspace

log = logging.getLogger(__name__)

VERSION = 1
FORGET_AFTER = 3_600.0
# How many levels of a part are rows of their own. What is not named is one row.
DEPTHS = {
    "users": 1, "channels": 1, "files": 1, "homes": 1, "modals": 1, "waiting": 1, "response_urls": 1, "triggers": 1,
    "private": 2, "messages": 2, "threads": 2, "statuses": 2, "sessions": 2,
}  # fmt: skip
REPLACED = {"blocks", "body", "payload", "content", "metadata"}  # never changed where they are, and large
SCHEMA = "CREATE TABLE IF NOT EXISTS kept (part TEXT, a TEXT, b TEXT, value TEXT NOT NULL, PRIMARY KEY (part, a, b))"

Key = tuple[str, str, str]


class Unusable(Exception):
    """Why the workspace cannot be read or written here, in one sentence."""


class InUse(Unusable):
    """Another process has it."""


@dataclass(frozen=True)
class Kept:
    workspace: Workspace
    ahead: float


class Keeper:
    """Has the file for itself from here on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._core: Core | None = None
        self._rows: dict[Key, Any] = {}
        self._changed = self._scheduled = self._failing = False
        try:
            self._file = sqlite3.connect(path, timeout=0, isolation_level=None)
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        try:
            self._begin()
        except sqlite3.Error as error:
            self._file.close()
            raise self._unusable(error) from error

    def _begin(self) -> None:
        run = self._file.execute
        run("PRAGMA locking_mode = EXCLUSIVE")  # held until the end, so that nobody else can begin here
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = OFF")  # a kill loses nothing by that; only a power cut could
        run("BEGIN IMMEDIATE")
        found = run("PRAGMA user_version").fetchone()[0]
        if found not in (0, VERSION):
            raise sqlite3.DatabaseError("it is of another version of Parley")
        run(f"PRAGMA user_version = {VERSION}")
        run(SCHEMA)
        run("COMMIT")

    def load(self) -> Kept | None:
        """What was kept, or None in a new file."""
        data: Json = {}
        try:
            for part, a, b, value in self._file.execute("SELECT part, a, b, value FROM kept ORDER BY rowid"):
                path = (part, a, b)[: 1 + DEPTHS.get(part, 0)]
                _put(data, path, json.loads(value))
            ahead = float(data.pop("ahead", 0.0))
            data["private"] = [message for at in data.get("private", {}).values() for message in at.values()]
            return Kept(saving.load(data), ahead) if "team" in data else None
        except (sqlite3.Error, ValueError, KeyError, TypeError, AttributeError) as error:
            self._file.close()
            raise self._unusable(error) from error

    def follow(self, core: Core) -> None:
        """From now on everything that changes is kept: before anybody is told of it, and soon in any case."""
        self._core, core.save = core, self.save
        core.on_change(self._note)
        self._note()

    def save(self) -> None:
        if self._core is None or not self._changed:
            return
        self._changed = False
        try:
            self._write(self._core)
            self._failing = False
        except sqlite3.Error as error:
            self._changed = True
            if not self._failing:
                log.warning("The workspace cannot be written to %s (%s): it may be lost.", self._path, error)
            self._failing = True

    def close(self) -> None:
        self._changed = True  # the time has, at least
        self.save()
        self._file.close()

    def _note(self) -> None:
        self._changed = True
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._save_soon)

    def _save_soon(self) -> None:
        self._scheduled = False
        self.save()

    def _write(self, core: Core) -> None:
        _forget(core)
        now = dict(_rows(core))
        changed = [key for key, value in now.items() if key not in self._rows or not _same(value, self._rows[key])]
        gone = self._rows.keys() - now.keys()
        if not changed and not gone:
            return
        self._file.execute("BEGIN IMMEDIATE")
        try:
            rows = [(*key, json.dumps(now[key], default=vars)) for key in changed]
            self._file.executemany(
                "INSERT INTO kept VALUES (?, ?, ?, ?) ON CONFLICT (part, a, b) DO UPDATE SET value = excluded.value",
                rows,
            )
            self._file.executemany("DELETE FROM kept WHERE part = ? AND a = ? AND b = ?", gone)
            self._file.execute("COMMIT")
        finally:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
        self._rows |= {key: _snapshot(now[key]) for key in changed}
        for key in gone:
            del self._rows[key]

    def _unusable(self, error: Exception) -> Unusable:
        if "locked" in str(error):
            return InUse(f"Another playground is already running on {self._path.parent}: stop it first.")
        return Unusable(f"The playground's workspace ({self._path}) cannot be read: {error}.")


def _rows(core: Core) -> Iterator[tuple[Key, Any]]:
    """Everything worth keeping, each with the name of its row."""
    yield ("ahead", "", ""), core.clock.ahead
    now = core.clock.now()
    for part in fields(core.workspace):
        held, depth = getattr(core.workspace, part.name), DEPTHS.get(part.name, 0)
        if depth == 0:
            yield (part.name, "", ""), held
        elif part.name == "private":
            yield from (((part.name, message.ts, message.only_for or ""), message) for message in held)
        elif depth == 2:
            for a, within in held.items():
                yield from (((part.name, a, b), value) for b, value in within.items())
        elif part.name in ("triggers", "response_urls"):
            yield from (((part.name, a, ""), value) for a, value in held.items() if now < value.expires_at)
        else:
            yield from (((part.name, a, ""), value) for a, value in held.items())


def _forget(core: Core) -> None:
    """What expired long ago; for a while it is still known to have been there."""
    for held in (core.workspace.triggers, core.workspace.response_urls):
        for key in [key for key, value in held.items() if value.expires_at < core.clock.now() - FORGET_AFTER]:
            del held[key]


def _snapshot(value: Any) -> Any:
    """What to compare with later: copies of whatever may be changed in place."""
    if not is_dataclass(value):
        return deepcopy(value)
    return {name: held if name in REPLACED else _copied(held) for name, held in vars(value).items()}


def _copied(held: Any) -> Any:
    # A stream's own lists change only together with the message's blocks, which are made anew.
    return copy(held) if isinstance(held, Stream) else deepcopy(held)


def _same(value: Any, kept: Any) -> bool:
    return bool((vars(value) if is_dataclass(value) else value) == kept)


def _put(data: Json, path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        data = data.setdefault(name, {})
    data[path[-1]] = value
