"""Clients of Slack's Web API, and who we are there by the token of the settings."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp
from pydantic import SecretStr
from slack_sdk.web.async_client import AsyncWebClient

from agent.here import is_here
from bot.settings import BadSettings, Settings
from bot.slack import Slack, SlackAway, SlackRefused
from bot.workspace import Installed


@asynccontextmanager
async def clients(settings: Settings) -> AsyncIterator[Callable[..., AsyncWebClient]]:
    """Of Slack's Web API, for one token or none. They share connections, which each would else make anew for a call."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session:

        def client(token: str | None = None) -> AsyncWebClient:
            url = settings.slack_api_url
            made = AsyncWebClient(token=token, base_url=url, session=session, retry_handlers=[])
            if is_here(url):
                made.proxy = None  # the SDK takes a proxy from the environment, whatever the address
            return made

        yield client


async def identify(settings: Settings, connect: Callable[[str], Slack]) -> Installed:
    """Who we are in Slack, by the token that we were given."""
    token = required(settings.slack_bot_token, "SLACK_BOT_TOKEN")
    try:
        answer = await connect(token).call("auth.test")
    except SlackRefused as refused:
        raise BadSettings(f"SLACK_BOT_TOKEN is refused by Slack: {refused.error}.") from refused
    except SlackAway as away:
        raise BadSettings(f"SLACK_API_URL cannot be reached ({away}).") from away
    team, user, bot, url = (str(answer.get(name) or "") for name in ("team_id", "user_id", "bot_id", "url"))
    return Installed(team, user, bot, token, url)


def required(secret: SecretStr | None, name: str) -> str:
    if secret is None:
        raise BadSettings(f"{name} is not set: README.md says how to get it.")
    return secret.get_secret_value()
