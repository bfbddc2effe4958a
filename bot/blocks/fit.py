"""Cuts text to size, at sensible places and never in the middle of a character that people see as one."""

import unicodedata
from collections.abc import Iterable
from itertools import accumulate

# What a character may take once it is escaped for Slack and for JSON; a line break may bring a quote mark.
_COSTS = {"&": 5, "<": 4, ">": 4, "\n": 4, '"': 2, "\\": 2, "\t": 2}
_JOINER = "\u200d"
_LONGEST_CLUSTER = 32


def cost(text: str) -> int:
    """An upper bound on the characters that Slack counts."""
    units = len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    return units + sum(text.count(character) * (each - 1) for character, each in _COSTS.items())


def cut(text: str, longest: int) -> str:
    """The text, or as much of it as costs no more, with an ellipsis."""
    if cost(text) <= longest:
        return text
    return f"{text[: _whole(text, _prefix(text, longest - 1))].rstrip()}…"


def shorten(text: str, longest: int) -> str:
    """The text, or as much of it as has so many characters, with an ellipsis."""
    return text if len(text) <= longest else f"{text[: _whole(text, longest - 1)].rstrip()}…"


def pieces(text: str, longest: int) -> list[str]:
    """The text in pieces that cost no more each, broken at paragraphs, lines or words where there are any."""
    found, rest = [], text
    while cost(rest) > longest:
        end = break_before(rest, longest)
        found.append(rest[:end].rstrip())
        rest = rest[end:].lstrip("\n ")
    return [piece for piece in [*found, rest] if piece.strip()]


def break_before(text: str, longest: int) -> int:
    """The best place to break the text so that what stands before costs no more."""
    end = _prefix(text, longest)
    for mark in ("\n\n", "\n", " "):
        if (place := text.rfind(mark, end // 2, end)) > 0:
            return place + len(mark)
    return _whole(text, end) or end or 1


def share(wanted: Iterable[int], budget: int) -> int:
    """The most that each may have so that all fit; what one does not need is left to the others."""
    wants = sorted(wanted)
    for number, want in enumerate(wants):
        sharing = len(wants) - number
        if want * sharing > budget:
            return max(budget // sharing, 0)
        budget -= want
    return max(wants, default=0)


def _prefix(text: str, longest: int) -> int:
    costs = accumulate(_COSTS.get(character, 1 if character <= "\uffff" else 2) for character in text)
    return next((length for length, spent in enumerate(costs) if spent > longest), len(text))


def _whole(text: str, end: int) -> int:
    """Where to cut so that no accent, skin tone or joined emoji loses its base."""
    for place in range(end, max(end - _LONGEST_CLUSTER, 0), -1):
        if not _belongs_to_the_one_before(text, place):
            return place
    return end


def _belongs_to_the_one_before(text: str, place: int) -> bool:
    if place >= len(text):
        return False
    here = text[place]
    return (
        here == _JOINER
        or text[place - 1] == _JOINER
        or "\U0001f3fb" <= here <= "\U0001f3ff"
        or unicodedata.category(here)[0] == "M"
    )
