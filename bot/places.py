"""Where Parley is: it works only in channels that it was invited to, and says so to whoever calls it elsewhere."""

import asyncio
import time
from collections.abc import Callable
from weakref import WeakValueDictionary

import structlog

from bot import words
from bot.slack import Slack, SlackAway, SlackRefused

log = structlog.get_logger()

_KEPT_SECONDS = 3_600.0
_TOLD_AGAIN_AFTER = 3_600.0


class Places:
    def __init__(self, slack: Slack, clock: Callable[[], float] = time.time) -> None:
        self._slack, self._clock = slack, clock
        self._inside: dict[str, float] = {}
        self._told: dict[tuple[str, str], float] = {}
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def includes(self, channel: str) -> bool:
        """Whether Parley is in the channel. An invitation counts at once; where Slack will not say, it is."""
        async with self._asking.setdefault(channel, asyncio.Lock()):  # many may be mentioned in at once
            return self._clock() - self._inside.get(channel, float("-inf")) < _KEPT_SECONDS or await self._ask(channel)

    async def _ask(self, channel: str) -> bool:
        try:
            answer = await self._slack.call("conversations.info", channel=channel)
        except (SlackRefused, SlackAway) as error:
            log.info("places.unknown", error=str(error))
            return True
        if (answer.get("channel") or {}).get("is_member") is False:
            return False
        self._inside[channel] = self._clock()
        return True

    async def ask_in(self, channel: str, user: str) -> None:
        """Tell them directly, since in the channel Parley can say nothing; once an hour is enough."""
        now = self._clock()
        self._told = {who: at for who, at in self._told.items() if now - at < _TOLD_AGAIN_AFTER}
        if (channel, user) in self._told:
            return
        self._told[channel, user] = now
        try:
            # By the person's id, for which chat:write is enough: conversations.open would need im:write.
            await self._slack.call("chat.postMessage", channel=user, text=words.INVITE.format(channel=channel))
        except (SlackRefused, SlackAway) as error:
            log.info("places.not_told", error=str(error))
