"""Parley in Slack, whole: the real app over sockets or HTTP on the local Slack, a real database, a scripted model."""

import asyncio
import json
import sqlite3
from contextlib import closing
from functools import partial
from typing import Any

import psycopg

from agent.store import database
from agent.store.schema import metadata
from bot.app import serve, serve_http
from bot.playground import looking
from bot.playground.http_delivery import HttpHub
from bot.playground.people import Person
from bot.playground.server import LocalSlack
from bot.playground.workspace import Channel, Message
from bot.settings import Settings
from tests.support.scripted_model import ScriptedModel

_HASTE = 20
SIGNING_SECRET = "local-signing-secret"


class SlackWorld:
    """`start()` begins Parley, so that a test can set things up before; settings are given by their names."""

    def __init__(self, database_url: str, *, http: bool = False, **settings: Any) -> None:
        self.database_url = database_url
        self._connection: psycopg.Connection | None = None
        self.http, self.url = http, ""
        over_http = {"request_url": "http://not.yet", "signing_secret": SIGNING_SECRET}
        self.slack = LocalSlack(**over_http) if http else LocalSlack()
        self.model = ScriptedModel()
        self.pauses: list[float] = []
        self._settings = settings
        self._serving: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "SlackWorld":
        await self.slack.__aenter__()
        await self.model.__aenter__()
        return self

    async def __aexit__(self, *failure: Any) -> None:
        await self.stop()
        if self._connection:
            self._connection.close()
        try:
            await self.model.__aexit__(*failure)
        finally:
            await self.slack.__aexit__(*failure)

    @property
    def settings(self) -> Settings:
        given = {
            "slack_bot_token": self.slack.bot_token,
            "slack_app_token": self.slack.app_token,
            "slack_signing_secret": SIGNING_SECRET,
            "parley_http_port": 0,
            "slack_api_url": self.slack.api_url,
            "openai_api_key": "test",
            "openai_model": "scripted",
            "openai_base_url": self.model.base_url,
            "database_url": self.database_url,
        }
        return Settings(_env_file=None, **given | self._settings)  # type: ignore[call-arg, arg-type]

    async def start(self, **settings: Any) -> "SlackWorld":
        self._settings |= settings
        self._delivered_before = len(self.slack.deliveries)
        given: dict[str, Any] = {"clock": self.slack.clock.now, "sleep": self.sleep}
        serve_so = partial(serve_http, listening=self.listening) if self.http else serve
        self._serving = asyncio.create_task(serve_so(self.settings, asyncio.Event(), **given))
        await asyncio.wait({self._serving, asyncio.create_task(self.slack.connected(2))}, return_when="FIRST_COMPLETED")
        if self._serving.done():
            self._serving.result()
        return self

    def listening(self, port: int) -> None:
        """Parley listens there now: that is the Request URL."""
        self.url = f"http://127.0.0.1:{port}"
        for core in self.slack.installs.cores.values():
            assert isinstance(core.hub, HttpHub)
            core.hub.request_url = f"{self.url}/slack/events"

    async def sleep(self, seconds: float) -> None:
        """Parley's pauses: shorter than they would be, by the local Slack's clock, and written down."""
        self.pauses.append(seconds)
        await self.slack.clock.sleep(seconds / _HASTE)

    async def stop(self) -> None:
        """As by Ctrl-C in the middle of everything: what runs is cut off."""
        if self._serving:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)
            self._serving = None

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    def person(self, name: str = "ann") -> Person:
        return self.slack.people[name]

    @property
    def general(self) -> Channel:
        return self.slack.channels["general"]

    def replies(self, ts: str, channel: Channel | None = None) -> list[Message]:
        """What Parley shows in a thread."""
        thread = self.slack.thread(channel or self.general, ts)
        return [message for message in thread if message.user == self.slack.bot_user_id]

    def forms(self, ts: str, channel: Channel | None = None) -> list[Message]:
        """The messages with a button in them."""
        return [message for message in self.replies(ts, channel) if looking.buttons(message.blocks or [])]

    async def form(self, ts: str, channel: Channel | None = None) -> Message:
        """The newest form in a thread, as soon as there is one."""
        return (await self.slack.until(lambda: self.forms(ts, channel)))[-1]

    async def says(self, words: str, ts: str, channel: Channel | None = None) -> Message:
        """The message of Parley's in which these words can be read, as soon as there is one."""

        def found() -> list[Message]:
            return [m for m in self.replies(ts, channel) if words in f"{m.text}\n{looking.words(m.blocks or [])}"]

        return (await self.slack.until(found))[-1]

    async def told(self, words: str, person: Person) -> Message:
        """The private message with these words, as soon as it is there."""
        return (await self.slack.until(lambda: [m for m in self.slack.ephemerals(person) if words in m.text]))[-1]

    async def asked(self, count: int) -> dict[str, Any]:
        """The body of the model's request of this number (from 1), as soon as it was made."""
        await self.model.asked(count)
        return self.model.requests[count - 1]

    async def dealt_with(self) -> None:
        """Wait until everything that was delivered is dealt with: what has not happened by then will not."""
        await self.slack.until(lambda: all(delivery.acked for delivery in self.slack.deliveries))
        await self.slack.until(lambda: not self._ask("SELECT key FROM inbox WHERE body != ''"))

    def inbox(self) -> list[str]:
        """The keys of everything that was ever written down."""
        return [key for (key,) in self._ask("SELECT key FROM inbox")]

    def state(self, ts: str) -> str:
        """What a thread is doing, by its root message."""
        [(kind,)] = self._ask(f"SELECT kind FROM threads WHERE root = '{ts}' AND call_id = ''")
        return str(kind)

    def forget_everything(self) -> None:
        """As if Parley were started on another database."""
        engine = database.create_engine(database.parse_url(self.database_url))
        with engine.begin() as connection:
            for table in reversed(metadata.sorted_tables):
                connection.execute(table.delete())
        engine.dispose()

    def _ask(self, query: str) -> list[Any]:
        """The database, past Parley."""
        if self.database_url.startswith("sqlite"):
            path = self.database_url.removeprefix("sqlite:///")
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
                return connection.execute(query).fetchall()
        self._connection = self._connection or psycopg.connect(self.database_url, autocommit=True)
        return self._connection.execute(query).fetchall()

    async def at_rest(self) -> None:
        """Wait until nothing is left to do or to show: what has not happened by then will not."""
        await self.slack.until(self._is_at_rest)

    def _is_at_rest(self) -> bool:
        if not all(delivery.acked for delivery in self.slack.deliveries[self._delivered_before :]):
            return False
        working = "SELECT id FROM threads WHERE seq > shown OR kind IN ('thinking', 'running_tools')"
        return not self._ask(f"{working} UNION ALL SELECT 0 FROM inbox WHERE body != ''")

    def result(self, number: int = -1) -> Any:
        """What the newest request says was the result of a tool, parsed if it is JSON."""
        contents = [m["content"] for m in self.model.requests[-1]["messages"] if m["role"] == "tool"]
        try:
            return json.loads(contents[number])
        except json.JSONDecodeError:
            return contents[number]
