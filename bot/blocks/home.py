"""App Home: what waits for the viewer, newest first, and what was decided last."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from agent.core.values import Person
from bot import ids
from bot.blocks import escape, fit, limits
from bot.blocks.parts import Block, bold, context, plain_text, section, who

_MOST_WAITING = 35
_MOST_DECIDED = 10
_LONGEST_TEXT = 300
_CHANNEL = re.compile(r"[CG][A-Z0-9]{2,20}")


@dataclass(frozen=True)
class Waiting:
    """An open ask or approval that the viewer may answer; `since` in seconds of the epoch."""

    what: str
    channel: str
    since: int
    url: str = ""


@dataclass(frozen=True)
class Decided:
    what: str
    outcome: str
    by: Person
    at: int
    channel: str
    url: str = ""


def home(waiting: Sequence[Waiting], decided: Sequence[Decided]) -> Block:
    newest = sorted(waiting, key=lambda item: item.since, reverse=True)
    latest = sorted(decided, key=lambda item: item.at, reverse=True)
    blocks = [_header("Waiting for you"), *_listed(newest[:_MOST_WAITING])]
    blocks += [*_more(len(newest) - _MOST_WAITING, "open"), {"type": "divider"}, _header("Last decisions")]
    for item in latest[:_MOST_DECIDED]:
        blocks += _decision(item)
    blocks += _more(len(latest) - _MOST_DECIDED, "earlier") if latest else [section("Nothing has been decided yet.")]
    return {"type": "home", "blocks": blocks}


def _listed(waiting: Sequence[Waiting]) -> list[Block]:
    if not waiting:
        return [section("Nothing is waiting for you. When I need a decision that you may take, it shows up here.")]
    blocks: list[Block] = []
    for number, item in enumerate(waiting, start=1):
        question = section(_short(item.what)) | _link("Open", f"Open question {number}", item.url)
        blocks += [question, context(f"{_place(item.channel)} · since {_date(item.since)}")]
    return blocks


def _decision(item: Decided) -> list[Block]:
    heading = f"{bold(fit.shorten(escape.plain(item.what), _LONGEST_TEXT))}\n{_short(item.outcome)}"
    link = f" · <{item.url}|Open>" if _is_link(item.url) else ""
    return [section(heading), context(f"{who(item.by)} · {_place(item.channel)} · {_date(item.at)}{link}")]


def _more(count: int, which: str) -> list[Block]:
    return [context(f"And {count} more {which}.")] if count > 0 else []


def _header(text: str) -> Block:
    return {"type": "header", "text": plain_text(text)}


def _link(text: str, read_aloud: str, url: str) -> Block:
    if not _is_link(url):
        return {}
    button = {"type": "button", "text": plain_text(text), "action_id": ids.OPEN_QUESTION, "url": url}
    return {"accessory": button | {"accessibility_label": read_aloud}}


def _is_link(url: str) -> bool:
    return len(url) <= limits.BUTTON_URL and bool(re.fullmatch(r"https?://[^\s<>|\"]+", url))


def _place(channel: str) -> str:
    return f"<#{channel}>" if _CHANNEL.fullmatch(channel) else "Direct message"


def _date(seconds: int) -> str:
    """Slack shows it in the reader's own time zone."""
    fallback = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"<!date^{seconds}^{{date_short_pretty}} at {{time}}|{fallback}>"


def _short(text: str) -> str:
    cut = fit.cut(escape.clean(text), _LONGEST_TEXT)
    return "(no text)" if escape.is_blank(cut) else escape.mrkdwn(cut)
