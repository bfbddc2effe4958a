"""What Slack carries for us comes back as it was sent, and nothing else is taken for it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot import ids
from bot.ids import QuestionRef, UnknownId

HOSTILE = [
    "",
    "/",
    "a/b",
    "question/1/2/3/choice",
    "%2F",
    "..",
    "<!channel>",
    "\x00",
    "שלום",
    "👩‍👩‍👧",
    "a b",
    "null",
    "{}",
]
numbers = st.integers(0, 999)


@given(st.text(max_size=20) | st.sampled_from(HOSTILE), numbers, numbers, st.sampled_from(["choice", "other"]))
@example("000001000", 0, 0, "choice")
def test_a_question_comes_back_from_its_block_id(call_id: str, number: int, revision: int, part: ids.Part) -> None:
    ref = QuestionRef(call_id, number, revision)

    assert QuestionRef.from_block_id(ref.to_block_id(part)) == (ref, part)


def test_block_ids_are_what_the_design_says() -> None:
    assert QuestionRef("000001000", 2, 1).to_block_id("other") == "question/000001000/2/1/other"


@given(
    st.text()
    | st.lists(st.sampled_from(["question", "1", "01", "-1", "٣", "choice", "other", "%41", "%zz"])).map("/".join)
)
def test_a_block_id_has_one_spelling(text: str) -> None:
    try:
        ref, part = QuestionRef.from_block_id(text)
    except UnknownId:
        return
    assert ref.to_block_id(part) == text


@pytest.mark.parametrize(
    "block_id",
    [
        *("", "question", "question/1/0/0", "question/1/0/0/both", "answer/1/0/0/choice", "question/1/0/0/choice/"),
        *("question/1/-1/0/choice", "question/1/01/0/choice", "question/1/٣/0/choice", "question/%41/0/0/choice"),
        "question/1/0/99999999999/choice",
    ],
)
def test_what_is_no_block_id_of_a_question_is_refused_in_words(block_id: str) -> None:
    with pytest.raises(UnknownId) as refused:
        QuestionRef.from_block_id(block_id)

    assert "button" in refused.value.shown


def test_an_id_that_slack_would_refuse_is_never_sent() -> None:
    with pytest.raises(UnknownId):
        QuestionRef("é" * 100, 0, 0).to_block_id("choice")


def test_no_two_actions_have_one_name() -> None:
    names = [ids.SUBMIT, ids.SKIP, ids.CANCEL, ids.SHOW_QUESTIONS, ids.APPROVE, ids.DENY, ids.SHOW_DETAILS, *ids.SILENT]

    assert len(set(names)) == len(names)
