"""The workspaces that installed Parley: Slack's own tables in our database, with the tokens in them encrypted."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from datetime import UTC, datetime
from typing import Any, TypeVar

import sqlalchemy as sa
from slack_sdk.oauth.installation_store import Installation
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.installation_store.sqlalchemy import SQLAlchemyInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from slack_sdk.oauth.state_store.sqlalchemy import SQLAlchemyOAuthStateStore

from agent.core.errors import StoreError
from agent.store import database
from bot.encryption import Cipher
from bot.workspace import Installed

T = TypeVar("T")

CONNECTIONS = 2  # to a PostgreSQL, beside the store's
_SECRETS = ("bot_token", "bot_refresh_token", "user_token", "user_refresh_token", "incoming_webhook_url")
_STATE_SECONDS = 600
_TABLES_LOCK = 0x7061726C657B  # PostgreSQL's advisory locks are numbers, chosen by whoever uses them


class _Tables(SQLAlchemyInstallationStore):
    """An encrypted token is longer than Slack's columns are wide."""

    @classmethod
    def build_installations_table(cls, metadata: sa.MetaData, table_name: str) -> sa.Table:
        return _widened(super().build_installations_table(metadata, table_name))

    @classmethod
    def build_bots_table(cls, metadata: sa.MetaData, table_name: str) -> sa.Table:
        return _widened(super().build_bots_table(metadata, table_name))


def _widened(table: sa.Table) -> sa.Table:
    for name in _SECRETS:
        if name in table.c:
            table.c[name].type = sa.Text()
    return table


class Installations(AsyncInstallationStore):
    """Also where the tokens come from, and what keeps the state of an installation that is under way."""

    only = ""

    def __init__(self, client_id: str, database_url: str, cipher: Cipher) -> None:
        self._engine = database.create_engine(database.parse_url(database_url))
        self._tables = _Tables(client_id, self._engine)
        self._cipher = cipher
        self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="installations")
        self.states = States(self._engine, self._run)

    async def open(self) -> None:
        """Make the tables if need be, and encrypt with the newest key; refuses keys that fit nothing."""
        await self._run(self._open)

    async def check(self) -> int | None:
        """How many workspaces there are, None if there are no tables yet. Refuses like `open`, and changes nothing."""
        return len(await self.teams()) if await self._run(self._check) else None

    async def close(self) -> None:
        await asyncio.to_thread(self._threads.shutdown)  # what is under way keeps a connection until it is done
        self._engine.dispose()

    async def find(self, team: str) -> Installed | None:
        return await self._run(lambda: self._find(team))

    async def teams(self) -> Sequence[str]:
        bots = self._tables.bots.c
        query = sa.select(bots.team_id).where(bots.client_id == self._tables.client_id).distinct()
        return await self._run(lambda: [row["team_id"] for row in self._read(query)])

    async def forget(self, me: Installed) -> None:
        """Unless it was installed anew meanwhile."""

        def forget() -> None:
            if (found := self._find(me.team_id)) and found.token == me.token:
                self._delete(me.team_id)

        await self._run(forget)

    async def async_save(self, installation: Installation) -> None:
        """In place of what was there of this workspace before."""
        encrypted = copy(installation)
        for name in _SECRETS:
            if value := getattr(installation, name):
                setattr(encrypted, name, self._cipher.encrypt(value))

        def save() -> None:
            self._tables.save(encrypted)
            self._delete(str(installation.team_id), but_newest=True)

        await self._run(save)

    async def _run(self, work: Callable[[], T]) -> T:
        """On a thread of its own."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except sa.exc.SQLAlchemyError as error:
            raise StoreError(f"The database cannot be used now ({type(error).__name__}).") from error

    def _open(self) -> None:
        with self._engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_TABLES_LOCK)))
            for metadata in (self._tables.metadata, self.states.tables.metadata):
                metadata.create_all(connection)
            for table in (self._tables.bots, self._tables.installations):
                for row in connection.execute(table.select()).mappings().all():
                    secrets = {name: row[name] for name in _SECRETS if row.get(name)}
                    renewed = {name: self._cipher.renew(value) for name, value in secrets.items()}
                    if renewed != secrets:
                        connection.execute(table.update().where(table.c.id == row["id"]), renewed)

    def _check(self) -> bool:
        tables = (self._tables.bots, self._tables.installations)
        with self._engine.connect() as connection:
            if not all(sa.inspect(connection).has_table(table.name) for table in tables):
                return False
            for row in (row for table in tables for row in connection.execute(table.select()).mappings()):
                for name in _SECRETS:
                    if row.get(name):
                        self._cipher.decrypt(row[name])
        return True

    def _find(self, team: str) -> Installed | None:
        bots = self._tables.bots.c
        ours = sa.and_(bots.client_id == self._tables.client_id, bots.team_id == team)
        query = self._tables.bots.select().where(ours).order_by(bots.id.desc()).limit(1)
        for row in self._read(query):
            token = self._cipher.decrypt(row["bot_token"])
            return Installed(team_id=team, user_id=row["bot_user_id"], bot_id=row["bot_id"] or "", token=token)
        return None

    def _read(self, query: sa.Select[Any]) -> Sequence[sa.RowMapping]:
        with self._engine.connect() as connection:
            return connection.execute(query).mappings().all()

    def _delete(self, team: str, *, but_newest: bool = False) -> None:
        with self._engine.begin() as connection:
            for table in (self._tables.bots, self._tables.installations):
                ours = sa.and_(table.c.client_id == self._tables.client_id, table.c.team_id == team)
                newest = sa.select(sa.func.max(table.c.id)).where(ours).scalar_subquery()
                connection.execute(table.delete().where(ours, table.c.id != newest if but_newest else sa.true()))


class States(AsyncOAuthStateStore):
    """Each state is good for one installation, and for ten minutes."""

    def __init__(self, engine: sa.Engine, run: Callable[[Callable[[], Any]], Awaitable[Any]]) -> None:
        self.tables = SQLAlchemyOAuthStateStore(_STATE_SECONDS, engine)
        self._run = run

    async def async_issue(self, *_args: Any, **_kwargs: Any) -> str:
        def issue() -> str:
            states = self.tables.oauth_states
            with self.tables.engine.begin() as connection:  # anyone can ask for one, so they must not pile up
                now = datetime.now(UTC).replace(tzinfo=None)
                connection.execute(states.delete().where(states.c.expire_at < now))
            return self.tables.issue()

        state: str = await self._run(issue)
        return state

    async def async_consume(self, state: str) -> bool:
        good: bool = await self._run(lambda: self.tables.consume(state))
        return good
