"""What people see while the agent works: the thread's status, and the reply as it is written. It may miss things."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

import structlog

from agent.core.states import AtRest, RunningTools, State, Thinking, Waiting
from agent.core.transcript import ToolCall
from agent.ports import ThreadKey
from bot import doing
from bot.background import Background
from bot.blocks import escape, limits
from bot.pausing import Sleep
from bot.slack import Slack, SlackAway, SlackLimited, SlackNotNow, SlackRefused
from bot.status import Statuses

log = structlog.get_logger()

_BEFORE_STREAMING = 0.7  # a reply that is done by then is one message and one call
_BETWEEN_APPENDS = 1.0
_BETWEEN_UPDATES = 3.0
DRAFT = "parley_draft"  # what a message is by its metadata until the reply in it is whole
_LONGEST_STREAM = limits.MARKDOWN_TEXT - 2_000

Show = Callable[[ThreadKey, int], None]


@dataclass
class Draft:
    """A reply while it is written: whose question it answers, its text so far, and how much of it Slack has."""

    requester: str = ""
    text: str = ""
    sent: str = ""
    ts: str = ""
    dead: bool = False
    task: asyncio.Task[None] | None = None


class LiveView:
    def __init__(self, slack: Slack, sleep: Sleep = asyncio.sleep) -> None:
        self._slack, self._sleep = slack, sleep
        self._statuses = Statuses(slack, sleep)
        self.follow(lambda _key, _row: None, lambda _key: False, lambda _key: None)
        self._thinking: dict[ThreadKey, str] = {}  # for whom; a thread that only waits is in none of these
        self._drafts: dict[ThreadKey, Draft] = {}
        self._lost: set[ThreadKey] = set()
        self._calling: WeakValueDictionary[ThreadKey, asyncio.Lock] = WeakValueDictionary()
        self._background = Background()

    def follow(self, show: Show, behind: Callable[[ThreadKey], bool], doubt: Callable[[ThreadKey], None]) -> None:
        """Whoever keeps the thread's messages up to date is told of every row, and says if they are behind."""
        self._show, self._behind, self._doubt = show, behind, doubt

    def text(self, thread: ThreadKey, delta: str, so_far: str) -> None:
        if thread not in self._thinking:
            return  # it came after the run had ended, or is a sub-agent's, which writes for its parent
        draft = self._drafts.setdefault(thread, Draft(self._thinking[thread]))
        draft.text = so_far  # what was written before this view was there, too
        if draft.task is None and draft.text.strip():
            draft.task = self._background.start(self._stream(thread, draft))

    def restarted(self, thread: ThreadKey) -> None:
        if draft := self._drafts.pop(thread, None):
            self._background.start(self._discard(thread, draft))

    def tool_started(self, thread: ThreadKey, call: ToolCall) -> None:
        self._statuses.say(thread.parent, doing.running(call, sub_agent=bool(thread.call_id)))

    def tool_finished(self, thread: ThreadKey, call: ToolCall, failed: bool) -> None:
        self._statuses.say(thread.parent, doing.DELEGATING if thread.call_id else doing.THINKING)

    def changed(self, thread: ThreadKey, state: State) -> None:
        if thread.call_id:
            return
        self._show(thread, state.seq)
        self._thinking.pop(thread, None)
        match state:
            case Thinking():
                self._thinking[thread] = state.requester
                self._statuses.say(thread, doing.THINKING, "processing")
            case RunningTools():
                self._statuses.say(thread, self._statuses.now(thread) or "is working…", "processing")
            case Waiting():
                self._statuses.say(thread, "", "suspended", message_follows=True)
            case AtRest():
                draft = self._drafts.get(thread)
                self._statuses.say(thread, "", "active", message_follows=not (draft and draft.ts))
        self._let_go(thread, state)

    def adopted(self, thread: ThreadKey, state: State) -> None:
        self._doubt(thread)
        self.changed(thread, state)

    def _let_go(self, thread: ThreadKey, state: State) -> None:
        """Of a draft that will not be finished: it is blank, or the run ended in the middle of it."""
        draft = self._drafts.get(thread)
        ended = isinstance(state, AtRest) and state.kind != "idle"
        if draft and (ended or draft.task is None):
            del self._drafts[thread]
            self._background.start(self._leave(thread, draft))

    async def finish(self, key: ThreadKey, text: str, metadata: dict[str, Any]) -> str | None:
        """Complete the message that streams this text; None if nothing of it is in Slack yet."""
        draft = self._drafts.pop(key, None)
        if draft:
            await self._halt(key, draft)
        if key in self._lost:
            self._lost.discard(key)
            raise SlackAway("chat.startStream: it may have begun one")
        if draft is None or not draft.ts:
            return None
        rest = text[len(draft.sent) :] if text.startswith(draft.sent) and not draft.dead else None
        try:
            given = {"markdown_text": rest} if rest else {}
            await self._slack.call("chat.stopStream", channel=key.channel, ts=draft.ts, metadata=metadata, **given)
        except SlackRefused:
            rest = None  # expired, or stopped by someone: the whole text is put in its place below
        replaced = rest is not None or await self._replace(key, draft.ts, text, metadata)
        return draft.ts if replaced else None

    @asynccontextmanager
    async def quiet(self, key: ThreadKey) -> AsyncIterator[str]:
        """No stream of the thread begins or grows meanwhile; gives the message of the one that is under way."""
        async with self._lock(key):
            draft = self._drafts.get(key)
            yield draft.ts if draft else ""

    async def let_go(self) -> None:
        """None of the threads is ours any more; what was being written is left to whoever has them."""
        await self.close()
        for forgotten in (self._drafts, self._lost, self._thinking):
            forgotten.clear()

    async def close(self) -> None:
        await self._statuses.close()
        await self._background.close()

    def _lock(self, key: ThreadKey) -> asyncio.Lock:
        return self._calling.setdefault(key, asyncio.Lock())

    async def _halt(self, key: ThreadKey, draft: Draft) -> None:
        """Send no more of it. A call that is under way is waited for, so that what Slack has is known."""
        async with self._lock(key):
            if draft.task:
                draft.task.cancel()

    async def _stream(self, key: ThreadKey, draft: Draft) -> None:
        await self._sleep(_BEFORE_STREAMING)
        while self._behind(key):  # what was said before must stand above this
            await self._sleep(_BEFORE_STREAMING)
        try:
            while self._drafts.get(key) is draft and len(draft.text) < _LONGEST_STREAM:
                async with self._lock(key):
                    with suppress(SlackNotNow):  # the next one brings it
                        await self._push(key, draft)
                await self._sleep(_BETWEEN_APPENDS)
        except SlackRefused as refused:
            log.info("live.no_stream", error=refused.error)
            draft.dead = True
            if not draft.ts:
                await self._post_and_update(key, draft)
        except SlackAway as error:
            log.info("live.away", error=str(error))
            draft.dead = True
            if not draft.ts:
                self._lost.add(key)

    async def _post_and_update(self, key: ThreadKey, draft: Draft) -> None:
        """Where there are no streams: a message that grows, at the pace that Slack advises."""
        metadata = {"event_type": DRAFT, "event_payload": {}}
        try:
            while self._drafts.get(key) is draft and len(draft.text) < _LONGEST_STREAM:
                async with self._lock(key):
                    text = escape.markdown(draft.text)
                    shown = {"text": text[: limits.MESSAGE_TEXT], "blocks": [{"type": "markdown", "text": text}]}
                    if draft.ts:
                        await self._slack.call_once("chat.update", channel=key.channel, ts=draft.ts, **shown)
                    else:
                        place = {"channel": key.channel, "thread_ts": key.root, "metadata": metadata}
                        answer = await self._slack.call_once("chat.postMessage", **place, **shown, unfurl_links=False)
                        draft.ts = str(answer["ts"])
                await self._sleep(_BETWEEN_UPDATES)
        except SlackRefused as refused:
            log.info("live.no_draft", error=refused.error)
        except SlackAway as error:
            log.info("live.away", error=str(error))
            if not draft.ts:
                self._lost.add(key)

    async def _push(self, key: ThreadKey, draft: Draft) -> None:
        escaped = escape.markdown(draft.text)
        new = escaped[len(draft.sent) :] if escaped.startswith(draft.sent) else ""
        if not new.strip():
            return
        if draft.ts:
            try:
                await self._slack.call_once("chat.appendStream", channel=key.channel, ts=draft.ts, markdown_text=new)
            except SlackLimited:
                return  # the next one brings it
        else:
            answer = await self._slack.call_once(
                "chat.startStream",
                channel=key.channel,
                thread_ts=key.root,
                markdown_text=new,
                recipient_user_id=draft.requester or None,
                recipient_team_id=key.team,
            )
            draft.ts = str(answer["ts"])
        draft.sent += new

    async def _discard(self, key: ThreadKey, draft: Draft) -> None:
        """The reply begins anew: what was written of it goes."""
        await self._halt(key, draft)
        if draft.ts:
            await self._quietly("chat.stopStream", channel=key.channel, ts=draft.ts)
            await self._quietly("chat.delete", channel=key.channel, ts=draft.ts)

    async def _leave(self, key: ThreadKey, draft: Draft) -> None:
        """The run ended in the middle of a reply: what was written of it stays, as it is."""
        await self._halt(key, draft)
        if draft.ts:
            metadata = {"event_type": "parley_partial", "event_payload": {}}
            if not await self._quietly("chat.stopStream", channel=key.channel, ts=draft.ts, metadata=metadata):
                with suppress(SlackAway):  # Slack's own Stop has ended it already, and left it without metadata
                    await self._replace(key, draft.ts, draft.sent, metadata)

    async def _replace(self, key: ThreadKey, ts: str, text: str, metadata: dict[str, Any]) -> bool:
        """Put the whole text in place of a stream that takes no more; False if that is not to be had."""
        shown = {"text": text[: limits.MESSAGE_TEXT], "blocks": [{"type": "markdown", "text": text}]}
        try:
            await self._slack.call("chat.update", channel=key.channel, ts=ts, metadata=metadata, **shown)
        except SlackRefused as refused:
            log.info("live.not_replaced", error=refused.error)
            return False
        return True

    async def _quietly(self, method: str, **arguments: Any) -> bool:
        try:
            await self._slack.call(method, **arguments)
        except (SlackRefused, SlackAway) as error:
            log.debug("live.not_shown", error=str(error))
            return False
        return True
