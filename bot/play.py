"""Parley on a Slack of its own, in one process: the playground."""

import asyncio
import secrets
import shlex
import sys
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

from aiohttp import web
from pydantic import SecretStr

from bot.app import cancelled, serve
from bot.playground.keeping import InUse, Keeper, Unusable
from bot.playground.mirror import Guide
from bot.playground.scripted_model import MODEL, PROMPTS, ScriptedModel
from bot.playground.server import LocalSlack
from bot.settings import FOR_A_MODEL, BadSettings, Settings

DIRECTORY = Path(".playground")
_PORTS_TRIED = 20
_MOST_RECORDED = 2_000
_TEXT_BROWSERS = {"www-browser", "links", "links2", "elinks", "lynx", "w3m"}
_CONNECT_SECONDS = 60.0

Say = Callable[[str], None]


async def play(
    settings: Settings, ended: asyncio.Event, say: Say, *, port: int, browse: bool, pace: float = 1.0
) -> None:
    """Until `ended`. Everything that happened is kept in the directory, and goes on from there."""
    advice = _advice(settings)
    async with _local_slack(port, Guide(PROMPTS, advice), ScriptedModel(pace, advice)) as slack:
        for person in slack.people.values():
            person.user.display_name = person.user.real_name  # what Parley calls them is what the page does
        own = _settings(settings, slack, scripted=bool(advice))
        serving = asyncio.create_task(serve(own, ended, clock=slack.clock.now, sleep=slack.clock.sleep))
        connecting = asyncio.create_task(slack.connected(seconds=_CONNECT_SECONDS))
        ending = asyncio.create_task(ended.wait())
        try:
            await asyncio.wait({serving, connecting, ending}, return_when=asyncio.FIRST_COMPLETED)
            if connecting.done() and (problem := connecting.exception()):
                say(_away(slack.core.url, problem))
            elif not serving.done() and not ended.is_set():
                say(_welcome(slack.core.url, port, _model(settings, advice)))
                if browse and sys.stdout.isatty():
                    open_browser(slack.core.url)
            await serving
        finally:
            for task in (serving, connecting, ending):
                await cancelled(task)


def reset(say: Say) -> None:
    """Remove what the playground keeps, unless one is running on it."""
    workspace, database = DIRECTORY / "workspace.db", DIRECTORY / "parley.db"
    if workspace.exists():
        try:
            Keeper(workspace).close()
        except InUse as error:
            raise BadSettings(str(error)) from error
        except Unusable:
            pass  # all the more reason
    found = [file for file in (workspace, database) if file.exists()]
    for file in found:
        for each in (file, *(file.with_name(file.name + more) for more in ("-wal", "-shm", ".lock"))):
            each.unlink(missing_ok=True)
    say(f"Removed {' and '.join(map(str, found))}." if found else f"There is nothing to remove in {DIRECTORY}.")


def open_browser(url: str) -> threading.Thread | None:
    """Where there is one with windows; a text-mode browser would take over this terminal."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return None
    if Path(getattr(browser, "name", "")).name in _TEXT_BROWSERS:
        return None
    # In a thread that nobody waits for at the end: some commands return only when the browser is closed.
    opening = threading.Thread(target=browser.open, args=(url,), daemon=True)
    opening.start()
    return opening


def _local_slack(port: int, guide: Guide, model: ScriptedModel) -> LocalSlack:
    ports = [*range(port, min(port + _PORTS_TRIED, 65_536)), 0] if port else [0]
    try:
        DIRECTORY.mkdir(exist_ok=True)
        return LocalSlack(
            port=ports,
            guide=guide,
            routes=[web.post("/v1/chat/completions", model.serve)],
            kept_in=DIRECTORY / "workspace.db",
            most_recorded=_MOST_RECORDED,
            secret=secrets.token_hex(16),  # by a known one any web page could act as the app
        )
    except OSError as error:
        raise BadSettings(f"The playground keeps itself in {DIRECTORY}, which cannot be made: {error}.") from error
    except InUse as error:
        raise BadSettings(str(error)) from error
    except Unusable as error:
        raise BadSettings(f"{error} `{_how_to_reset()}` begins with a new one.") from error


def _settings(settings: Settings, slack: LocalSlack, *, scripted: bool) -> Settings:
    """Those that were given, but for its own Slack and database, and people who can be disturbed at any time."""
    own = {
        "slack_bot_token": SecretStr(slack.bot_token),
        "slack_app_token": SecretStr(slack.app_token),
        "slack_api_url": slack.api_url,
        "database_url": f"sqlite:///{DIRECTORY.absolute() / 'parley.db'}",
    }
    if scripted:
        key, url = SecretStr("scripted"), f"{slack.core.url}/v1"
        own |= {"openai_api_key": key, "openai_model": MODEL, "openai_base_url": url}
    if "parley_working_hours" not in settings.model_fields_set:
        own["parley_working_hours"] = "0-24"
    return settings.model_copy(update=own)


def _advice(settings: Settings) -> str:
    """How to have a real model, for the terminal, the page and the scripted one to say; "" if there is one."""
    missing = settings.missing(*FOR_A_MODEL)
    too = "" if len(missing) == len(FOR_A_MODEL) else " too"
    return f"For a real model, put {' and '.join(missing)} into .env{too} and start again." if missing else ""


def _model(settings: Settings, advice: str) -> str:
    what = f"scripted: it knows a few stories. {advice}" if advice else f"{settings.openai_model}."
    return f"The model is {what}"


def _how_to_reset() -> str:
    """As this program was called: `parley` itself may be nowhere on the PATH."""
    called = sys.argv[0]
    program = "python -m bot" if called.endswith("__main__.py") else shlex.quote(called)
    return f"{program} playground --reset"


def _away(url: str, problem: BaseException) -> str:
    return (
        f"Parley has not connected to its Slack at {url}: {problem}.\n"
        "It keeps trying; Ctrl-C stops it. With PARLEY_LOG_LEVEL=debug it says more."
    )


def _welcome(url: str, port: int, model: str) -> str:
    elsewhere = f" (port {port} is taken)" if port and not url.endswith(f":{port}") else ""
    return "\n".join(
        [
            f"Parley is in a Slack of its own at {url}{elsewhere}",
            "",
            f"  {model}",
            f"  Ctrl-C stops it. Everything is kept in {DIRECTORY}, and goes on from there at the next start.",
            f"  To begin anew: {_how_to_reset()}",
            "",
        ]
    )
