"""The pieces that messages and views are made of, and the layout that makes any amount of text fit."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agent.core.values import Person
from bot.blocks import escape, fit, limits

Block = dict[str, Any]

_BLANK = "(no text)"
_LINE: Block = {"type": "divider"}
_LONGEST_NAME = 80
_SECTION = 70  # what a section takes around its text
_LEAST = 20
_VIEW = 120_000
_BYTES_IN_VIEW = 200_000


@dataclass(frozen=True)
class Rendered:
    """A message: what notifications and screen readers say, and what is drawn."""

    text: str
    blocks: list[Block]

    def __post_init__(self) -> None:
        if len(self.blocks) > limits.BLOCKS_IN_MESSAGE or not 0 < len(self.text) <= limits.MESSAGE_TEXT:
            raise ValueError(f"{len(self.blocks)} blocks and {len(self.text)} characters of text do not fit a message")


@dataclass(frozen=True)
class Prose:
    """Text of others, of any length: one or more sections, each of the texts cut as far as need be."""

    texts: tuple[str, ...]
    head: str = ""  # markup of ours above the first text
    quoted: bool = False
    literal: bool = False  # shown to the letter, without any markup


@dataclass(frozen=True)
class LaidOut:
    blocks: list[Block]
    cut: bool


def lay_out(items: Sequence[Block | Prose], budget: int = limits.MESSAGE_BLOCKS) -> LaidOut:
    """The blocks in their order; the prose shares what room the rest leaves."""
    cleaned = [_cleaned(item) if isinstance(item, Prose) else item for item in items]
    prose = [item for item in cleaned if isinstance(item, Prose)]
    room = budget - size([item for item in cleaned if not isinstance(item, Prose)])
    heads = sum(len(item.head) + 2 * _SECTION for item in prose) + room // limits.SECTION_TEXT * 2 * _SECTION
    wants = [fit.cost(text) + 4 for item in prose for text in item.texts]
    most = max(fit.share(wants, room - heads), _LEAST)
    blocks: list[Block] = []
    for item in cleaned:
        blocks += _sections(item, most) if isinstance(item, Prose) else [item]
    return LaidOut(blocks, cut=any(want > most for want in wants))


def size(blocks: Sequence[Block]) -> int:
    return len(json.dumps(blocks, ensure_ascii=False, separators=(",", ":")).encode("utf-16-le")) // 2


def section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def context(text: str) -> Block:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text}]}


def set_off(items: Sequence[Block | Prose]) -> list[Block | Prose]:
    """Between two lines, so that it does not run into what was said before and after."""
    return [_LINE, *items, _LINE]


def plain_text(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def button(text: str, action_id: str, value: str, **more: str) -> Block:
    return {"type": "button", "text": plain_text(text), "action_id": action_id, "value": value} | more


def actions(*buttons: Block) -> Block:
    return {"type": "actions", "elements": list(buttons)}


def modal(callback_id: str, title: str, items: Sequence[Block | Prose]) -> Block:
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": plain_text(fit.shorten(title, limits.MODAL_TITLE)),
        "close": plain_text("Close"),
        "blocks": lay_out(items, view_budget(items)).blocks,
    }


def view_budget(items: Sequence[Block | Prose]) -> int:
    """Views are limited in bytes of JSON, in which a letter may take one or six."""
    texts = [text for item in items if isinstance(item, Prose) for text in item.texts]
    heaviness = len(json.dumps(texts)) / max(sum(map(fit.cost, texts)), 1)
    return min(_VIEW, int(_BYTES_IN_VIEW / max(heaviness, 1)))


def called(person: Person) -> str:
    """Whoever it was, in a few words."""
    name = fit.shorten(escape.inline(person.name), _LONGEST_NAME)
    return "someone" if escape.is_blank(name) else name


def who(person: Person) -> str:
    """The same as mrkdwn that pings nobody."""
    return escape.mrkdwn(called(person))


def bold(text: str) -> str:
    """A line of a few words; an asterisk in it would end the bold."""
    line = escape.mrkdwn(escape.inline(text).strip())
    return line if "*" in line or escape.is_blank(line) else f"*{line}*"


def heading(text: str, words: str) -> Block | Prose:
    """A line above everything else, and somebody's words under it, if there are any."""
    return Prose((words,), head=f"{bold(text)}\n", quoted=True) if words else section(bold(text))


def spoken(lines: Iterable[str]) -> str:
    """The `text` of a message: these lines, each cut as far as need be."""
    cleaned = [escape.clean(line) for line in lines]
    most = fit.share((fit.cost(line) + 4 for line in cleaned), limits.MESSAGE_TEXT)
    text = "\n".join(fit.cut(line, max(most - 4, _LEAST)) for line in cleaned)
    return _BLANK if escape.is_blank(text) else escape.mrkdwn(text)


def _cleaned(prose: Prose) -> Prose:
    texts = tuple(text if prose.literal else escape.clean(text) for text in prose.texts)
    return Prose(tuple(_BLANK if escape.is_blank(t) else t for t in texts), prose.head, prose.quoted, prose.literal)


def _sections(prose: Prose, most: int) -> list[Block]:
    text = "\n".join(fit.cut(text, most - 4) for text in prose.texts)
    found = [p for p in fit.pieces(text, limits.SECTION_TEXT - len(prose.head) - 4) if not escape.is_blank(p)]
    if prose.literal:
        return [{"type": "section", "text": {**plain_text(piece), "emoji": False}} for piece in found]
    shown = [_quote(escape.mrkdwn(piece)) if prose.quoted else escape.mrkdwn(piece) for piece in found]
    return [section(prose.head + piece if number == 0 else piece) for number, piece in enumerate(shown)]


def _quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))
