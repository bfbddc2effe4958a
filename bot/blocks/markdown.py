"""Markdown as a chain of units that are better not cut: paragraphs, code blocks, tables, headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from bot.blocks import fit

Kind = Literal["paragraph", "fence", "table", "heading"]

_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_DIVIDER = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_TABLE = re.compile(r"\s*\|")

_LONGEST_OPENER = 100
_MOST_SPACE = 50
_NEWLINE = "\n"


@dataclass(frozen=True)
class Unit:
    text: str
    kind: Kind = "paragraph"

    @property
    def cost(self) -> int:
        # Slack makes each but plain text a block of its own, and counts about a hundred characters for it.
        return fit.cost(self.text) + (0 if self.kind == "paragraph" else 100)

    def parts(self) -> "list[Unit]":
        """The unit in parts that fit a message each, also below a heading; a code block is closed and opened anew."""
        opener, _, rest = self.text.partition("\n")
        if self.kind != "fence" or len(opener) > _LONGEST_OPENER:
            return [Unit(part, self.kind) for part in _chunks(self.text)]
        body, closer = _body_and_closer(rest, opener)
        fence = _FENCE.match(opener)
        assert fence, "the kind says so"
        *whole, last = _chunks(body)
        reopened = [f"{opener}\n{part.removesuffix(_NEWLINE)}\n{fence[0]}\n" for part in whole]
        return [Unit(text, "fence") for text in [*reopened, f"{opener}\n{last}{closer}"]]


class Piece:
    """A message in the making."""

    LONGEST: ClassVar[int] = 11_000
    ROOM_FOR_HEADINGS: ClassVar[int] = 800
    MOST_BLOCKS: ClassVar[int] = 40  # what Slack makes of it; it takes 50

    def __init__(self, start: "list[Unit] | None" = None) -> None:
        self._units: list[Unit] = []
        self._cost = self._blocks = 0
        for unit in start or []:
            self.add(unit)

    @property
    def text(self) -> str:
        return "".join(unit.text for unit in self._units)

    def takes(self, unit: Unit) -> bool:
        return self._cost + unit.cost <= self.LONGEST and self._blocks + self._adds(unit) <= self.MOST_BLOCKS

    def add(self, unit: Unit) -> None:
        self._blocks += self._adds(unit)
        self._cost += unit.cost
        self._units.append(unit)

    def take_last_headings(self) -> list[Unit]:
        """Take off the headings at the end: they belong to what follows."""
        others = [number for number, unit in enumerate(self._units, start=1) if unit.kind != "heading"]
        keep = max(others, default=0)
        carried = self._units[keep:]
        if sum(unit.cost for unit in carried) > self.ROOM_FOR_HEADINGS:
            return []
        self._units = self._units[:keep]
        return carried

    def _adds(self, unit: Unit) -> int:
        """Plain text after plain text is one block still."""
        goes_on = self._units and self._units[-1].kind == unit.kind == "paragraph"
        return 0 if goes_on else 1


def units(text: str) -> Iterator[Unit]:
    """Joined they are the text."""
    lines = text.splitlines(keepends=True)
    start = 0
    while start < len(lines):
        kind = _kind(lines[start])
        end = _end(lines, start, kind)
        space = 0
        while end < len(lines) and not lines[end].strip() and (space := space + len(lines[end])) < _MOST_SPACE:
            end += 1
        yield Unit("".join(lines[start:end]), kind)
        start = end


def _kind(line: str) -> Kind:
    if _FENCE.match(line):
        return "fence"
    if _HEADING.match(line) or _DIVIDER.match(line):
        return "heading"
    return "table" if _TABLE.match(line) else "paragraph"


def _end(lines: list[str], start: int, kind: Kind) -> int:
    if kind == "fence":
        closing = (n for n in range(start + 1, len(lines)) if _closes(lines[n], lines[start]))
        return next(closing, len(lines) - 1) + 1
    if kind == "heading":
        return start + 1
    following = range(start + 1, len(lines))
    return next((n for n in following if not lines[n].strip() or _kind(lines[n]) != kind), len(lines))


def _closes(line: str, opener: str) -> bool:
    opened, found = _FENCE.match(opener), _FENCE.match(line)
    return bool(opened and found and line.strip() == found[1] and found[1].startswith(opened[1]))


def _body_and_closer(rest: str, opener: str) -> tuple[str, str]:
    lines = rest.splitlines(keepends=True)
    closing = next((n for n, line in enumerate(lines) if _closes(line, opener)), len(lines))
    return "".join(lines[:closing]), "".join(lines[closing:])


def _chunks(text: str) -> list[str]:
    """Cut at lines where it can be, else at words; nothing is dropped."""
    longest = Piece.LONGEST - Piece.ROOM_FOR_HEADINGS - 4 * _LONGEST_OPENER
    found, rest = [], text
    while fit.cost(rest) > longest:
        end = fit.break_before(rest, longest)
        found.append(rest[:end])
        rest = rest[end:]
    return [*found, rest]
