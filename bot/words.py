"""The short private sentences that tell someone why what they did changed nothing."""

from collections.abc import Iterable

from agent.core.asks import Ending
from agent.core.steps import Refused, Why
from bot.blocks import escape

MISSING = "Nothing is filled in yet. Still open: {questions}. Fill in what you can, and press Submit again."
NOT_OPEN = "This is no longer open."
UNKNOWN_QUESTION = "This form is out of date. Please use the newest message in the thread."
NOTHING_TO_STOP = "Nothing is running in this thread."
FAILED = "Something went wrong on my side, and this changed nothing. Please try again. (incident {incident})"
HELLO = "Hi! Mention me with what you would like done, and I will work on it in this thread."
INVITE = "I am not in <#{channel}> yet. Invite me there, then mention me again."

_ENDED = {
    "answered": "{by} has already answered this.",
    "response": "{by} has already answered this in words.",
    "skipped": "{by} has already skipped this.",
    "cancelled": "{by} has already cancelled this.",
    "stopped": "{by} has already stopped this run.",
    "approved": "{by} has already approved this.",
    "denied": "{by} has already denied this.",
    "expired": "This has expired.",
    "failed": "This is no longer open: the run failed.",
}


def refusal(refused: Refused) -> str:
    if refused.beaten:
        return " ".join(
            f"{_name(beaten.first.by.name)} was first to answer “{_short(beaten.question)}”: "
            f"{_short(beaten.first.words)}."
            for beaten in refused.beaten
        )
    if refused.ending:
        return ended(refused.ending)
    if refused.why is Why.UNKNOWN_QUESTION:
        return UNKNOWN_QUESTION
    return NOTHING_TO_STOP if refused.why is Why.NOTHING_TO_STOP else NOT_OPEN


def ended(ending: Ending) -> str:
    return _ENDED[ending.how].format(by=_name(ending.by.name))


def missing(questions: Iterable[str]) -> str:
    listed = ", ".join(f"“{_short(question)}”" for question in questions)
    return MISSING.format(questions=listed)


def _name(name: str) -> str:
    return escape.mrkdwn(escape.inline(name)) or "Someone"


def _short(text: str) -> str:
    line = escape.inline(text)
    return escape.mrkdwn(line if len(line) <= 120 else f"{line[:119]}…")
