"""The commands."""

import asyncio
import sys
from typing import Annotated

import typer

from agent.core.errors import StoreError
from bot import logs
from bot.settings import BadSettings, read_settings

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
    settings = read_settings()
    # The widgets are loaded only for the command that shows them.
    from bot.terminal.chat import chat as run_chat

    # The view already says what went wrong; only what it cannot know of belongs between its lines.
    logs.configure(max(settings.parley_log_level, "error", key=logs.severity))
    asyncio.run(run_chat(settings, resume=resume))


def main() -> None:
    try:
        app()
    except (BadSettings, StoreError) as error:
        sys.exit(f"parley: {error}")
