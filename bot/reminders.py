"""Reminders and expiry: rows with a due time, and one task that sleeps until the next."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

import structlog

from agent.core.errors import StoreError
from agent.core.events import AskExpired
from agent.ports import Card, ThreadKey
from agent.store.journal import Store
from agent.threads import Threads
from bot.blocks import reply
from bot.pausing import Sleep, pause_unless
from bot.slack import Slack, SlackAway, SlackRefused

log = structlog.get_logger()

_LONGEST_SLEEP = 3_600.0
_SHORTEST_SLEEP = 1.0  # what is due may stay so for a while, until its card is closed
_AFTER_FAILURE = 60.0


class Hours(Protocol):
    def in_working_hours(self, at: float) -> float:
        """This moment, or the next at which people may be disturbed."""


class Reminders:
    def __init__(
        self,
        store: Store,
        threads: Threads,
        slack_of: Callable[[str], Awaitable[Slack | None]],
        *,
        due: Hours,
        clock: Callable[[], float] = time.time,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store, self._threads, self._slack_of, self._hours = store, threads, slack_of, due
        self._clock, self._sleep = clock, sleep
        self._changed = asyncio.Event()

    def wake(self) -> None:
        """Something opened or closed: the next due time may be another."""
        self._changed.set()

    async def adopt(self, dead: Collection[int]) -> None:
        if await self._store.adoption.due(dead, self._clock()):
            self.wake()

    async def run(self) -> None:
        while True:
            self._changed.clear()
            try:
                now = self._clock()  # for both: what comes due in between is the next
                wait = _LONGEST_SLEEP if await self._do_due(now) else _AFTER_FAILURE
                if (due := await self._store.delivery.next_due(now)) is not None:
                    wait = min(max(due - self._clock(), _SHORTEST_SLEEP), wait)
            except Exception:  # the outermost loop: the next reminder may go better
                log.exception("reminders.failed")
                wait = _AFTER_FAILURE
            await pause_unless(self._changed, wait, self._sleep)

    async def _do_due(self, now: float) -> bool:
        """Whether all could be done. What is due where Parley was removed waits until it is back, and wakes us then."""
        due, serves = await self._store.delivery.due(now), self._store.adoption.serves
        return all([await self._try(key, card, now) for key, card in due if serves(key.team)])

    async def _try(self, key: ThreadKey, card: Card, now: float) -> bool:
        """Whether it could be done. Each by itself: one thread that cannot be read must not keep the others back."""
        try:
            return await self._do(key, card, now)
        except StoreError as error:
            log.warning("reminders.failed", thread=key.model_dump(), error=str(error))
        except Exception:  # the outermost loop, for each
            log.exception("reminders.failed", thread=key.model_dump())
        return False

    async def _do(self, key: ThreadKey, card: Card, now: float) -> bool:
        """False if it is of a workspace that Parley cannot reach now: then it is left as it is."""
        slack = await self._slack_of(key.team)
        if slack is None:
            return False
        if card.expire_at is not None and card.expire_at <= now:
            await self._threads.record(key, AskExpired(call_id=card.name.rsplit("/", 1)[-1]))
        elif (later := self._hours.in_working_hours(now)) > now:
            await self._put_off(key, card, later)
        else:
            await self._put_off(key, card, None)
            await self._remind(slack, key, card)
        return True

    async def _put_off(self, key: ThreadKey, card: Card, remind_at: float | None) -> None:
        await self._store.delivery.put_off(key, card.name, remind_at)

    async def _remind(self, slack: Slack, key: ThreadKey, card: Card) -> None:
        """Once. If Slack will not have it, nobody is worse off than without."""
        rendered = reply.note(f"⏰ Still waiting for an answer: {card.title}")
        metadata = {"event_type": "parley_reminder", "event_payload": {"card": card.name}}
        try:
            await slack.call(
                "chat.postMessage",
                channel=key.channel,
                thread_ts=key.root,
                text=rendered.text,
                blocks=rendered.blocks,
                metadata=metadata,
                unfurl_links=False,
                unfurl_media=False,
            )
        except (SlackRefused, SlackAway) as error:
            log.info("reminders.not_sent", error=str(error))
