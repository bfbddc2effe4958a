"""The form and its receipt fit Slack whatever the texts, and every answer comes back with its full label."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.asks import Ending, How, OpenAsk, ShownAsk
from agent.core.questions import Ask, Question, question
from agent.core.values import Person
from bot import ids, inbound
from bot.blocks import escape, limits
from bot.blocks.form import form, questions_view
from bot.blocks.parts import Block, Rendered
from bot.blocks.receipt import receipt
from bot.playground.blocks import faults

ANSWERED = Ending(call_id="c", how="answered")

ANN = Person(id="U1", name="Ann")
CALL = "000001000"
LINE: Block = {"type": "divider"}
WHERE = question("Where to?", ("Staging", "safe to break"), "Production", header="Target", default="Staging")
DAYS = question("Which days?", "Monday", "Tuesday", multiSelect=True, allowCustom=False)
WHY = question("Why?")


def shown(*questions: Question, answers: dict[int, str] | None = None, by: Person = ANN) -> ShownAsk:
    ask = Ask(questions=questions)
    opened, _ = OpenAsk.of(CALL, ask).taking(answers or {}, by)
    return ShownAsk(ask, opened)


def texts_of(node: Any) -> list[str]:
    """Every text in the blocks, in their order."""
    if isinstance(node, list):
        return [text for item in node for text in texts_of(item)]
    if not isinstance(node, dict):
        return []
    own = [node["text"]] if isinstance(node.get("text"), str) else []
    return own + [text for value in node.values() for text in texts_of(value)]


def inputs(rendered: Rendered) -> dict[str, Block]:
    return {block["block_id"]: block for block in rendered.blocks if block["type"] == "input"}


def check(rendered: Rendered) -> None:
    assert faults(rendered.blocks, "message") == []
    assert len(json.dumps(rendered.blocks, ensure_ascii=False)) < 13_000
    for text in [rendered.text, *texts_of([block for block in rendered.blocks if block["type"] != "input"])]:
        assert "<" not in text
        assert not escape.is_blank(text)
    assert 0 < len(rendered.text) <= limits.MESSAGE_TEXT
    assert all(not escape.is_blank(text) for text in texts_of(rendered.blocks))


BUTTONS = {
    "type": "actions",
    "elements": [
        {
            "type": "button",
            "text": {"type": "plain_text", "text": "Submit"},
            "action_id": "ask.submit",
            "value": CALL,
            "style": "primary",
        },
        {"type": "button", "text": {"type": "plain_text", "text": "Skip"}, "action_id": "ask.skip", "value": CALL},
        {
            "type": "button",
            "text": {"type": "plain_text", "text": "Cancel"},
            "action_id": "ask.cancel",
            "value": CALL,
            "style": "danger",
        },
    ],
}


def mrkdwn(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def small(text: str) -> Block:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text}]}


def option(number: int, label: str, description: str = "") -> Block:
    described = {"description": {"type": "plain_text", "text": description}} if description else {}
    return {"text": {"type": "plain_text", "text": label}, "value": str(number)} | described


def field(number: int, label: str, placeholder: str = "") -> Block:
    held = {"placeholder": {"type": "plain_text", "text": placeholder}} if placeholder else {}
    return {
        "type": "input",
        "block_id": f"question/{CALL}/{number}/0/other",
        "optional": True,
        "label": {"type": "plain_text", "text": label},
        "element": {"type": "plain_text_input", "action_id": "other", "multiline": True, "max_length": 3000} | held,
    }


def choice(number: int, label: str, kind: str, *options: Block) -> Block:
    return {
        "type": "input",
        "block_id": f"question/{CALL}/{number}/0/choice",
        "optional": True,
        "label": {"type": "plain_text", "text": label},
        "element": {"type": kind, "action_id": "choice", "options": list(options)},
    }


def test_one_question_is_its_text_its_options_a_field_and_the_buttons() -> None:
    rendered = form(shown(WHERE))

    assert rendered.blocks == [
        mrkdwn("*Target*\nWhere to?"),
        small("Suggested: Staging"),
        choice(
            0,
            "Your choice",
            "radio_buttons",
            option(0, "Staging", "safe to break"),
            option(1, "Production"),
        ),
        field(0, "Other", "Counts instead of a choice above"),
        BUTTONS,
    ]
    assert rendered.text == (
        "A question for you: Where to?\nOptions: 1. Staging (safe to break); 2. Production\nSuggested: Staging"
    )


def test_several_questions_follow_in_order_and_each_label_says_which() -> None:
    rendered = form(shown(WHERE, DAYS, WHY))

    assert rendered.blocks == [
        mrkdwn("*1. Target*\nWhere to?"),
        small("Suggested: Staging"),
        choice(
            0,
            "Your choice (1. Target)",
            "radio_buttons",
            option(0, "Staging", "safe to break"),
            option(1, "Production"),
        ),
        field(0, "Other (1. Target)", "Counts instead of a choice above"),
        mrkdwn("*Question 2*\nWhich days?"),
        choice(1, "Choose any that apply (Question 2)", "checkboxes", option(0, "Monday"), option(1, "Tuesday")),
        mrkdwn("*Question 3*\nWhy?"),
        field(2, "Your answer (Question 3)"),
        BUTTONS,
    ]
    assert rendered.text == (
        "3 questions for you:\n"
        "1. Where to?\nOptions: 1. Staging (safe to break); 2. Production\nSuggested: Staging\n"
        "2. Which days?\nOptions: 1. Monday; 2. Tuesday\n"
        "3. Why?"
    )


def test_an_answered_question_shows_its_answer_and_the_others_keep_their_ids() -> None:
    before = form(shown(WHERE, DAYS, WHY))
    after = form(shown(WHERE, DAYS, WHY, answers={0: "Staging"}))

    assert after.blocks == [
        mrkdwn("*1. Target*\nWhere to?"),
        mrkdwn("Answered by Ann:\n> Staging"),
        *before.blocks[4:-1],
        small("Still open: Question 2, Question 3"),
        BUTTONS,
    ]
    assert "1. Where to?\nAnswered by Ann: Staging\n" in after.text


def test_a_new_revision_gives_every_input_a_new_id() -> None:
    assert not inputs(form(shown(WHERE, WHY))).keys() & inputs(form(shown(WHERE, WHY), revision=1)).keys()


def test_an_overlong_option_is_shown_in_full_above_and_shortened_in_its_place() -> None:
    long = "Roll the whole fleet forward in waves of ten per cent, watching the error rate between them"
    described = (
        "Takes two hours; can be stopped between waves, and rolls back by itself if errors go above one per cent"
    )
    rendered = form(shown(question("How?", (long, "slow"), ("At once", described), "Not at all")))

    assert rendered.blocks[1] == mrkdwn(f"1. {long}: slow\n2. At once: {described}")
    assert rendered.blocks[2]["element"]["options"] == [
        option(0, "1. Roll the whole fleet forward in waves of ten per cent, watching the err…", "slow"),
        option(1, "At once", "Takes two hours; can be stopped between waves, and rolls back by itself if…"),
        option(2, "Not at all"),
    ]


@pytest.mark.parametrize(
    "labels", [("x" * 90, "x" * 91), ("a\nb", "a b"), ("\u200b", "\u2060"), ("1. " + "y" * 71 + "…", "y" * 80)]
)
def test_shortened_labels_can_be_told_apart(labels: tuple[str, str]) -> None:
    options = inputs(form(shown(question("Which?", *labels))))[f"question/{CALL}/0/0/choice"]["element"]["options"]

    assert len({option["text"]["text"] for option in options}) == 2


def test_a_label_that_just_fits_is_the_options_text() -> None:
    label = "🚀" * 75
    options = inputs(form(shown(question("Which?", label, "b"))))[f"question/{CALL}/0/0/choice"]["element"]["options"]

    assert options[0]["text"]["text"] == label


def test_a_question_of_4000_characters_is_shown_whole_over_several_sections() -> None:
    text = "\n\n".join(f"{n}. " + "word " * 60 for n in range(13)) + "?"
    rendered = form(shown(question(text, "Yes", "No")))
    sections = [block["text"]["text"] for block in rendered.blocks if block["type"] == "section"]

    assert len(sections) == 2
    assert "".join("".join(sections).split()) == "".join(text.split())
    assert all(section.startswith(("0.", "7.", "8.", "9.")) for section in sections)


def test_four_questions_of_40000_characters_still_fit_and_can_be_read_elsewhere() -> None:
    huge = [question(f"{n} " + "<!channel> & so on\n" * 2_000, "a" * 5_000, "b" * 5_000) for n in range(4)]
    rendered = form(shown(*huge))

    check(rendered)
    assert rendered.blocks[-1]["elements"][0]["action_id"] == ids.SHOW_QUESTIONS
    assert rendered.blocks[-2] == BUTTONS
    view = questions_view(Ask(questions=tuple(huge)))
    assert faults(view["blocks"], "modal") == []
    assert len(json.dumps(view)) < limits.VIEW_BYTES


def test_the_view_of_every_question_has_all_of_it() -> None:
    asked = [question(f"{n} " + "why " * 1_500, "a" * 500, "b") for n in range(4)]
    view = questions_view(Ask(questions=tuple(asked)))
    words = "".join("".join(texts_of(view["blocks"])).split())

    assert faults(view["blocks"], "modal") == []
    assert all("".join(question.question.split()) in words for question in asked)
    assert words.count("a" * 500) == 4


def test_nothing_in_a_question_can_ping() -> None:
    evil = "<!channel> <@U0ANN0001> <!subteam^S1|@ops> *bold* `code`"
    rendered = form(shown(question(evil, (f"a {evil}", evil), "b", default=f"a {evil}")))

    check(rendered)
    assert "&lt;!channel&gt;" in rendered.text


pieces = st.sampled_from(
    [
        "<!channel>",
        "<@U1>",
        "&",
        "\n",
        "\r\n",
        "```",
        "*",
        "👩\u200d👩\u200d👧",
        "\u202e",
        "\u2067",
        "\u05d0",
        "\x00",
        '"',
        "\\",
        "\ud800",
    ]
)
words = st.text(max_size=30) | st.lists(pieces, max_size=12).map("".join)
prose = words | st.builds(lambda text, times: text * times, words, st.sampled_from([1, 3, 50, 2_000]))


def not_blank(text: str) -> bool:
    return bool(text.encode("utf-8", "replace").decode().strip())


@st.composite
def asks(draw: st.DrawFn) -> Ask:
    questions = []
    for text in draw(st.lists(prose.filter(not_blank), min_size=1, max_size=4)):
        given: dict[str, Any] = {
            "question": f"{len(questions)}{text}",
            "header": draw(st.text(max_size=12) | st.just("*<&>*")),
        }
        if draw(st.booleans()):
            labels = draw(
                st.lists(
                    prose.filter(not_blank), min_size=2, max_size=4, unique_by=lambda t: t.encode("utf-8", "replace")
                )
            )
            given["options"] = [{"label": label, "description": draw(prose)} for label in labels]
            given |= {"multiSelect": draw(st.booleans()), "allowCustom": draw(st.booleans())}
            given |= {"default": draw(st.integers(0, 1))} if draw(st.booleans()) else {}
        questions.append(given)
    return Ask.parse({"questions": questions})


def filled_in(rendered: Rendered, choose: Any, typed: Any) -> dict[str, Any]:
    """What Slack sends of a form when someone has used it."""
    values: dict[str, Any] = {}
    for block_id, block in inputs(rendered).items():
        element = block["element"]
        state: dict[str, Any] = {"type": element["type"]}
        if element["type"] == "plain_text_input":
            state["value"] = typed()
        elif element["type"] == "radio_buttons":
            state["selected_option"] = next(iter(choose(element["options"])), None)
        else:
            state["selected_options"] = choose(element["options"])
        values[block_id] = {element["action_id"]: state}
    return values


def click(action: Block, values: dict[str, Any]) -> Any:
    body = {
        "type": "block_actions",
        "team": {"id": "T1"},
        "user": {"id": "U1", "team_id": "T1"},
        "container": {"message_ts": "2.0", "channel_id": "C1"},
        "message": {"ts": "2.0", "thread_ts": "1.0"},
        "state": {"values": values},
        "actions": [action | {"action_ts": "3.0"}],
    }
    return inbound.parse(body, "U0")


@given(asks(), st.data())
def test_any_ask_gives_a_form_that_slack_takes_and_every_answer_comes_back_whole(ask: Ask, data: st.DataObject) -> None:
    opened = ShownAsk(ask, OpenAsk.of(CALL, ask))
    rendered = form(opened)
    check(rendered)
    picked: list[list[Block]] = []

    def choose(options: list[Block]) -> list[Block]:
        picked.append(data.draw(st.lists(st.sampled_from(options), unique_by=lambda o: o["value"])))
        return picked[-1]

    values = filled_in(rendered, choose, lambda: data.draw(st.sampled_from([None, "", " ", "words <of> mine"])))
    (submit,) = [
        e for b in rendered.blocks if b["type"] == "actions" for e in b["elements"] if e["action_id"] == ids.SUBMIT
    ]
    submitted = click(submit, values)

    for number, asked in enumerate(ask.questions):
        other = values.get(f"question/{CALL}/{number}/0/other", {}).get("other", {}).get("value") or ""
        state = values.get(f"question/{CALL}/{number}/0/choice", {}).get("choice", {})
        chosen = [o for o in [state.get("selected_option"), *state.get("selected_options", [])] if o]
        labels = [label for n, label in enumerate(asked.labels) if str(n) in {o["value"] for o in chosen}]
        expected = [*labels, other.strip()] if asked.multi_select else [other.strip() or next(iter(labels), "")]
        given_back = submitted.choices.get(number, inbound.Picked())
        assert asked.answer(given_back.chosen, given_back.text) == ", ".join(filter(None, expected))


endings = st.builds(
    Ending,
    call_id=st.just("c"),
    how=st.sampled_from(["answered", "skipped", "cancelled", "expired", "stopped", "failed", "response"]),
    by=st.builds(Person, name=prose),
    words=prose,
)


@given(asks(), st.dictionaries(st.integers(0, 3), prose.filter(not_blank)), st.builds(Person, name=prose), endings)
def test_any_answers_give_a_form_and_a_receipt_that_slack_takes(
    ask: Ask, answers: dict[int, str], by: Person, ending: Ending
) -> None:
    known = {number: words for number, words in answers.items() if number < len(ask.questions)}
    opened = ShownAsk(ask, OpenAsk.of(CALL, ask).taking(known, by)[0])

    check(form(opened))
    closed = receipt(opened, ending)
    check(closed)
    assert not inputs(closed)
    assert "actions" not in {block["type"] for block in closed.blocks}


def test_a_receipt_says_what_was_answered_and_by_whom() -> None:
    closed = receipt(shown(WHERE, WHY, answers={0: "Staging", 1: "two lines\n> and *stars*"}), ANSWERED)

    assert closed.blocks == [
        LINE,
        mrkdwn("*✓ Answered by Ann*"),
        mrkdwn("*1. Target*\nWhere to?"),
        mrkdwn("> Staging"),
        mrkdwn("*Question 2*\nWhy?"),
        mrkdwn("> two lines\n> &gt; and *stars*"),
        LINE,
    ]
    assert closed.text == (
        "✓ Answered by Ann\nWhere to?\nStaging (answered by Ann)\nWhy?\ntwo lines &gt; and *stars* (answered by Ann)"
    )


def test_a_receipt_of_several_peoples_answers_says_whose_each_is() -> None:
    by_ann = shown(WHERE, WHY, answers={0: "Staging"})
    both = ShownAsk(by_ann.ask, by_ann.open.taking({1: "because"}, Person(id="U2", name="Ben"))[0])

    assert receipt(both, ANSWERED).blocks == [
        LINE,
        mrkdwn("*✓ Answered*"),
        mrkdwn("*1. Target*\nWhere to?"),
        mrkdwn("Answered by Ann:\n> Staging"),
        mrkdwn("*Question 2*\nWhy?"),
        mrkdwn("Answered by Ben:\n> because"),
        LINE,
    ]


def test_a_receipt_of_half_the_answers_says_which_half() -> None:
    half = receipt(shown(WHERE, WHY, answers={0: "Staging"}), Ending(call_id="c", how="cancelled", by=ANN))

    assert half.blocks == [
        LINE,
        mrkdwn("*✕ Not all answered*"),
        mrkdwn("*1. Target*\nWhere to?"),
        mrkdwn("Answered by Ann:\n> Staging"),
        mrkdwn("*Question 2*\nWhy?"),
        small("Not answered"),
        LINE,
    ]


@pytest.mark.parametrize(
    ("how", "words", "first"),
    [
        ("skipped", "", "*→ Skipped by Ann: the agent decides*"),
        ("cancelled", "", "*✕ Not answered*"),
        ("expired", "", "*✕ Expired: nobody answered in time*"),
        ("stopped", "", "*✕ Not answered*"),
        ("failed", "", "*✕ Closed: the run failed*"),
        ("response", "neither\nof them", "*✓ Answered in words by Ann*\n> neither\n> of them"),
    ],
)
def test_a_receipt_says_above_all_how_it_ended(how: How, words: str, first: str) -> None:
    closed = receipt(shown(WHERE), Ending(call_id="c", how=how, by=ANN, words=words))

    assert closed.blocks == [LINE, mrkdwn(first), mrkdwn("*Target*\nWhere to?"), LINE]
    assert closed.text.splitlines()[1:] == ["Where to?", "Not answered"]


def test_a_long_answer_is_read_whole_in_the_receipt() -> None:
    words = "word " * 599 + "end"
    closed = receipt(shown(WHY, answers={0: words}), ANSWERED)

    assert "".join(texts_of(closed.blocks)).count("word") == 599
