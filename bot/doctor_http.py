"""What the doctor looks at for HTTP mode: the signing secret, and what installing into many workspaces needs."""

from agent.core.errors import StoreError
from bot.findings import Finding
from bot.oauth import INSTALL, OAuth
from bot.settings import BadSettings, Settings

GET_SECRET = "Copy the Signing Secret from Basic Information of your app at https://api.slack.com/apps into .env."
COMPLETE = "Complete SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, PARLEY_PUBLIC_URL and PARLEY_ENCRYPTION_KEY, or remove them."
USE_HTTPS = "Put an HTTPS proxy before Parley, and set PARLEY_PUBLIC_URL to its address."
RESTORE = "Restore the key that Parley ran with, and put a new one before it, with a comma."


def is_meant(settings: Settings) -> bool:
    """Whether anything is set that only HTTP mode needs."""
    return bool(settings.slack_signing_secret or in_many(settings) or settings.parley_public_url)


def in_many(settings: Settings) -> bool:
    return bool(settings.slack_client_id or settings.slack_client_secret)


async def findings(settings: Settings) -> list[Finding]:
    if not is_meant(settings):
        return []
    try:
        oauth = OAuth.of(settings)
    except BadSettings as bad:
        return [_signing(settings), Finding("installing", "wrong", str(bad), COMPLETE)]
    if oauth is None:
        return [_signing(settings), Finding("installing", "note", "is off: HTTP mode is for one workspace.")]
    return [_signing(settings), _address(oauth), await _installed(oauth, settings.database_url)]


def _signing(settings: Settings) -> Finding:
    if settings.slack_signing_secret is None:
        return Finding("signing secret", "wrong", "SLACK_SIGNING_SECRET is not set.", GET_SECRET)
    return Finding("signing secret", "note", "is set, but cannot be tried from here: only Slack signs with it.")


def _address(oauth: OAuth) -> Finding:
    if not oauth.public_url.startswith("https://"):
        return Finding("installing", "wrong", "PARLEY_PUBLIC_URL is not https: Slack sends nobody there.", USE_HTTPS)
    return Finding("installing", "fine", f"begins at {oauth.public_url}{INSTALL}.")


async def _installed(oauth: OAuth, database_url: str) -> Finding:
    """Every token must be readable, and none is encrypted anew: a Parley that runs may not have the new key yet."""
    try:
        count = await oauth.check(database_url)
    except BadSettings as bad:
        return Finding("installations", "wrong", str(bad), RESTORE)
    except StoreError as error:
        return Finding("installations", "wrong", str(error), "Correct DATABASE_URL in .env, or what it names.")
    if count is None:
        return Finding("installations", "fine", "there are none: their tables are made at the start.")
    workspaces = "1 workspace" if count == 1 else f"{count} workspaces"
    return Finding("installations", "fine", f"can be read: {workspaces}.")
