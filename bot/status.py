"""The status under a thread and its session, each brought to what was said last, in order and never two at once."""

import asyncio
from dataclasses import dataclass, field

import structlog

from agent.ports import ThreadKey
from bot.background import Background
from bot.pausing import Sleep, pause_unless
from bot.slack import Slack, SlackAway, SlackRefused

log = structlog.get_logger()

_REFRESH_AFTER = 90.0  # Slack clears a status after two minutes


@dataclass
class Line:
    """What is to be seen, and what Slack has been told."""

    status: str = ""
    session: str = ""
    told_status: str = ""
    told_session: str = ""
    busy: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)


class Statuses:
    def __init__(self, slack: Slack, sleep: Sleep = asyncio.sleep) -> None:
        self._slack, self._sleep = slack, sleep
        self._lines: dict[ThreadKey, Line] = {}
        self._background = Background()

    def now(self, key: ThreadKey) -> str:
        return self._lines[key].status if key in self._lines else ""

    def say(self, key: ThreadKey, status: str, session: str = "", *, message_follows: bool = False) -> None:
        """Without a status there is none to be seen; a message that follows takes it away by itself."""
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = Line()
            self._background.start(self._bring(key, line))
        line.status, line.session = status, session or line.session
        if message_follows and not line.busy:
            line.told_status = ""
        line.news.set()

    async def close(self) -> None:
        await self._background.close()
        self._lines.clear()

    async def _bring(self, key: ThreadKey, line: Line) -> None:
        try:
            while True:
                line.news.clear()
                await self._tell(key, line)
                if line.news.is_set():
                    continue
                if not line.status:
                    return
                await pause_unless(line.news, _REFRESH_AFTER, self._sleep)
                if not line.news.is_set():
                    line.told_status = ""
        finally:
            self._lines.pop(key, None)  # in the step that saw nothing left to tell, so that no news falls in between

    async def _tell(self, key: ThreadKey, line: Line) -> None:
        line.busy = True
        if line.session != line.told_session:
            line.told_session = line.session
            await self._call("agents.sessions.setStatus", key, line.session)
        if line.status != line.told_status:
            line.told_status = line.status
            await self._call("assistant.threads.setStatus", key, line.status)
        line.busy = False

    async def _call(self, method: str, key: ThreadKey, status: str) -> None:
        try:
            await self._slack.call(method, channel_id=key.channel, thread_ts=key.root, status=status)
        except (SlackRefused, SlackAway) as error:
            log.debug("status.not_shown", error=str(error))
