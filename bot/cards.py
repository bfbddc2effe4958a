"""Makes Slack show what the journal says: posts once, then updates, and heals what a crash or Slack left undone."""

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

import structlog

from agent.core.errors import AgentError, StoreError
from agent.core.events import Event
from agent.ports import Card, ThreadKey
from agent.store.journal import Store
from bot.background import Background
from bot.pausing import Sleep
from bot.showing import Wanted, row_of, wanted
from bot.slack import Slack, SlackAway, SlackRefused
from bot.standing import EVENT_TYPE, OUT_OF_REACH, Me, Standing, Streams

log = structlog.get_logger()

_GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "is_inactive"})
_TOO_MUCH = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long"})
_LONGEST_PAUSE = 60.0
_MOST_TRIES = 8


class Live(Streams, Protocol):
    """A reply that is streamed already when it is done."""

    async def finish(self, key: ThreadKey, text: str, metadata: dict[str, Any]) -> str | None:
        """The message that holds the text now; None if there is none, and it has to be posted."""


class Due(Protocol):
    def times(self, at: float) -> tuple[float | None, float | None]:
        """When to remind of something opened then, and when it expires."""


class Cards:
    def __init__(
        self,
        store: Store,
        slack: Slack,
        *,
        live: Live,
        due: Due,
        me: Me,
        changed: Callable[[], None],
        clock: Callable[[], float] = time.time,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store, self._slack, self._live, self._due = store, slack, live, due
        self._standing = Standing(slack, live, me)
        self._changed, self._clock, self._sleep = changed, clock, sleep
        self._newest: dict[ThreadKey, int] = {}  # of threads that are being shown: the last row that we heard of
        self._background = Background()
        self._doubtful: set[ThreadKey] = set()
        self._trusting = False

    def trust(self) -> None:
        """From now on only threads that are doubted are: before, nobody had looked which those are."""
        self._trusting = True

    def doubt(self, key: ThreadKey) -> None:
        """What was to be shown last may be there already: someone was interrupted."""
        self._doubtful.add(key)
        if key in self._newest:
            self._newest[key] = sys.maxsize  # what is being shown is shown without that doubt

    def show(self, key: ThreadKey, row: int) -> None:
        """The thread has got as far as this row: bring its messages up to date, soon and one at a time."""
        if key in self._newest:
            self._newest[key] = max(self._newest[key], row)
            return
        self._newest[key] = row
        self._background.start(self._keep_showing(key))

    def behind(self, key: ThreadKey) -> bool:
        """Whether something that was said before is still to be shown."""
        return key in self._newest

    async def idle(self) -> None:
        await self._background.idle()

    async def let_go(self) -> None:
        """None of the threads belongs to this process any more: whoever has them looks up what is there."""
        await self.close()
        self._newest.clear()
        self._doubtful.clear()

    async def close(self) -> None:
        await self._background.close()

    async def _keep_showing(self, key: ThreadKey) -> None:
        tries = 0
        try:
            while tries < _MOST_TRIES:
                self._newest[key] = 0
                try:
                    looked_at = await self._show_within_reach(key)
                    tries = 0
                except (SlackAway, StoreError) as error:
                    await self._pause(key, error, tries := min(tries + 1, _MOST_TRIES - 1))
                except Exception as error:  # noqa: BLE001 (Slack refuses it, or a bug of ours: it may pass, or not)
                    await self._pause(key, error, tries := tries + 1)
                else:
                    if self._newest[key] <= looked_at:
                        return
        finally:
            self._newest.pop(key, None)

    async def _pause(self, key: ThreadKey, error: Exception, tries: int) -> None:
        """What went wrong may have taken effect all the same, so that has to be looked up before the next try."""
        if (task := asyncio.current_task()) and task.cancelling():
            raise asyncio.CancelledError from error  # what went wrong came in its place
        self._doubtful.add(key)
        wait = min(0.25 * 2**tries, _LONGEST_PAUSE)
        known = isinstance(error, AgentError)
        log.warning("cards.not_shown", thread=key.model_dump(), error=str(error) if known else "", exc_info=not known)
        await self._sleep(wait)

    async def _show_within_reach(self, key: ThreadKey) -> int:
        """The last row that was looked at, or none of a thread that is not ours.

        What is out of reach is tried again when the thread changes: by then somebody may have invited us.
        """
        if (found := await self._store.delivery.cards(key)) is None:
            self._doubtful.discard(key)
            return 0
        cards, shown = found
        first = min([shown + 1, *(row_of(card.name) for card in cards if card.is_open)])
        events = list(enumerate(await self._store.events_since(key, first), start=first))
        try:
            await self._show(key, {card.name: card for card in cards}, shown, events)
        except SlackRefused as refused:
            if refused.error not in OUT_OF_REACH:
                raise
            log.info("cards.out_of_reach", thread=key.model_dump(), error=str(refused))
        return events[-1][0] if events else shown

    async def _show(self, key: ThreadKey, have: dict[str, Card], shown: int, events: list[tuple[int, Event]]) -> None:
        posted: dict[str, str] = {}
        if doubtful := key in self._doubtful or not self._trusting:
            posted = await self._standing.cards(key, {card.ts for card in have.values()})
        still_open = {card.name for card in have.values() if card.is_open}
        changed: list[Card] = []
        try:
            for want in wanted(events, shown, still_open):
                card = have.get(want.name)
                if card is None or card.digest != want.digest:
                    changed.append(await self._bring(key, want, card, posted.get(want.name)))
            shown = events[-1][0] if events else shown
        finally:  # what is shown is known, even if the rest is not
            if changed or events:
                await self._store.delivery.show(key, changed, shown)
        if doubtful and self._newest[key] < sys.maxsize:
            self._doubtful.discard(key)
        if any(card.is_open or card.ending for card in changed):
            self._changed()

    async def _bring(self, key: ThreadKey, want: Wanted, card: Card | None, found: str | None) -> Card:
        ts = card.ts if card else found
        ts = await self._update(key, ts, want) if ts else await self._post(key, want)
        at = self._clock()
        remind_at, expire_at = self._due.times(at) if want.is_open and not card else (None, None)
        if card and want.is_open:
            at, remind_at, expire_at = card.at, card.remind_at, card.expire_at
        ending = want.ending.to_json() if want.ending else ""
        return Card(want.name, ts, want.digest, at, want.is_open, want.title, ending, remind_at, expire_at)

    async def _post(self, key: ThreadKey, want: Wanted) -> str:
        metadata = {"event_type": EVENT_TYPE, "event_payload": {"card": want.name}}
        if "/reply/" in want.name:
            text = want.rendered.blocks[0]["text"]
            if ts := await self._live.finish(key, text, metadata):
                return ts
        place = {"channel": key.channel, "thread_ts": key.root, "metadata": metadata}
        quiet = {"unfurl_links": False, "unfurl_media": False}
        shown = {"text": want.rendered.text, "blocks": want.rendered.blocks}
        try:
            answer = await self._slack.call("chat.postMessage", **place, **shown, **quiet)
        except SlackRefused as refused:
            if refused.error not in _TOO_MUCH:
                raise
            log.error("cards.refused", thread=key.model_dump(), card=want.name, error=refused.error)  # noqa: TRY400
            answer = await self._slack.call("chat.postMessage", **place, text=want.rendered.text, **quiet)
        return str(answer["ts"])

    async def _update(self, key: ThreadKey, ts: str, want: Wanted) -> str:
        try:
            await self._slack.call(
                "chat.update", channel=key.channel, ts=ts, text=want.rendered.text, blocks=want.rendered.blocks
            )
        except SlackRefused as refused:
            if refused.error not in _GONE:
                raise
            log.info("cards.gone", thread=key.model_dump(), error=refused.error)
            return await self._post(key, want)
        return ts
