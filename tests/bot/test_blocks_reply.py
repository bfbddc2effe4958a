"""Replies of any length: split where a reader would, and nothing lost."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.blocks import limits
from bot.blocks.markdown import Piece
from bot.blocks.reply import note, reply, split
from bot.playground.blocks import faults

PARAGRAPH = "A sentence of some length that says nothing much. " * 20


def fits(piece: str) -> None:
    rendered = reply(piece)
    assert faults(rendered.blocks, "message") == []
    assert 0 < len(rendered.text) <= limits.MESSAGE_TEXT
    assert "<" not in rendered.text + rendered.blocks[0]["text"]


def test_a_reply_is_a_markdown_block_and_words_for_notifications() -> None:
    rendered = reply("# Done\n\n> as you said\n\nSee <!channel> & [it](https://a.test?a=1&b=2).")

    assert rendered.blocks == [
        {
            "type": "markdown",
            "text": "# Done\n\n> as you said\n\nSee &lt;!channel&gt; & [it](https://a.test?a=1&b=2).",
        }
    ]
    assert rendered.text.startswith("# Done\n\n&gt; as you said")


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u200b"])
def test_nothing_is_no_message(text: str) -> None:
    assert split(text) == []


def test_a_short_reply_is_one_message() -> None:
    assert split("Hello.\n\n```\ncode\n```\n") == ["Hello.\n\n```\ncode\n```\n"]


def test_a_long_reply_is_split_between_paragraphs() -> None:
    text = "\n\n".join(f"{n}: {PARAGRAPH}" for n in range(30))
    pieces = split(text)

    assert len(pieces) == 3
    assert "".join(pieces) == text
    assert all(re.match(r"\d+: ", piece) for piece in pieces)


def test_a_heading_goes_with_what_it_heads() -> None:
    text = f"{PARAGRAPH * 10}\n\n## Next\n\n{PARAGRAPH}"
    pieces = split(text)

    assert "".join(pieces) == text
    assert pieces[1].startswith("## Next\n")


def test_a_code_block_that_fits_a_message_is_not_cut() -> None:
    code = "```python\n" + "print('x')\n\n" * 500 + "```\n"
    pieces = split(f"{PARAGRAPH * 8}\n\n{code}\nThat is it.")

    assert any(code in piece for piece in pieces)


@pytest.mark.parametrize("fence", ["```", "~~~~", "  ```"])
def test_a_code_block_too_long_for_one_message_is_closed_and_opened_anew(fence: str) -> None:
    lines = [f"line {n} of the log" for n in range(2_000)]
    pieces = split("Here:\n\n" + "\n".join([f"{fence}text", *lines, fence]) + "\n\nDone.")

    assert len(pieces) > 3
    for piece in pieces:
        fits(piece)
        assert piece.count(fence.strip()) % 2 == 0
    kept = [line for piece in pieces for line in piece.splitlines() if line.startswith("line ")]
    assert kept == lines


def test_a_table_that_fits_a_message_is_not_cut() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 200
    pieces = split(f"{PARAGRAPH * 9}\n\n{table}\nAfter.")

    assert any(table in piece for piece in pieces)


def test_headings_by_the_dozen_are_not_too_many_blocks() -> None:
    text = "\n\n".join(f"# {n}\n\ntext" for n in range(60))
    pieces = split(text)

    assert "".join(pieces) == text
    assert all(piece.count("#") <= Piece.MOST_BLOCKS for piece in pieces)


def test_one_endless_line_is_cut_at_words_and_nothing_is_lost() -> None:
    text = "word " * 9_000
    pieces = split(text)

    assert "".join(pieces) == text
    assert all(piece.endswith(" ") for piece in pieces)


markdown = st.lists(
    st.sampled_from(
        [
            "```\n",
            "```py\n",
            "~~~\n",
            "# h\n",
            "---\n",
            "| a | b |\n",
            "> q <@U1>\n",
            "text & more\n",
            "\n",
            "- item\n  ```\n",
            "<" * 3_000,
        ]
    )
    | st.text(max_size=20)
    | st.builds(lambda text: text * 3_000, st.text(min_size=1, max_size=5)),
    max_size=30,
).map("".join)


@given(markdown)
@example("x" * 30_000)
@example("```" + "x" * 30_000)
@example("\n" * 30_000 + "x")
@example("```\nx\n```\n" + "\n" * 30_000 + "x" + " " * 30_000)
@example("```\n" + "\n" * 30_000)
def test_any_text_is_split_into_messages_that_slack_takes_and_only_fences_are_added(text: str) -> None:
    pieces = split(text)

    for piece in pieces:
        fits(piece)
    without_fences = [re.sub(r"[`~]|py|\s|[\u200b-\u200f]", "", t) for t in (text, "".join(pieces))]
    if "```" in text or "~~~" in text:
        assert _visible(without_fences[1]) == _visible(without_fences[0])
    else:
        assert _visible("".join(pieces)) == _visible(text)


def _visible(text: str) -> str:
    """Pieces in which nothing can be seen are not sent."""
    return "".join(c for c in text if c.isprintable() and not c.isspace())


def test_a_note_is_one_small_line() -> None:
    assert note("Stopped by Ann <@U1>.").blocks == [
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "Stopped by Ann &lt;@U1&gt;."}]}
    ]


@given(st.text() | st.just("<" * 9_000))
def test_any_note_fits(text: str) -> None:
    assert faults(note(text).blocks, "message") == []
