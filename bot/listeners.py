"""What Bolt hands us: decoded and written down in a global middleware, which runs before the ack of anything."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot import inbound
from bot.inbox import Inbox

EVENTS = ("app_mention", "message", "agent_session_stopped", "app_home_opened")


@dataclass(frozen=True)
class Listeners:
    inbox: Inbox
    bot_user_id: str
    team: str

    def register(self, app: AsyncApp) -> None:
        app.middleware(self.write_down)
        for event in EVENTS:
            app.event(event)(self.on_event)
        app.action(re.compile(r"^.*$"))(self.on_click)

    async def write_down(self, body: dict[str, Any], next: Callable[[], Awaitable[None]]) -> None:
        """An exception here leaves it unacked, and Slack delivers it again."""
        if received := inbound.parse(body, self.bot_user_id, self.team):
            await self.inbox.accept(received)
        await next()

    async def on_event(self) -> None:
        """Bolt has acked it: it was written down before."""

    async def on_click(self, ack: AsyncAck) -> None:
        await ack()
