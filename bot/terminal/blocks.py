"""Cuts streamed Markdown into blocks that can be shown for good, and a tail that is still being written."""

import re

_FENCE = re.compile(r"\s*(?:(`{3,})[^`]*|(~{3,}).*)")


class Blocks:
    """A block ends at a blank line outside a code fence, unless what follows is indented and so belongs to it."""

    def __init__(self) -> None:
        self._lines: list[str] = []  # whole lines of the unfinished block
        self._rest = ""  # the line that is being written
        self._fence = ""

    @property
    def tail(self) -> str:
        return "\n".join([*self._lines, self._rest]).strip("\n")

    def add(self, delta: str) -> list[str]:
        """The blocks that are finished now."""
        finished = []
        *lines, self._rest = (self._rest + delta).split("\n")
        for line in lines:
            finished += self._flush_before(line)
            self._take(line)
        # The first character of a line is enough to see that a new block has begun.
        return finished + self._flush_before(self._rest)

    def end(self) -> list[str]:
        """Whatever is left, as the last block."""
        tail = self.tail
        self._lines, self._rest, self._fence = [], "", ""
        return [tail] if tail.strip() else []

    def _flush_before(self, line: str) -> list[str]:
        apart = self._lines and not self._lines[-1].strip() and not self._fence
        if not apart or not line or line[0].isspace():
            return []
        block, self._lines = "\n".join(self._lines).strip("\n"), []
        return [block] if block.strip() else []

    def _take(self, line: str) -> None:
        self._lines.append(line)
        if not (found := _FENCE.fullmatch(line)):
            return
        marks = found[1] or found[2]
        if not self._fence:
            self._fence = marks
        elif line.strip() == marks and marks.startswith(self._fence):
            self._fence = ""
