"""The commands."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from agent.core.errors import StoreError
from bot import logs
from bot.settings import BadSettings, Settings, read_settings

_GRACE_SECONDS = 8.0

app = typer.Typer(
    name="parley",
    help="An AI agent that works in a thread and, when it needs a decision, asks and waits.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # its tracebacks show local variables, and so secrets
)


@app.callback()
def parley() -> None:
    """Settings come from the environment or a file called .env; .env.sample lists them all."""


@app.command()
def chat(
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the newest conversation that waits for an answer.")
    ] = False,
) -> None:
    """Talk to the agent in this terminal."""
    _chat(read_settings(), resume=resume)


def _chat(settings: Settings, *, resume: bool) -> None:
    # The widgets are loaded only for the command that shows them.
    from bot.terminal.chat import chat as run_chat

    # The view already says what went wrong; only what it cannot know of belongs between its lines.
    logs.configure(max(settings.parley_log_level, "error", key=logs.severity))
    asyncio.run(run_chat(settings, resume=resume))


@app.command()
def run() -> None:
    """Run Parley in Slack until it is told to stop; without Slack's tokens, talk in this terminal."""
    settings = read_settings()
    if settings.slack_bot_token is None and settings.slack_app_token is None:
        typer.echo("SLACK_BOT_TOKEN and SLACK_APP_TOKEN are not set, so let us talk here.", err=True)
        _chat(settings, resume=False)
        return
    logs.configure(settings.parley_log_level)
    asyncio.run(_serve_until_signalled(settings))


@app.command()
def doctor() -> None:
    """Check tokens, scopes, model and database, and say what to do about each problem."""
    from bot.doctor import examine, written

    logs.configure("error")  # what went wrong is said by the findings
    findings = asyncio.run(examine())
    typer.echo(written(findings))
    if any(finding.state == "wrong" for finding in findings):
        raise typer.Exit(1)


@app.command()
def manifest(
    source: Annotated[
        Path | None,
        typer.Option(help="The directory with the manifest.yml; the Slack CLI gives it.", show_default=False),
    ] = None,
) -> None:
    """Print the Slack app's manifest as JSON."""
    from bot.manifest import NoManifest, find, read

    try:
        typer.echo(json.dumps(read(find(source)), indent=2, ensure_ascii=False))
    except NoManifest as error:
        sys.exit(f"parley: {error}")


async def _serve_until_signalled(settings: Settings) -> None:
    from bot.app import serve

    ended = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, ended.set)
    serving = asyncio.create_task(serve(settings, ended))
    await asyncio.wait({serving, asyncio.create_task(ended.wait())}, return_when=asyncio.FIRST_COMPLETED)
    try:
        await asyncio.wait_for(serving, _GRACE_SECONDS if ended.is_set() else None)
    except TimeoutError:  # cut off where it is: nothing is lost, and the next start goes on from there
        sys.exit("parley: it took too long to stop, so it was cut off.")


def main() -> None:
    try:
        app()
    except (BadSettings, StoreError) as error:
        sys.exit(f"parley: {error}")
