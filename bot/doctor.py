"""`parley doctor`: tries everything that Parley needs, and says what to do about what is wrong. Shows no secret."""

import asyncio
import re
from typing import Any

from pydantic import SecretStr
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from agent.core.errors import ModelError
from agent.model.openai import OpenAIModel
from agent.tools.ask_user_question import ASK_USER_QUESTION
from bot import doctor_database, doctor_http, doctor_watching, manifest
from bot.findings import Finding
from bot.installations import CONNECTIONS
from bot.own_tools import own_tools
from bot.permissions import Rule
from bot.settings import FOR_A_MODEL, FOR_SLACK, BadSettings, Settings, read_settings
from bot.slack import Slack, SlackAway, SlackLimited, SlackRefused

_RULES = ("parley_who_may_start", "parley_who_may_answer", "parley_who_may_approve")
_AN_ID = re.compile(r"[UWS][A-Z0-9]{2,}")

APPS = "https://api.slack.com/apps"
GET_BOT_TOKEN = f"Copy the Bot User OAuth Token (xoxb-…) from OAuth & Permissions of your app at {APPS} into .env."
GET_APP_TOKEN = (
    f"At {APPS}, under Basic Information → App-Level Tokens, generate one with connections:write, "
    "and copy it (xapp-…) into .env. Socket Mode must be on."
)
REINSTALL = f"Put manifest.yml under App Manifest of your app at {APPS}, then press Reinstall under Install App."
COMPARE_EVENTS = f"If Parley hears nothing, compare Event Subscriptions of your app at {APPS} with manifest.yml."
CHECK_MODEL = "Check OPENAI_API_KEY, OPENAI_MODEL and OPENAI_BASE_URL in .env, and that the model can call tools."


async def examine() -> list[Finding]:
    try:
        settings = read_settings()
        if settings.missing(*FOR_A_MODEL) and len(settings.missing(*FOR_SLACK)) == len(FOR_SLACK):
            return [_fresh(settings)]
        settings.need_model()
    except BadSettings as bad:
        rest = Finding("the rest", "note", "was not looked at: it needs the settings.")
        return [Finding("settings", "wrong", str(bad), "Correct it in .env; .env.sample explains each one."), rest]
    beside = CONNECTIONS if doctor_http.in_many(settings) else 0
    looking = doctor_database.findings(settings.database_url, beside)
    bot, app, model, database = await asyncio.gather(_bot(settings), _app(settings), _model(settings), looking)
    http = await doctor_http.findings(settings)  # after the database was made
    watching = doctor_watching.findings(settings)
    return [_settings(settings), *bot, app, *http, *watching, _events(), model, *database]


def _fresh(settings: Settings) -> Finding:
    """Nothing is wrong where nothing is filled in yet."""
    said = "`parley run` starts the playground, which needs none."
    return Finding(
        "settings", "note", said, f"For Slack, fill in {', '.join(settings.missing(*FOR_A_MODEL, *FOR_SLACK))} in .env."
    )


def _settings(settings: Settings) -> Finding:
    problems = [_odd_ids(name, getattr(settings, name)) for name in _RULES]
    try:
        own_tools(settings.parley_tools)
    except BadSettings as bad:
        problems.append(str(bad))
    if found := " ".join(filter(None, problems)):
        return Finding("settings", "wrong", found, "Correct it in .env; .env.sample explains each one.")
    return Finding("settings", "fine", "are complete.")


def _odd_ids(name: str, rule: str) -> str:
    odd = sorted(one for one in Rule(rule).ids if not _AN_ID.fullmatch(one))
    return (
        f"{name.upper()} names {', '.join(odd)}: people are named by ids like U012ABCDEF, groups by S…" if odd else ""
    )


class _Client(AsyncWebClient):
    """Keeps the headers of the last answer: Slack names the token's scopes there, and nowhere else."""

    seen: dict[str, str]

    async def api_call(self, *args: Any, **kwargs: Any) -> AsyncSlackResponse:
        response = await super().api_call(*args, **kwargs)
        self.seen = {name.lower(): str(value) for name, value in response.headers.items()}
        return response


