"""What Bolt hands us: decoded and written down in a global middleware, which runs before the ack of anything."""

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from agent.core.errors import AgentError
from bot import inbound
from bot.inbox import Inbox
from bot.workspaces import Workspaces

log = structlog.get_logger()

EVENTS = ("app_mention", "message", "agent_session_stopped", "app_home_opened", "app_uninstalled", "tokens_revoked")


@dataclass(frozen=True)
class Listeners:
    inbox: Inbox
    workspaces: Workspaces

    def register(self, app: AsyncApp) -> None:
        app.middleware(self.write_down)
        for event in EVENTS:
            app.event(event)(self.on_event)
        app.event(re.compile(r"^.*$"))(
            self.on_event
        )  # of any other, that the app may be subscribed to, nothing is made
        app.action(re.compile(r"^.*$"))(self.on_click)

    async def write_down(self, body: dict[str, Any], next: Callable[[], Awaitable[None]]) -> None:
        """An exception here leaves it unacked, and Slack delivers it again."""
        me = await self.workspaces.recipient(inbound.teams(body))
        if me and (received := inbound.parse(body, me.user_id, me.team_id)):
            await self.inbox.accept(received)
        await next()

    async def on_event(self) -> None:
        """Bolt has acked it: it was written down before."""

    async def on_click(self, ack: AsyncAck) -> None:
        await ack()


def bolt(client: AsyncWebClient, listeners: Listeners) -> AsyncApp:
    """Bolt, for what it understands of Slack's payloads. What it would ask Slack or check by itself is off:

    whom an event is for is known here, our own messages are dropped when they are read, and signatures are checked
    before anything gets this far.
    """

    async def authorize(**_request: object) -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=None, team_id=None)

    app = AsyncApp(
        client=client,
        authorize=authorize,
        request_verification_enabled=False,
        ignoring_self_events_enabled=False,
        logger=logging.getLogger("slack_bolt"),
    )
    listeners.register(app)
    app.error(not_taken)
    return app


async def not_taken(error: Exception) -> None:
    """It is not acked, so Slack delivers it again."""
    log.error("slack.not_taken", error=str(error) if isinstance(error, AgentError) else type(error).__name__)
