"""Prompts on a TTY: lists with arrow keys and space, text with editing and history."""

from collections.abc import Awaitable
from typing import Any

import questionary
from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, merge_key_bindings
from prompt_toolkit.styles import Style
from questionary import Choice
from rich.console import Console

from agent.core.questions import Question
from bot.terminal.choices import OTHER, choices_of
from bot.terminal.front import Decided, Interrupt, Leave, Skip
from bot.terminal.keyboard import Keyboard

_STYLE = Style.from_dict(
    {
        "qmark": "fg:ansicyan",
        "question": "",
        "instruction": "fg:ansibrightblack",
        "pointer": "fg:ansicyan bold",
        "selected": "fg:ansicyan",
        "hint": "fg:ansibrightblack",
    }
)
_ONE = "↑ ↓ and Enter · Esc skips · Ctrl-C stops"
_SEVERAL = "↑ ↓, space for each, Enter · Esc skips · Ctrl-C stops"
_ESCAPE_SECONDS = 0.1  # how long a lone Esc may turn out to be the beginning of an arrow key


class Widgets:
    def __init__(self, console: Console, keyboard: Keyboard) -> None:
        self._console = console
        self._keyboard = keyboard
        self._history = InMemoryHistory()
        self._app: Application[Any] | None = None

    async def message(self) -> str:
        self._console.print()
        session = self._line(history=self._history)
        return str(await self._run(session.app, session.prompt_async(handle_sigint=False)))

    async def answer(self, question: Question) -> str:
        while True:
            chosen = await self._pick(question)
            if OTHER not in chosen and question.options:
                return question.answer(chosen)
            try:
                text = await self._text(
                    f"in your own words · Esc {'goes back' if question.options else 'skips'}",
                    fresh=not question.options,
                )
            except Skip:
                if question.options:
                    continue
                raise
            if words := question.answer((number for number in chosen if number != OTHER), text):
                return words

    async def decide(self) -> Decided:
        # The pointer starts at Deny: a stray Enter must not approve anything.
        choices = [Choice("Approve", True), Choice("Deny", False)]
        keys = "↑ ↓ and Enter · Ctrl-C stops"
        asked = questionary.select("Decide", choices, default=choices[1], instruction=f"({keys})", style=_STYLE)
        if await self._list(asked, skips=False):
            return Decided(True)
        try:
            return Decided(False, (await self._text("why not? Enter leaves it out")).strip())
        except Skip:
            return Decided(False)

    def interrupt(self) -> bool:
        if self._app is None or not self._app.is_running or self._app.is_done:
            return False
        self._app.exit(exception=Interrupt())
        return True

    async def _pick(self, question: Question) -> list[int]:
        if not question.options:
            return []
        choices = choices_of(question, self._console)
        if not question.multi_select:
            asked = questionary.select("Pick one", choices, instruction=f"({_ONE})", style=_STYLE)
            return [await self._list(asked)]
        message = "Pick any"
        picked: list[int] = []
        while not picked:
            asked = questionary.checkbox(message, choices, instruction=f"({_SEVERAL})", style=_STYLE)
            picked = await self._list(asked)
            message = "Pick at least one"
        return picked

    async def _list(self, asked: questionary.Question, *, skips: bool = True) -> Any:
        app = asked.application
        app.key_bindings = merge_key_bindings([*filter(None, [app.key_bindings]), _list_keys(skips)])
        app.erase_when_done = True
        self._keyboard.discard(app.input)
        return await self._run(app, app.run_async(handle_sigint=False))

    async def _text(self, hint: str, *, fresh: bool = False) -> str:
        """`fresh` if nobody can have meant this prompt yet when they typed."""
        keys = KeyBindings()
        # Not eager: Esc also begins Alt-b and its like, which move by words.
        keys.add("escape")(lambda event: event.app.exit(exception=Skip()))
        session = self._line(key_bindings=keys, erase_when_done=True, placeholder=[("class:hint", hint)])
        session.app.timeoutlen = _ESCAPE_SECONDS
        if fresh:
            self._keyboard.discard(session.app.input)
        return str(await self._run(session.app, session.prompt_async(handle_sigint=False)))

    def _line(self, **options: Any) -> PromptSession[str]:
        prompt = FormattedText([("class:pointer", "> ")])
        return PromptSession(prompt, style=_STYLE, interrupt_exception=Interrupt, eof_exception=Leave, **options)

    async def _run(self, app: Application[Any], asking: Awaitable[Any]) -> Any:
        self._app = app
        app.ttimeoutlen = _ESCAPE_SECONDS
        try:
            return await asking
        finally:
            self._app = None


def _list_keys(skips: bool) -> KeyBindings:
    keys = KeyBindings()
    exits = {"c-c": Interrupt, "c-d": Leave} | ({"escape": Skip} if skips else {})
    for key, reason in exits.items():
        keys.add(key, eager=True)(lambda event, reason=reason: event.app.exit(exception=reason()))
    return keys