def _client(settings: Settings, token: SecretStr) -> _Client:
    url = settings.slack_api_url
    return _Client(token=token.get_secret_value(), base_url=url, timeout=15, retry_handlers=[])


async def _bot(settings: Settings) -> list[Finding]:
    """Whether Slack takes the token, and what the app may do with it."""
    if settings.slack_bot_token is None and doctor_http.in_many(settings):
        return [Finding("bot token", "note", "is not set: each workspace that installs Parley brings its own.")]
    if settings.slack_bot_token is None:
        return [Finding("bot token", "wrong", "SLACK_BOT_TOKEN is not set.", GET_BOT_TOKEN)]
    client = _client(settings, settings.slack_bot_token)
    try:
        me = await Slack(client).call_once("auth.test")
    except (SlackRefused, SlackAway) as error:
        return [_refused("bot token", "SLACK_BOT_TOKEN", error, GET_BOT_TOKEN)]
    said = f"works: Parley is @{me.get('user')} in {me.get('team')}."
    return [Finding("bot token", "fine", said), _scopes(client.seen.get("x-oauth-scopes"))]


def _scopes(header: str | None) -> Finding:
    if header is None:
        return Finding("scopes", "note", "cannot be checked from here: Slack did not name them.")
    granted = {scope.strip() for scope in header.split(",")}
    try:
        needed = manifest.scopes(manifest.read(manifest.find()))
    except manifest.NoManifest as error:
        return Finding("scopes", "wrong", str(error), "Install Parley anew, or run this where manifest.yml is.")
    if missing := sorted(needed - granted):
        return Finding("scopes", "wrong", f"{', '.join(missing)} missing.", REINSTALL)
    return Finding("scopes", "fine", "are those of manifest.yml.")


async def _app(settings: Settings) -> Finding:
    """Asking for an address to connect to opens no connection yet."""
    if settings.slack_app_token is None and doctor_http.is_meant(settings):
        return Finding("app token", "note", "is not set: HTTP mode needs none.")
    if settings.slack_app_token is None:
        return Finding("app token", "wrong", "SLACK_APP_TOKEN is not set.", GET_APP_TOKEN)
    try:
        token = settings.slack_app_token.get_secret_value()
        await Slack(_client(settings, settings.slack_app_token)).call_once("apps.connections.open", app_token=token)
    except (SlackRefused, SlackAway) as error:
        return _refused("app token", "SLACK_APP_TOKEN", error, GET_APP_TOKEN)
    return Finding("app token", "fine", "works: Slack would connect.")


def _refused(what: str, name: str, error: SlackRefused | SlackAway, advice: str) -> Finding:
    if not isinstance(error, SlackRefused) or isinstance(error, SlackLimited):
        advice = "Try again in a minute; check SLACK_API_URL, and whether this machine can reach it."
        return Finding(what, "wrong", f"could not be checked: Slack gave no answer ({error}).", advice)
    kind = " It is another kind of token." if error.error == "not_allowed_token_type" else ""
    return Finding(what, "wrong", f"{name} is refused by Slack: {error.error}.{kind}", advice)


def _events() -> Finding:
    said = "cannot be checked from here: Slack does not tell an app which events it is subscribed to."
    return Finding("events", "note", said, COMPARE_EVENTS)


async def _model(settings: Settings) -> Finding:
    """One short question, with a tool beside it, since Parley never asks without."""
    api_key, name = settings.need_model()
    model = OpenAIModel(
        api_key=api_key,
        model=name,
        base_url=settings.openai_base_url,
        timeout_seconds=settings.openai_timeout_seconds,
        patience_seconds=0,  # one attempt: whoever waits for this can try again
    )
    try:
        await model.reply(['{"role":"user","content":"Reply with: ok"}'], [ASK_USER_QUESTION.to_api()])
    except ModelError as error:
        return Finding("model", "wrong", error.shown, CHECK_MODEL)
    finally:
        await model.close()
    return Finding("model", "fine", f"{name} answers.")
