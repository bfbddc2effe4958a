"""The commands."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.core.errors import StoreError
from bot import logs
from bot.settings import BadSettings, Settings, read_settings

_CLEAN_UP_SECONDS = 1.5
_PORT = 3000  # of the playground

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
    settings.need_model()
    # The widgets are loaded only for the command that shows them.
    from bot.terminal.chat import chat as run_chat

    # The view already says what went wrong; only what it cannot know of belongs between its lines.
    logs.configure(max(settings.parley_log_level, "error", key=logs.severity))
    asyncio.run(run_chat(settings, resume=resume))


@app.command()
def run(
    http: Annotated[
        bool,
        typer.Option(
            "--http", help="Let Slack send to PARLEY_HTTP_HOST and PARLEY_HTTP_PORT, instead of connecting to it."
        ),
    ] = False,
) -> None:
    """Run Parley until it is told to stop: in Slack, or without Slack's tokens in the playground."""
    settings = read_settings()
    if not http and settings.slack_bot_token is None and settings.slack_app_token is None:
        _play(settings)
        return
    settings.need_model()
    from bot.app import serve, serve_http
    from bot.metrics import Metrics

    metrics = Metrics()
    logs.configure(settings.parley_log_level, metrics.error)
    work = serve_http if http else serve
    grace = settings.parley_grace_seconds
    asyncio.run(_until_signalled(lambda ended: work(settings, ended, metrics=metrics), grace))


@app.command()
def playground(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Where to serve it, or the next that is free.")] = _PORT,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser.")] = False,
    pace: Annotated[
        float, typer.Option(min=0, help="How slowly the scripted model writes: 1 as real ones do, 0 at once.")
    ] = 1.0,
    reset: Annotated[bool, typer.Option("--reset", help="Begin with a new workspace: remove what was kept.")] = False,
) -> None:
    """Try Parley in a Slack of its own, in the browser: no account, no tokens, no key.

    It keeps itself in .playground, in this directory. Without OPENAI_API_KEY and OPENAI_MODEL a scripted model answers.
    """
    settings = read_settings()
    if reset:
        from bot.play import reset as remove

        remove(typer.echo)
    _play(settings, port=port, browse=not no_open, pace=pace)


def _play(settings: Settings, *, port: int = _PORT, browse: bool = True, pace: float = 1.0) -> None:
    from bot.play import play

    chosen = "parley_log_level" in settings.model_fields_set
    logs.configure(settings.parley_log_level if chosen else "warning")

    def work(ended: asyncio.Event) -> Coroutine[Any, Any, None]:
        return play(settings, ended, typer.echo, port=port, browse=browse, pace=pace)

    asyncio.run(_until_signalled(work, settings.parley_grace_seconds))


@app.command()
def doctor() -> None:
    """Check tokens, scopes, model and database, and say what to do about each problem."""
    from bot.doctor import examine
    from bot.findings import written

    logs.configure("error")  # what went wrong is said by the findings
    findings = asyncio.run(examine())
    typer.echo(written(findings))
    if any(finding.state == "wrong" for finding in findings):
        raise typer.Exit(1)


questions = typer.Typer(invoke_without_command=True)
app.add_typer(questions, name="questions")


@questions.callback()
def list_questions(
    context: typer.Context,
    newest_first: Annotated[bool, typer.Option("--newest-first", help="Instead of the oldest.")] = False,
    most: Annotated[int, typer.Option(min=1, help="How many to list.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for other programs.")] = False,
) -> None:
    """List the questions and approvals that wait for people in Slack: their age, place, kind, id and title.

    It only reads the database (DATABASE_URL), so it can be used while Parley runs.
    """
    if context.invoked_subcommand:
        return
    from bot.questions import listing

    url = read_settings().database_url
    typer.echo(listing(url, newest_first=newest_first, most=most, as_json=as_json, now=time.time()))


@questions.command("cancel")
def cancel_question(
    question: Annotated[str, typer.Argument(metavar="ID", help="As `parley questions` lists it.")],
) -> None:
    """Cancel a question or an approval, as the button Cancel does: the run ends, and the thread says by whom.

    The running Parley does it within a second or two; one that is stopped does it when it starts.
    """
    from bot.questions import cancel

    typer.echo(cancel(read_settings().database_url, question))


@app.command()
def secret() -> None:
    """Print a new key for PARLEY_ENCRYPTION_KEY. To replace one, put the new before the old, with a comma."""
    from bot.encryption import new_key

    typer.echo(new_key())


@app.command()
def manifest(
    source: Annotated[
        Path | None,
        typer.Option(help="The directory with the manifest.yml; the Slack CLI gives it.", show_default=False),
    ] = None,
    http: Annotated[
        str,
        typer.Option(help="For HTTP mode: where Slack reaches Parley, as in PARLEY_PUBLIC_URL.", show_default=False),
    ] = "",
) -> None:
    """Print the Slack app's manifest as JSON."""
    from bot.manifest import NoManifest, find, over_http, read

    try:
        found = read(find(source))
        shown = over_http(found, http.rstrip("/")) if http else found
        typer.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    except NoManifest as error:
        sys.exit(f"parley: {error}")


async def _until_signalled(work: Callable[[asyncio.Event], Coroutine[Any, Any, None]], grace: float) -> None:
    """The first signal asks it to end; the second ends it where it is, and so does its taking too long."""
    ended = asyncio.Event()

    def end() -> None:
        if ended.is_set():
            typer.echo("parley: it was cut off.", err=True)
            os._exit(1)
        ended.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, end)
    working = asyncio.create_task(work(ended))
    await asyncio.wait({working, asyncio.create_task(ended.wait())}, return_when=asyncio.FIRST_COMPLETED)
    try:
        await asyncio.wait_for(working, grace + _CLEAN_UP_SECONDS if ended.is_set() else None)
    except TimeoutError:  # cut off where it is: nothing is lost, and the next start goes on from there
        sys.exit("parley: it took too long to stop, so it was cut off.")


def main() -> None:
    try:
        app()
    except (BadSettings, StoreError) as error:
        sys.exit(f"parley: {error}")
