"""What of ours stands in a thread of Slack already: to be looked up when something came between posting and knowing."""

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import structlog

from agent.ports import ThreadKey
from bot.live import DRAFT
from bot.slack import Slack, SlackRefused

log = structlog.get_logger()

EVENT_TYPE = "parley_card"
# What passes only when somebody does something in Slack, such as inviting Parley.
OUT_OF_REACH = frozenset(
    {
        *("not_in_channel", "channel_not_found", "is_archived", "thread_not_found", "cannot_reply_to_message"),
        *("restricted_action", "restricted_action_read_only_channel", "restricted_action_thread_only_channel"),
        *("restricted_action_non_threadable_channel", "restricted_action_thread_locked", "messages_tab_disabled"),
    }
)


class Me(Protocol):
    """Who we are in Slack."""

    @property
    def user_id(self) -> str: ...

    @property
    def bot_id(self) -> str: ...


class Streams(Protocol):
    def quiet(self, key: ThreadKey) -> AbstractAsyncContextManager[str]:
        """No stream begins or grows meanwhile; the message of the one that is under way, or nothing."""


class Standing:
    def __init__(self, slack: Slack, streams: Streams, me: Me) -> None:
        self._slack, self._streams, self._me = slack, streams, me

    async def cards(self, key: ThreadKey, known: set[str]) -> dict[str, str]:
        """The cards that stand in the thread by their metadata. A reply that a crash cut off goes: it is not one."""
        found: dict[str, str] = {}
        async with self._streams.quiet(key) as streaming:
            for message in await self._own_messages(key):
                ts = str(message["ts"])
                if name := _card_of(message):
                    found[name] = ts
                elif _is_left_over(message) and ts not in known and ts != streaming:
                    await self._remove(key, ts)
        return found

    async def _own_messages(self, key: ThreadKey) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor = None
        while True:
            page = {"limit": 200, "cursor": cursor, "include_all_metadata": True}
            try:
                answer = await self._slack.call("conversations.replies", channel=key.channel, ts=key.root, **page)
            except SlackRefused as refused:
                if refused.error in OUT_OF_REACH - {"thread_not_found"}:
                    raise
                log.warning("cards.unreadable", thread=key.model_dump(), error=refused.error)
                return found
            found += [message for message in answer.get("messages", ()) if self._is_own(message)]
            cursor = (answer.get("response_metadata") or {}).get("next_cursor") or None
            if not cursor:
                return found

    def _is_own(self, message: dict[str, Any]) -> bool:
        by_bot = bool(self._me.bot_id) and message.get("bot_id") == self._me.bot_id
        return by_bot or message.get("user") == self._me.user_id

    async def _remove(self, key: ThreadKey, ts: str) -> None:
        try:
            await self._slack.call("chat.delete", channel=key.channel, ts=ts)
        except SlackRefused as refused:
            log.info("cards.not_removed", thread=key.model_dump(), error=refused.error)


def _card_of(message: dict[str, Any]) -> str:
    metadata = message.get("metadata")
    if not isinstance(metadata, dict) or metadata.get("event_type") != EVENT_TYPE:
        return ""
    return str((metadata.get("event_payload") or {}).get("card", ""))


def _is_left_over(message: dict[str, Any]) -> bool:
    """A draft, or a stream that never ended: only at its end does that get metadata."""
    metadata = message.get("metadata")
    return not metadata or (isinstance(metadata, dict) and metadata.get("event_type") == DRAFT)
