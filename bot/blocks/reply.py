"""Replies: Markdown of any length as messages that each fit, split where a reader would; and short notes."""

from bot.blocks import escape, fit
from bot.blocks.markdown import Piece, Unit, units
from bot.blocks.parts import Rendered, context, spoken

_LONGEST_NOTE = 1_500


def split(markdown_text: str) -> list[str]:
    """Pieces for one message each. Joined they are the text again, but for fences closed and opened anew."""
    found, piece = [], Piece()
    for unit in units(markdown_text):
        if piece.takes(unit):
            piece.add(unit)
            continue
        carried = piece.take_last_headings()
        found.append(piece.text)
        piece = Piece(carried)
        for part in _parts(unit, piece):
            if not piece.takes(part):
                found.append(piece.text)
                piece = Piece()
            piece.add(part)
    return [text for text in [*found, piece.text] if not escape.is_blank(text)]


def reply(piece: str) -> Rendered:
    """One message of a reply that was split."""
    return Rendered(spoken([piece]), [{"type": "markdown", "text": escape.markdown(piece)}])


def note(text: str) -> Rendered:
    """A line beside the conversation: stopped, cancelled, failed."""
    short = fit.cut(escape.clean(text), _LONGEST_NOTE)
    words = "…" if escape.is_blank(short) else escape.mrkdwn(short)
    return Rendered(words, [context(words)])


def _parts(unit: Unit, piece: Piece) -> list[Unit]:
    return [unit] if piece.takes(unit) else unit.parts()
