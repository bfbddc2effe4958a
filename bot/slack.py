"""Slack's Web API as we use it: rate limits are waited for, and what went wrong has a type."""

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from agent.core.errors import AgentError
from agent.ports import Meter, NoMeter
from bot.pausing import Sleep

log = structlog.get_logger()

_LONGEST_WAIT = 120.0
_MOST_WAITS = 10
_PAUSES = (0.5, 1.0, 2.0, 4.0)
# What may be called again when no answer came: a second time changes nothing that the first has not.
_REPEATABLE = frozenset(
    {
        *("auth.test", "users.info", "usergroups.users.list", "conversations.info", "conversations.replies"),
        *("conversations.members", "chat.update", "views.publish"),
    }
)


# What Slack says once the app was removed from a workspace, or its token revoked. An invalid_auth may pass again.
GONE = frozenset({"account_inactive", "token_revoked"})


class SlackRefused(AgentError):
    """Slack understood the call and said no; `error` is its name for that."""

    def __init__(self, method: str, error: str) -> None:
        super().__init__(f"{method}: {error}")
        self.error = error


class SlackLimited(SlackRefused):
    """Too many calls of this method; the call did nothing."""

    def __init__(self, method: str, wait: float) -> None:
        super().__init__(method, "ratelimited")
        self.wait = wait


class SlackAway(AgentError):
    """No answer came: the call may have taken effect or not."""


class SlackNotNow(SlackAway):
    """Nothing was sent: another process may be doing it."""


class Slack:
    """`gone` is called whenever Slack says that the token is; unless we `may_show`, nothing is written."""

    def __init__(
        self,
        client: AsyncWebClient,
        sleep: Sleep = asyncio.sleep,
        gone: Callable[[], None] = lambda: None,
        may_show: Callable[[], bool] = lambda: True,
        meter: Meter | None = None,
    ) -> None:
        self._client = client
        self._meter = meter or NoMeter()
        self._sleep = sleep
        self._gone, self._may_show = gone, may_show

    async def call(self, method: str, **arguments: Any) -> dict[str, Any]:
        """The answer. Rate limits are waited for, and what can be repeated is, for a few seconds."""
        for pause in _PAUSES if method in _REPEATABLE else ():
            try:
                return await self._patiently(method, arguments)
            except SlackAway as error:
                log.info("slack.again", method=method, error=str(error), wait=pause)
                await self._sleep(pause)
        return await self._patiently(method, arguments)

    async def call_once(self, method: str, **arguments: Any) -> dict[str, Any]:
        """The answer, or why there is none, without waiting for anything."""
        with self._meter.doing("slack", method=method) as calling:
            try:
                return await self._call(method, arguments)
            except AgentError as error:
                calling.note(outcome=_outcome(error))
                raise

    async def _call(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if method.startswith("chat.") and not self._may_show():
            raise SlackNotNow(f"{method}: not while another process may do it")
        given = {name: value for name, value in arguments.items() if value is not None}
        # By the SDK's own function for the method: it knows which take JSON, and which only a query or a form.
        function = getattr(self._client, method.replace(".", "_"))
        try:
            response = await function(**given)
        except SlackApiError as error:
            refusal = _refusal(method, error)
            if isinstance(refusal, SlackRefused) and refusal.error in GONE:
                self._gone()
            raise refusal from error
        except (aiohttp.ClientError, TimeoutError, SlackClientError, OSError) as error:
            raise SlackAway(f"{method}: {type(error).__name__}") from error
        data = response.data
        return data if isinstance(data, dict) else {}

    async def _patiently(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        for _ in range(_MOST_WAITS):
            try:
                return await self.call_once(method, **arguments)
            except SlackLimited as limited:
                log.info("slack.limited", method=method, wait=limited.wait)
                self._meter.happened("limited", seconds=limited.wait)
                await self._sleep(limited.wait)
        raise SlackAway(f"{method}: still limited after {_MOST_WAITS} tries")


def _outcome(error: AgentError) -> str:
    if isinstance(error, SlackLimited):
        return "limited"
    return "refused" if isinstance(error, SlackRefused) else "away"


def _refusal(method: str, error: SlackApiError) -> AgentError:
    response = error.response
    status = getattr(response, "status_code", 0) or getattr(response, "status", 0)
    data = getattr(response, "data", None)
    name = data.get("error") if isinstance(data, dict) else None
    if status == 429 or name in ("ratelimited", "rate_limited"):
        headers = {key.lower(): value for key, value in response.headers.items()}
        return SlackLimited(method, min(float(headers.get("retry-after", 1)), _LONGEST_WAIT))
    if 400 <= status < 500 and not name:
        return SlackRefused(method, f"http_{status}")
    if status >= 500 or not name or name in ("internal_error", "fatal_error", "service_unavailable", "request_timeout"):
        return SlackAway(f"{method}: HTTP {status}")
    return SlackRefused(method, str(name))
