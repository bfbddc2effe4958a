"""Installing Parley into a workspace, by Slack's OAuth: one workspace at a time, not a whole organisation."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urljoin

import structlog
from slack_bolt.error import BoltError
from slack_bolt.oauth.async_callback_options import AsyncCallbackOptions, AsyncFailureArgs, AsyncSuccessArgs
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.oauth.installation_store import Installation
from slack_sdk.web.async_client import AsyncWebClient

from bot import manifest
from bot.encryption import NEW_KEY, Cipher
from bot.installations import Installations
from bot.settings import BadSettings, Settings

log = structlog.get_logger()

INSTALL, REDIRECT = "/slack/install", "/slack/oauth_redirect"
_ORG_WIDE = "Parley is installed workspace by workspace: please choose one workspace, not the whole organisation."


@dataclass(frozen=True)
class OAuth:
    """What is needed for it, complete."""

    client_id: str
    client_secret: str = field(repr=False)
    public_url: str
    cipher: Cipher

    @classmethod
    def of(cls, settings: Settings) -> "OAuth | None":
        """None if none of it is set: then there is one workspace, that of SLACK_BOT_TOKEN."""
        if not settings.slack_client_id and not settings.slack_client_secret:
            return None
        secret, key = settings.slack_client_secret, settings.parley_encryption_key
        if not settings.slack_client_id or not secret:
            missing = "SLACK_CLIENT_SECRET" if settings.slack_client_id else "SLACK_CLIENT_ID"
            raise BadSettings(f"{missing} is not set: it is on the app's Basic Information page, beside the other.")
        if not settings.parley_public_url:
            raise BadSettings("PARLEY_PUBLIC_URL is not set: Slack sends people back there once they have installed.")
        if not key:
            raise BadSettings(f"PARLEY_ENCRYPTION_KEY is not set: {NEW_KEY}.")
        cipher = Cipher(key.get_secret_value())
        return cls(settings.slack_client_id, secret.get_secret_value(), settings.parley_public_url, cipher)

    @asynccontextmanager
    async def installations(self, database_url: str) -> AsyncIterator[Installations]:
        store = Installations(self.client_id, database_url, self.cipher)
        try:
            await store.open()
            yield store
        finally:
            await store.close()

    async def check(self, database_url: str) -> int | None:
        """How many workspaces have installed it, None if none ever could; raises if a token cannot be read."""
        store = Installations(self.client_id, database_url, self.cipher)
        try:
            return await store.check()
        finally:
            await store.close()

    def flow(
        self, store: Installations, client: AsyncWebClient, installed: Callable[[str], Awaitable[None]]
    ) -> AsyncOAuthFlow:
        settings = AsyncOAuthSettings(
            client_id=self.client_id,
            client_secret=self.client_secret,
            scopes=sorted(manifest.scopes(manifest.read(manifest.find()))),
            user_scopes=[],
            redirect_uri=f"{self.public_url}{REDIRECT}",
            authorization_url=urljoin(client.base_url, "/oauth/v2/authorize"),
            installation_store=store,
            state_store=store.states,
            callback_options=AsyncCallbackOptions(success=_succeeded, failure=_failed),
        )
        return Flow(installed, client, settings)


class Flow(AsyncOAuthFlow):
    def __init__(
        self, installed: Callable[[str], Awaitable[None]], client: AsyncWebClient, settings: AsyncOAuthSettings
    ) -> None:
        # Not our own log: on failures Bolt writes the code there, which is a secret for as long as it is good.
        super().__init__(client=client, logger=logging.getLogger("slack_bolt"), settings=settings)
        self._installed = installed

    async def store_installation(self, request: AsyncBoltRequest, installation: Installation) -> None:
        if installation.is_enterprise_install or not installation.team_id:
            raise BoltError(_ORG_WIDE)
        await self.settings.installation_store.async_save(installation)
        log.info("workspace.installed", team=installation.team_id)
        await self._installed(installation.team_id)


async def _succeeded(args: AsyncSuccessArgs) -> BoltResponse:
    return await args.default.success(args)


async def _failed(args: AsyncFailureArgs) -> BoltResponse:
    """Bolt's page, which knows every reason but ours."""
    log.info("workspace.not_installed", reason=args.reason)
    if isinstance(args.error, BoltError):
        args.reason, args.suggested_status_code = str(args.error), 400
    return await args.default.failure(args)
