"""The lines of a list: each label with its description, beside it if all fit, or else below, never cut off."""

from questionary import Choice
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from agent.core.questions import Question
from bot.terminal import shown

OTHER = -1
_MARGIN = 6  # what the pointer and the circle take, and a column to spare


def choices_of(question: Question, console: Console) -> list[Choice]:
    """Their values are the options' numbers, and OTHER."""
    texts = [shown.option_texts(option) for option in question.options]
    beside = all(cell_len(f"{label} — {description}") <= console.width - _MARGIN for label, description in texts)
    titles = [_beside(*text) if beside else _below(*text, console) for text in texts]
    choices = [Choice(title, number) for number, title in enumerate(titles)]
    return [*choices, Choice("Other…", OTHER)] if question.allow_custom else choices


def _beside(label: str, description: str) -> list[tuple[str, str]]:
    return [("", label), ("class:hint", f" — {description}" if description else "")]


def _below(label: str, description: str, console: Console) -> list[tuple[str, str]]:
    hint = f"\n{_wrapped(description, console)}" if description else ""
    return [("", _wrapped(label, console).lstrip()), ("class:hint", hint)]


def _wrapped(text: str, console: Console) -> str:
    lines = Text(text).wrap(console, console.width - _MARGIN)
    return "\n".join(f"     {line.plain.rstrip()}" for line in lines)
