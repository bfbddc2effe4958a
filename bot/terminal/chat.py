"""`parley chat`: opens the terminal there is, finds the thread, and runs the session on them."""

import asyncio
import io
import signal
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from agent.core.states import UNFINISHED, Waiting
from agent.ports import ThreadKey
from bot.app import Parley, running
from bot.settings import Settings
from bot.terminal.front import Front
from bot.terminal.keyboard import Keyboard
from bot.terminal.plain import PlainPrompts, PlainView
from bot.terminal.session import Session
from bot.terminal.streams import Lines, Output
from bot.terminal.view import LiveView
from bot.terminal.widgets import Widgets

_TEAM, _CHANNEL = "terminal", "chat"
_NOTHING_WAITS = "parley: no conversation waits for an answer. `parley chat` begins a new one."


async def chat(settings: Settings, *, resume: bool) -> None:
    front = _open_front()
    try:
        async with running(settings, front.view) as parley:
            key = await _key(parley, resume)  # before the start, which may finish what was left
            parley.store.adoption.serve(_TEAM, writes_down_what_is_shown=False)
            await parley.replica.join()
            await parley.replica.start()
            front.view.follow(key)
            session = Session(parley, key, front)
            with _on_sigint(session.interrupt):
                await session.run(resumed=resume)
    finally:
        front.view.close()


async def _key(parley: Parley, resume: bool) -> ThreadKey:
    if not resume:
        return ThreadKey(team=_TEAM, channel=_CHANNEL, root=uuid.uuid4().hex)
    key = await parley.store.newest(_TEAM, _CHANNEL, (Waiting.kind, *UNFINISHED))
    if key is None:
        sys.exit(_NOTHING_WAITS)
    return key


def _open_front() -> Front:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter must not end the run
    console, keyboard = Console(highlight=False, markup=False, emoji=False), Keyboard()
    if sys.stdin.isatty() and sys.stdout.isatty() and not console.is_dumb_terminal:
        return Front(LiveView(console, keyboard), Widgets(console, keyboard))
    output = Output()
    prompts = PlainPrompts(Lines(sys.stdin.fileno()), output, echo=not sys.stdin.isatty())
    return Front(PlainView(output), prompts)


@contextmanager
def _on_sigint(handler: Callable[[], None]) -> Iterator[None]:
    """Afterwards Ctrl-C is the way out of a shutdown that hangs."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, handler)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
