"""A block of the agent's Markdown as lines for the terminal."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown
from rich.segment import Segment


class Block:
    """Without the blank lines that rich puts around some elements; of a long one, if told so, the last `most`."""

    def __init__(self, text: str, most: int | None = None) -> None:
        # An address hidden behind other words would not be shown by a terminal.
        self._markdown = Markdown(text, hyperlinks=False)
        self._most = most

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._markdown, options, pad=False)
        written = [number for number, line in enumerate(lines) if not _blank(line)] or [-1]
        for line in self._last(lines[written[0] : written[-1] + 1]):
            yield from line
            yield Segment.line()

    def _last(self, lines: list[list[Segment]]) -> Iterator[list[Segment]]:
        yield from lines[-self._most :] if self._most else lines


def _blank(line: list[Segment]) -> bool:
    return not "".join(segment.text for segment in line).strip()
