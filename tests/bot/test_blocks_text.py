"""Text of others on its way to Slack: harmless, and cut where it does not hurt."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.blocks import escape, fit

LIVE = re.compile(r"<[@#!a-z]")
hostile = st.text(
    st.sampled_from("<>!@#|&;chanelU1\n\r\t *_`~>\u202e\u202c\u2067\u2069\x00א👩\u200d🏽e\u0301"), max_size=200
)
PINGS = ["<!channel>", "<!here|here>", "<@U0ANN0001>", "<!subteam^S1|@ops>", "<#C1>", "<https://evil.test|safe>"]


@pytest.mark.parametrize("ping", PINGS)
def test_nothing_written_by_a_model_can_ping(ping: str) -> None:
    for way in (escape.mrkdwn, escape.markdown):
        assert not LIVE.search(way(f"look {ping} and > {ping}\n> {ping}"))


@given(hostile | st.text())
def test_no_angle_bracket_opens_a_token(text: str) -> None:
    assert "<" not in escape.mrkdwn(text)
    assert "<" not in escape.markdown(text)


def test_mrkdwn_escapes_ampersands_first() -> None:
    assert escape.mrkdwn("a & b < c > d &lt;") == "a &amp; b &lt; c &gt; d &amp;lt;"


def test_markdown_keeps_quotes_and_ampersands() -> None:
    text = "> quoted <b>\n>> twice\n  > indented\na > b & [x](https://a.test?b=1&c=2)"

    assert escape.markdown(text) == (
        "> quoted &lt;b&gt;\n>> twice\n  > indented\na &gt; b & [x](https://a.test?b=1&c=2)"
    )


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "a\tb", "a\u2028b", "a\x0bb", "a\x85b"])
def test_plain_text_is_one_line(text: str) -> None:
    assert escape.plain(text) == "a b"


def test_a_label_without_anything_special_stays_as_it_is() -> None:
    assert escape.plain("  Use <b> & 100 %  of it…  ") == "  Use <b> & 100 %  of it…  "


def test_controls_and_halves_of_characters_are_gone() -> None:
    assert escape.clean("a\x00\x1b[31mb\x7f\ud800") == "a[31mb\ufffd"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("safe \u202egnp.exe", "safe gnp.exe"),
        ("a \u202bb\u202c c", "a \u202bb\u202c c"),
        ("a \u2067b\u2069 c", "a \u2067b\u2069 c"),
        ("\u2069 closes what it did not open", " closes what it did not open"),
        ("\u202e\u2067\u202c\u2069", ""),
        ("\u202eopen\n\u202c", "open\n"),
    ],
)
def test_reordering_ends_where_its_text_does(text: str, shown: str) -> None:
    assert escape.clean(text) == shown


def test_right_to_left_text_among_our_words_is_isolated() -> None:
    assert escape.inline("\u05d0\u05d1") == "\u2068\u05d0\u05d1\u2069"
    assert escape.inline("hello, 世界") == "hello, 世界"


def test_what_is_approved_shows_what_cannot_be_seen() -> None:
    assert escape.visible("rm \u202etxt.\u200b\x1b\U000e0041") == "rm \\u202etxt.\\u200b\\u001b\\ue0041"


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\u2066\u2069", "\n\x00", "\xa0"])
def test_what_shows_nothing_is_blank(text: str) -> None:
    assert escape.is_blank(text)


@given(hostile | st.text(), st.integers(1, 100))
def test_a_cut_text_costs_no_more_than_it_may(text: str, longest: int) -> None:
    assert fit.cost(fit.cut(text, longest)) <= longest
    assert len(fit.shorten(text, longest)) <= longest


@given(hostile | st.text(), st.integers(8, 100))
def test_pieces_lose_nothing_but_space(text: str, longest: int) -> None:
    pieces = fit.pieces(text, longest)

    assert all(0 < fit.cost(piece) <= longest for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


@given(hostile)
def test_cost_is_never_less_than_what_slack_gets(text: str) -> None:
    assert fit.cost(text) >= len(escape.mrkdwn(text))


def test_pieces_break_at_paragraphs_then_lines_then_words() -> None:
    assert fit.pieces("one two\n\nthree four\nfive", 20) == ["one two", "three four\nfive"]
    assert fit.pieces("one two three four five", 12) == ["one two", "three four", "five"]
    assert fit.pieces("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


@pytest.mark.parametrize("cluster", ["👩\u200d👩\u200d👧", "👍🏽", "e\u0301", "❤\ufe0f"])
def test_what_people_see_as_one_character_is_not_cut_apart(cluster: str) -> None:
    for longest in range(2, 12):
        cut = fit.shorten("ab" + cluster * 3, longest).removesuffix("…")
        assert cut.removeprefix("ab") in ("", "a", *(cluster * n for n in range(4)))


@pytest.mark.parametrize(
    ("wanted", "budget", "most"),
    [([10, 10], 100, 10), ([10, 1000], 100, 90), ([500, 500], 100, 50), ([], 5, 0), ([1, 50, 60], 61, 30)],
)
def test_room_is_shared_fairly(wanted: list[int], budget: int, most: int) -> None:
    assert fit.share(wanted, budget) == most
