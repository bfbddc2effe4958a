"""The local Slack in the hands of a test or a page: who is there, what can be seen, and what shall go wrong."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from bot.playground import saving
from bot.playground.clock import Clock
from bot.playground.core import Core
from bot.playground.faults import Fault, Gate
from bot.playground.http_delivery import HttpHub
from bot.playground.people import Person
from bot.playground.record import Call, Delivery
from bot.playground.workspace import Channel, Json, Kind, Message, Session, User, View

T = TypeVar("T")
GLANCE = 0.05


class Control:
    def __init__(self, core: Core) -> None:
        self.core = core
        people = [user for user in core.workspace.users.values() if not user.is_bot]
        self.people = {user.name: Person(core, user) for user in people}
        named = [channel for channel in core.workspace.channels.values() if channel.name]
        self.channels = {channel.name: channel for channel in named}
        self.clock: Clock = core.clock
        self.bot_token = core.app.bot_token
        self.app_token = core.app.app_token
        self.bot_user_id = core.workspace.bot_user_id
        self.app_id = core.workspace.app_id
        self.team_id = core.workspace.team.id

    @property
    def api_url(self) -> str:
        return f"{self.core.url}/api/"

    def add_person(self, name: str, *, team_id: str | None = None, is_restricted: bool = False) -> Person:
        user = User(self.core.workspace.new_id("U0"), name, name.title(), team_id or self.team_id)
        user.is_restricted = is_restricted
        self.core.workspace.users[user.id] = user
        self.people[name] = Person(self.core, user)
        return self.people[name]

    def add_channel(
        self, name: str, members: Sequence[Person], *, kind: Kind = "channel", with_app: bool = True
    ) -> Channel:
        ids = [person.id for person in members] + ([self.bot_user_id] if with_app else [])
        channel = Channel(self.core.workspace.new_id("C0"), name, kind, ids)
        self.core.workspace.channels[channel.id] = channel
        self.channels[name] = channel
        return channel

    def thread(self, channel: Channel | str, ts: str) -> list[Message]:
        """A thread as everybody sees it now, its root first."""
        place = channel if isinstance(channel, str) else channel.id
        root = self.core.workspace.message(place, ts)
        found = ([root] if root else []) + self.core.workspace.replies(place, ts)
        return [replace(message) for message in found]

    def messages(self, channel: Channel | str) -> list[Message]:
        """The channel itself, without its threads, oldest first."""
        place = channel if isinstance(channel, str) else channel.id
        here = self.core.workspace.messages.get(place, {}).values()
        return [replace(message) for message in here if message.thread_ts in (None, message.ts)]

    def ephemerals(self, person: Person) -> list[Message]:
        """What only this person was shown."""
        return [message for message in self.core.workspace.private if message.only_for == person.id]

    def home(self, person: Person) -> View | None:
        return self.core.workspace.homes.get(person.id)

    def modal(self, person: Person) -> View | None:
        """The modal on top, if one is open."""
        stack = self.core.workspace.modals.get(person.id)
        return stack[-1] if stack else None

    def status(self, channel: Channel | str, ts: str) -> str:
        """The words under a thread, or none."""
        place = channel if isinstance(channel, str) else channel.id
        status = self.core.workspace.statuses.get(place, {}).get(ts)
        return status.text if status and self.clock.now() < status.expires_at else ""

    def session(self, channel: Channel | str, ts: str) -> Session | None:
        place = channel if isinstance(channel, str) else channel.id
        return self.core.workspace.sessions.get(place, {}).get(ts)

    @property
    def calls(self) -> list[Call]:
        return self.core.record.calls

    def called(self, method: str) -> list[Call]:
        """The calls of one method that were answered with ok."""
        return [call for call in self.core.record.calls if call.method == method and call.ok]

    @property
    def deliveries(self) -> list[Delivery]:
        """Every envelope sent to the app, events and interactions, each with whether it was acknowledged."""
        return self.core.record.deliveries

    def delivered(self, kind: str) -> list[Delivery]:
        """Those of one type: app_mention, message, block_actions, view_submission…"""
        return [delivery for delivery in self.core.record.deliveries if delivery.type == kind]

    async def until(self, predicate: Callable[[], T], seconds: float = 5.0) -> T:
        """Wait until something is so: looked at on every change here, and now and then for what happens elsewhere."""
        try:
            async with asyncio.timeout(seconds):
                while not (found := predicate()):
                    await self.core.next_change(at_most=GLANCE)
        except TimeoutError:
            last = ", ".join(f"{call.method} {call.error or 'ok'}" for call in self.calls[-8:])
            raise TimeoutError(f"it did not come to pass in {seconds} s; the last calls: {last}") from None
        return found

    async def connected(self, n: int = 1, seconds: float = 10.0) -> None:
        """Over HTTP: the app answers at its Request URL."""
        if isinstance(self.core.hub, HttpHub):
            await self.core.hub.verified(seconds)
            return
        await self.until(lambda: len(self.core.hub.open) >= n, seconds)

    def fail(
        self,
        method: str,
        *,
        error: str | None = None,
        status: int = 200,
        retry_after: int | None = None,
        drop: bool = False,
        after: bool = False,
        times: int = 1,
    ) -> None:
        """Let the next calls fail: an error, an HTTP status, 429, a cut connection; `after` they took effect."""
        if retry_after is not None:
            status, error = 429, "ratelimited"
        self.core.faults.plan(Fault(method, times, error, status, retry_after, drop, after=after))

    def slow(self, method: str, seconds: float, times: int = 1) -> None:
        """Let the next calls wait this long, by the clock, before anything happens."""
        self.core.faults.plan(Fault(method, times, delay=seconds))

    def hold(self, method: str, times: int = 1) -> Gate:
        """Let the next calls wait before a gate: `await gate.reached()`, then `gate.open()`."""
        gate = Gate()
        self.core.faults.plan(Fault(method, times, gate=gate))
        return gate

    def heal(self) -> None:
        """No more planned failures."""
        self.core.faults.clear()

    def limit_rates(self, *, on: bool = True, **per_minute: int) -> None:
        """Slack's rate limits for every method, or only these (chat_update=2), or none any more."""
        self.core.rates.on = on and not per_minute
        self.core.rates.own = {method.replace("_", "."): most for method, most in per_minute.items()}

    def refuse_streaming(self, error: str | None = "channel_type_not_supported") -> None:
        """As on a plan or in a channel without streaming; None takes it back."""
        self.core.app.streaming_refused = error

    def expire_stream(self, channel: Channel | str, ts: str) -> None:
        message = self.core.workspace.message(channel if isinstance(channel, str) else channel.id, ts)
        if message and message.stream:
            message.stream.expires_at = self.clock.now()

    def duplicate_next(self, event_type: str, times: int = 1) -> None:
        """Deliver the next event of this type more often than once."""
        self.core.hub.copies[event_type] = times

    def redeliver(self, delivery: Delivery) -> None:
        """An event once more, as if its acknowledgement had been lost."""
        self.core.hub.redeliver(delivery.payload)

    def hold_events(self) -> None:
        self.core.hub.hold()

    def release_events(self, *, reverse: bool = False) -> None:
        self.core.hub.release(reverse=reverse)

    def disconnect(self, reason: str = "refresh_requested") -> None:
        """Ask the app to connect anew: refresh_requested, or warning."""
        self.core.hub.disconnect(reason)

    def drop_sockets(self) -> None:
        """Cut every connection without a word."""
        self.core.hub.drop()

    def dump(self) -> Json:
        """Everything, as JSON-able data; `LocalSlack(state=…)` goes on from there."""
        return saving.dump(self.core.workspace)
