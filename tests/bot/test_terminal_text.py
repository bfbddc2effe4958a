"""Text on its way to the terminal: cut into blocks, and made harmless."""

import random

import pytest
from rich.console import Console

from bot.terminal.blocks import Blocks
from bot.terminal.markdown import Block
from bot.terminal.safe import clean, one_line, visible


def cut(text: str, size: int = 1) -> list[str]:
    blocks = Blocks()
    finished = [block for start in range(0, len(text), size) for block in blocks.add(text[start : start + size])]
    return finished + blocks.end()


def test_a_blank_line_ends_a_block() -> None:
    assert cut("One\nline.\n\nTwo.\n\n\nThree.") == ["One\nline.", "Two.", "Three."]


def test_a_block_is_finished_as_soon_as_the_next_one_begins() -> None:
    blocks = Blocks()

    assert blocks.add("One.\n\n") == []
    assert blocks.add("T") == ["One."]
    assert blocks.tail == "T"


@pytest.mark.parametrize(
    "fenced",
    [
        "```python\na\n\nb\n```",
        "~~~\na\n\nb\n~~~",
        "````\n```\n\nx\n````",
        "```\nopen\n\n~~~\n\nx\n```",
        "```\n\n```python\n\n```",
    ],
)
def test_a_blank_line_inside_a_code_fence_ends_nothing(fenced: str) -> None:
    assert cut(f"Before.\n\n{fenced}\n\nAfter.") == ["Before.", fenced, "After."]


def test_what_is_indented_below_a_list_item_stays_with_it() -> None:
    assert cut("1. one\n\n    - below\n\n2. two") == ["1. one\n\n    - below", "2. two"]


def test_how_a_reply_is_cut_into_deltas_makes_no_difference() -> None:
    text = "# A\n\nb\n\n```\nc\n\nd\n```\n- e\n\n  f\n\n\ng"
    sizes = random.Random(1)

    assert {tuple(cut(text, sizes.randint(1, 9))) for _ in range(50)} == {tuple(cut(text, len(text)))}


def test_nothing_but_blank_lines_is_no_block() -> None:
    assert cut("\n\n \n\n") == []


def test_after_its_end_a_reply_leaves_no_trace() -> None:
    blocks = Blocks()
    blocks.add("```\nnever closed")
    blocks.end()

    assert blocks.add("a\n\nb") == ["a"]


@pytest.mark.parametrize("evil", ["\x1b[2J", "\x9b31m", "\x07", "\r", "\x08", "\x00", "\u202e", "\u2066", "\ud83d"])
def test_what_could_steer_a_terminal_is_dropped(evil: str) -> None:
    assert clean(f"a{evil}b") == f"a{evil[1:]}b"


def test_ordinary_text_of_any_language_is_left_alone() -> None:
    text = "naïve\t日本語\n👩\u200d💻 مرحبا"

    assert clean(text) == text


def test_a_label_of_several_lines_becomes_one() -> None:
    assert one_line(" two\n lines\x1b ") == "two lines"


def test_what_is_approved_shows_even_what_is_not_to_be_seen() -> None:
    assert visible("rm\x1b[8m -rf\u202e /") == "rm\\u001b[8m -rf\\u202e /"


def shown(text: str, most: int | None = None) -> str:
    console = Console(width=40)
    with console.capture() as captured:
        console.print(Block(text, most))
    return captured.get()


def test_rich_markup_in_a_reply_is_only_text() -> None:
    assert shown("[bold]no[/bold] :smile:").strip() == "[bold]no[/bold] :smile:"


def test_the_address_of_a_link_is_shown() -> None:
    assert "https://evil.example" in shown("[your bank](https://evil.example)")


def test_a_block_has_no_blank_lines_around_it() -> None:
    assert [line.rstrip() for line in shown("> quoted").splitlines()] == ["▌ quoted"]


def test_of_a_block_longer_than_the_screen_the_end_is_shown() -> None:
    assert shown("- a\n- b\n- c", most=2).split() == ["•", "b", "•", "c"]
