"""The rules of `ask_user_question`, one test each, and what counts as an answer."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agent.core.errors import InvalidAsk
from agent.core.questions import Ask, Option, Question, question
from agent.core.schema import json_schema

ANY_TEXT = st.text(alphabet=st.characters())  # lone surrogates included
NOT_BLANK = ANY_TEXT.filter(lambda text: text.strip())


def parse(*questions: Any) -> Ask:
    return Ask.parse({"questions": list(questions)})


def asked(**fields: Any) -> Question:
    """What a model's question becomes."""
    return parse({"question": "Where to?"} | fields).questions[0]


def problems(arguments: Any) -> tuple[str, ...]:
    with pytest.raises(InvalidAsk) as caught:
        Ask.parse(arguments)
    return caught.value.problems


def problems_of(**fields: Any) -> tuple[str, ...]:
    return problems({"questions": [{"question": "Where to?"} | fields]})


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_an_ask_has_one_to_four_questions(count: int) -> None:
    ask = parse(*({"question": f"Question {number}?"} for number in range(count)))

    assert len(ask.questions) == count


@pytest.mark.parametrize("count", [0, 5])
def test_an_ask_of_no_or_of_five_questions_is_refused(count: int) -> None:
    given = [{"question": f"Question {number}?"} for number in range(count)]

    assert problems({"questions": given}) == (f"questions: {count} given, 1-4 allowed",)


def test_questions_are_required() -> None:
    assert problems({}) == ("questions: is missing",)


@pytest.mark.parametrize("given", [None, 3, {"question": "Where to?"}])
def test_questions_must_be_a_list(given: Any) -> None:
    assert problems({"questions": given}) == ("questions: must be a list",)


@pytest.mark.parametrize("arguments", ["Where to?", None, [], 3])
def test_the_arguments_must_be_an_object(arguments: Any) -> None:
    assert problems(arguments) == ("arguments: must be an object",)


@pytest.mark.parametrize("given", ["Where to?", 3, ["Where to?"]])
def test_a_question_must_be_an_object(given: Any) -> None:
    assert problems({"questions": [given]}) == ("questions[0]: must be an object",)


def test_a_question_needs_its_text() -> None:
    assert problems({"questions": [{"options": ["A", "B"]}]}) == ("questions[0].question: is missing",)


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u2003"])
def test_a_question_must_not_be_blank(blank: str) -> None:
    assert problems_of(question=blank) == ("questions[0].question: must not be blank",)


def test_a_question_must_be_text() -> None:
    assert problems_of(question=["Where to?"]) == ("questions[0].question: must be text",)


def test_a_question_is_unique_within_the_ask() -> None:
    twice = [{"question": "Where to?"}, {"question": "When?"}, {"question": "Where to?"}]

    assert problems({"questions": twice}) == (
        "questions: 'Where to?' is asked twice; answers are keyed by the question, so they must differ",
    )


def test_a_header_may_be_left_out() -> None:
    assert asked().header == ""


def test_a_header_of_twelve_characters_is_taken() -> None:
    assert asked(header="Twelve chars").header == "Twelve chars"


def test_a_header_of_thirteen_characters_is_refused() -> None:
    assert problems_of(header="Thirteen char") == ("questions[0].header: 13 characters given, at most 12 allowed",)


def test_a_header_must_be_text() -> None:
    assert problems_of(header=5) == ("questions[0].header: must be text",)


@pytest.mark.parametrize("labels", [["A", "B"], ["A", "B", "C"], ["A", "B", "C", "D"]])
def test_a_question_has_two_to_four_options(labels: list[str]) -> None:
    assert asked(options=[{"label": label} for label in labels]).labels == tuple(labels)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_question_of_no_one_or_five_options_is_refused(count: int) -> None:
    given = [{"label": str(number)} for number in range(count)]

    assert problems_of(options=given) == (
        f"questions[0].options: {count} given, 2-4 allowed (leave options out for a free-text question)",
    )


def test_a_question_without_options_is_a_free_text_question() -> None:
    assert asked().options == ()


@pytest.mark.parametrize("given", [3, {"label": "A"}])
def test_options_must_be_a_list(given: Any) -> None:
    assert problems_of(options=given) == ("questions[0].options: must be a list",)


def test_an_option_may_have_a_description() -> None:
    first, second = asked(options=[{"label": "A", "description": "the safe one"}, {"label": "B"}]).options

    assert (first.description, second.description) == ("the safe one", "")


def test_an_option_needs_a_label() -> None:
    given = [{"label": "A"}, {"description": "B"}]

    assert problems_of(options=given) == ("questions[0].options[1].label: is missing",)


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_a_label_must_not_be_blank(blank: str) -> None:
    given = [{"label": "A"}, {"label": blank}]

    assert problems_of(options=given) == ("questions[0].options[1].label: must not be blank",)


@pytest.mark.parametrize("label", [True, ["A"], {"text": "A"}])
def test_a_label_must_be_text(label: Any) -> None:
    given = [{"label": label}, {"label": "B"}]

    assert problems_of(options=given) == ("questions[0].options[0].label: must be text",)


def test_labels_are_unique_within_the_question() -> None:
    assert problems_of(options=["A", "B", "A"]) == (
        "questions[0].options: the label 'A' is given twice; labels must differ",
    )


def test_two_questions_may_have_the_same_labels() -> None:
    yes_no = {"options": ["Yes", "No"]}

    ask = parse({"question": "This?"} | yes_no, {"question": "That?"} | yes_no)

    assert [q.labels for q in ask.questions] == [("Yes", "No"), ("Yes", "No")]


def test_multi_select_is_false_by_default() -> None:
    assert asked(options=["A", "B"]).multi_select is False


def test_multi_select_can_be_true() -> None:
    assert asked(options=["A", "B"], multiSelect=True).multi_select is True


@pytest.mark.parametrize("spelling", ["multiSelect", "multi_select", "allowCustom", "allow_custom"])
def test_a_switch_must_be_true_or_false(spelling: str) -> None:
    found = problems_of(options=["A", "B"], **{spelling: "maybe"})

    assert found == (f"questions[0].{spelling}: must be true or false",)


def test_custom_answers_are_allowed_by_default() -> None:
    assert asked(options=["A", "B"]).allow_custom is True


@pytest.mark.parametrize("spelling", ["allowCustom", "allow_custom"])
def test_custom_answers_can_be_ruled_out(spelling: str) -> None:
    assert asked(options=["A", "B"], **{spelling: False}).allow_custom is False


def test_custom_answers_cannot_be_ruled_out_where_there_is_nothing_to_pick() -> None:
    assert problems_of(allowCustom=False) == (
        "questions[0].allowCustom: false, but without options free text is the only answer",
    )


def test_a_default_may_be_left_out() -> None:
    assert asked(options=["A", "B"]).default == ""


def test_a_default_is_one_of_the_labels() -> None:
    assert asked(options=["A", "B"], default="B").default == "B"


@pytest.mark.parametrize(("index", "label"), [(0, "A"), (1, "B")])
def test_a_default_may_be_an_index(index: int, label: str) -> None:
    assert asked(options=["A", "B"], default=index).default == label


@pytest.mark.parametrize("default", ["C", "a", 2, -1])
def test_a_default_that_is_none_of_the_labels_is_refused(default: Any) -> None:
    assert problems_of(options=["A", "B"], default=default) == (
        f"questions[0].default: '{default}' is none of the labels",
    )


def test_a_free_text_question_has_no_default() -> None:
    assert problems_of(default="A") == ("questions[0].default: 'A' is none of the labels",)


@pytest.mark.parametrize("default", [True, 1.5, ["A"]])
def test_a_default_must_be_text_or_an_index(default: Any) -> None:
    assert problems_of(options=["A", "B"], default=default) == ("questions[0].default: must be text",)


def test_wrong_options_do_not_put_the_blame_on_the_default_too() -> None:
    (problem,) = problems_of(options=["A"], default="A")

    assert problem.startswith("questions[0].options:")


def test_each_problem_is_a_sentence_that_says_where() -> None:
    wrong = [{"question": " "}, {"question": "Where to?", "options": ["A", "B", "C", "D", "E"]}]

    assert problems({"questions": wrong}) == (
        "questions[0].question: must not be blank",
        "questions[1].options: 5 given, 2-4 allowed (leave options out for a free-text question)",
    )


def test_the_problems_are_one_line_each_in_the_error_itself() -> None:
    with pytest.raises(InvalidAsk) as caught:
        parse({"question": " "}, {"question": "\n"})

    assert str(caught.value) == "\n".join(caught.value.problems)


# What models really send.


def test_questions_may_be_a_string_of_json() -> None:
    given = [{"question": "Where to?", "options": ["A", "B"]}]

    assert Ask.parse({"questions": json.dumps(given)}) == parse(*given)


def test_options_may_be_a_string_of_json() -> None:
    assert asked(options='["A", {"label": "B"}]').labels == ("A", "B")


@pytest.mark.parametrize("given", ["Where to?", "[{", ""])
def test_questions_in_a_string_that_is_not_json_are_refused(given: str) -> None:
    (problem,) = problems({"questions": given})

    assert problem.startswith("questions: is a string that is not valid JSON (")
    assert problem.endswith("); send a list")


def test_a_string_of_json_that_holds_no_list_is_refused() -> None:
    assert problems({"questions": '"Where to?"'}) == ("questions: must be a list",)


def test_a_string_of_json_nested_too_deeply_is_refused() -> None:
    (problem,) = problems({"questions": "[" * 100_000})

    assert problem.startswith("questions: ")


@pytest.mark.parametrize("spelling", ["multiSelect", "multi_select"])
def test_multi_select_may_be_spelt_either_way(spelling: str) -> None:
    assert asked(options=["A", "B"], **{spelling: True}).multi_select is True


def test_options_may_be_plain_strings() -> None:
    assert asked(options=["A", "B"]).options == (Option(label="A"), Option(label="B"))


def test_plain_strings_and_objects_may_be_mixed() -> None:
    assert asked(options=["A", {"label": "B", "description": "b"}]).labels == ("A", "B")


def test_options_may_be_numbers() -> None:
    assert asked(options=[1, {"label": 2.5}]).labels == ("1", "2.5")


@pytest.mark.parametrize(
    "field", ["header", "options", "multiSelect", "multi_select", "allowCustom", "allow_custom", "default"]
)
def test_null_stands_for_what_is_left_out(field: str) -> None:
    assert asked(**{field: None}) == asked()


def test_a_description_of_null_is_left_out() -> None:
    assert asked(options=[{"label": "A", "description": None}, "B"]).options[0] == Option(label="A")


def test_an_option_of_null_is_refused() -> None:
    assert problems_of(options=["A", None]) == ("questions[0].options[1]: must be an object",)


def test_unknown_fields_are_ignored() -> None:
    given = {"question": "Where to?", "priority": 1, "options": ["A", {"label": "B", "icon": "b"}]}

    assert Ask.parse({"questions": [given], "title": "x"}) == parse({"question": "Where to?", "options": ["A", "B"]})


FIELDS = ("questions", "question", "header", "options", "label", "multiSelect", "default")
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(ANY_TEXT, inner, max_size=3)
        | st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, inner))
    ),
    max_leaves=12,
)


@given(JUNK | st.builds(lambda junk: {"questions": junk}, JUNK | st.builds(json.dumps, JUNK)))
def test_anything_a_model_sends_is_an_ask_or_a_list_of_problems(arguments: Any) -> None:
    try:
        count, found = len(Ask.parse(arguments).questions), ()
    except InvalidAsk as error:
        count, found = 0, error.problems

    assert bool(count) != bool(found)
    assert all(": " in problem for problem in found)


# Text.


@given(NOT_BLANK, NOT_BLANK, ANY_TEXT)
def test_every_text_can_be_stored(text: str, label: str, description: str) -> None:
    ask = parse({"question": text, "options": [{"label": label, "description": description}, label + "!"]})

    assert Ask.parse(json.loads(ask.to_json().encode())) == ask


def test_text_keeps_every_character_that_can_be_stored() -> None:
    assert asked(question="Où? 去哪 😀 \x00").question == "Où? 去哪 😀 \x00"


def test_half_of_a_surrogate_pair_becomes_a_question_mark() -> None:
    assert asked(question="Where \ud83d to").question == "Where ? to"


def test_a_default_with_half_of_a_surrogate_pair_still_names_its_label() -> None:
    assert asked(options=["A\ud83d", "B"], default="A\ud83d").default == "A?"


# The values.


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (Ask(questions=(Question(question="Why?"),)), "questions"),
        (Question(question="Why?"), "question"),
        (Option(label="A"), "label"),
    ],
)
def test_an_ask_its_questions_and_their_options_are_immutable(value: Any, field: str) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        setattr(value, field, "other")


def test_a_list_that_changes_afterwards_does_not_change_the_ask() -> None:
    options = ["A", "B"]
    made = asked(options=options)

    options.append("C")

    assert made.labels == ("A", "B")


def test_a_question_built_in_code_reads_like_one() -> None:
    built = question("Where to?", ("Staging", "safe to break"), "Production", header="Target", multi_select=True)

    assert built == asked(
        header="Target",
        options=[{"label": "Staging", "description": "safe to break"}, "Production"],
        multiSelect=True,
    )


def test_a_question_takes_options_that_are_options_already() -> None:
    options = (Option(label="Staging", description="safe to break"), Option(label="Production"))

    assert Question(question="Where to?", options=options).options == options


def test_a_question_built_in_code_may_be_free_text() -> None:
    assert question("Why?") == Question(question="Why?")


def test_a_question_built_in_code_keeps_the_rules() -> None:
    with pytest.raises(InvalidAsk, match="1 given, 2-4 allowed"):
        question("Where to?", "Staging")


def test_a_brief_question_decides_the_same_with_less() -> None:
    whole = question(
        "Where?", ("A", "the first"), "B", header="Target", default="B", multi_select=True, allow_custom=False
    )

    assert whole.brief() == question("Where?", "A", "B", multi_select=True, allow_custom=False)


@st.composite
def valid_questions(draw: st.DrawFn) -> dict[str, Any]:
    """A question as the schema asks for it."""
    made: dict[str, Any] = {"question": draw(NOT_BLANK)}
    labels = draw(st.lists(NOT_BLANK, min_size=2, max_size=4) | st.just([]))
    if labels:
        made["options"] = [{"label": f"{n} {text}"} for n, text in enumerate(labels)]
        for option in made["options"]:
            if draw(st.booleans()):
                option["description"] = draw(ANY_TEXT)
        if draw(st.booleans()):
            made["default"] = draw(st.sampled_from(made["options"]))["label"]
        if draw(st.booleans()):
            made["allowCustom"] = draw(st.booleans())
    if draw(st.booleans()):
        made["header"] = draw(st.text(alphabet=st.characters(), max_size=12))
    if draw(st.booleans()):
        made["multiSelect"] = draw(st.booleans())
    return made


@st.composite
def valid_asks(draw: st.DrawFn) -> dict[str, Any]:
    made = draw(st.lists(valid_questions(), min_size=1, max_size=4))
    for number, asks in enumerate(made):
        asks["question"] = f"{number}. {asks['question']}"
    return {"questions": made}


@given(valid_asks())
def test_an_ask_survives_its_json(arguments: dict[str, Any]) -> None:
    ask = Ask.parse(arguments)

    assert Ask.parse(json.loads(ask.to_json())) == ask


def test_json_spells_the_fields_as_the_schema_does() -> None:
    made = question("Where to?", "A", "B", multi_select=True, allow_custom=False)

    assert json.loads(made.to_json()) == {
        "question": "Where to?",
        "options": [{"label": "A"}, {"label": "B"}],
        "multiSelect": True,
        "allowCustom": False,
    }


# The schema that the model is offered.

SCHEMA = json_schema(Ask)
QUESTION_SCHEMA = SCHEMA["properties"]["questions"]["items"]
TYPES: dict[str, type] = {"object": dict, "array": list, "string": str, "boolean": bool}


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """As much of JSON Schema as ours uses."""
    if not isinstance(value, TYPES[schema["type"]]):
        return False
    if isinstance(value, str):
        return len(value) <= schema.get("maxLength", len(value))
    if isinstance(value, list):
        count = schema["minItems"] <= len(value) <= schema["maxItems"]
        return count and all(fits(item, schema["items"]) for item in value)
    if isinstance(value, dict):
        known = all(key in schema["properties"] for key in value)
        required = all(key in value for key in schema["required"])
        return known and required and all(fits(value[key], schema["properties"][key]) for key in value)
    return True


def keywords(schema: Any) -> set[str]:
    """Every keyword in a schema, but not the names of properties."""
    if isinstance(schema, list):
        return {key for item in schema for key in keywords(item)}
    if not isinstance(schema, dict):
        return set()
    found = set(schema)
    for key, value in schema.items():
        inner = list(value.values()) if key == "properties" else value
        found |= keywords(inner)
    return found


@given(valid_asks())
def test_what_fits_the_schema_is_taken(arguments: dict[str, Any]) -> None:
    assert fits(arguments, SCHEMA)
    assert len(Ask.parse(arguments).questions) == len(arguments["questions"])


@given(valid_asks())
def test_what_is_taken_is_stored_in_the_shape_of_the_schema(arguments: dict[str, Any]) -> None:
    assert fits(json.loads(Ask.parse(arguments).to_json()), SCHEMA)


def test_the_schema_refers_to_nothing_and_uses_only_plain_keywords() -> None:
    assert keywords(SCHEMA) == {
        *("type", "properties", "required", "items", "minItems", "maxItems"),
        *("maxLength", "description", "default"),
    }


def test_the_schema_asks_for_one_to_four_questions() -> None:
    questions = SCHEMA["properties"]["questions"]

    assert (questions["minItems"], questions["maxItems"]) == (1, 4)
    assert SCHEMA["required"] == ["questions"]


def test_the_schema_asks_for_two_to_four_options_or_none() -> None:
    options = QUESTION_SCHEMA["properties"]["options"]

    assert (options["minItems"], options["maxItems"]) == (2, 4)
    assert "default" not in options
    assert QUESTION_SCHEMA["required"] == ["question"]


def test_the_schema_limits_the_header() -> None:
    assert QUESTION_SCHEMA["properties"]["header"]["maxLength"] == 12


def test_the_schema_names_each_field_once_as_the_design_does() -> None:
    fields = {"question", "header", "options", "multiSelect", "allowCustom", "default"}

    assert set(QUESTION_SCHEMA["properties"]) == fields
    assert set(QUESTION_SCHEMA["properties"]["options"]["items"]["properties"]) == {"label", "description"}


def test_every_field_of_the_schema_says_what_it_is_for() -> None:
    option = QUESTION_SCHEMA["properties"]["options"]["items"]

    assert all(field["description"] for field in QUESTION_SCHEMA["properties"].values())
    assert all(field["description"] for field in option["properties"].values())


# What counts as an answer.

ONE = question("One?", "Red", "Green", "Blue")
MANY = question("Many?", "Red", "Green", "Blue", multi_select=True)
PICK = question("Pick?", "Red", "Green", allow_custom=False)
FREE = question("Free?")


def test_a_picked_option_is_answered_with_its_label() -> None:
    assert ONE.answer([1]) == "Green"


def test_what_was_typed_wins_over_a_radio_button() -> None:
    assert ONE.answer([1], "Purple") == "Purple"


def test_a_blank_text_does_not_win_over_a_radio_button() -> None:
    assert ONE.answer([1], "  \n") == "Green"


def test_several_labels_are_joined_in_the_order_of_the_options() -> None:
    assert MANY.answer([2, 0]) == "Red, Blue"


def test_a_typed_text_follows_the_labels_where_several_may_be_picked() -> None:
    assert MANY.answer([2, 0], "Purple") == "Red, Blue, Purple"


def test_a_typed_text_alone_answers_where_several_may_be_picked() -> None:
    assert MANY.answer((), "Purple") == "Purple"


def test_a_typed_text_is_kept_as_typed_but_for_the_space_around_it() -> None:
    assert FREE.answer(text="  because,  it  is\n") == "because,  it  is"


def test_a_typed_text_does_not_count_where_custom_answers_are_ruled_out() -> None:
    assert PICK.answer([0], "Purple") == "Red"
    assert PICK.answer((), "Purple") == ""


@pytest.mark.parametrize("asks", [ONE, MANY, PICK, FREE])
def test_nothing_picked_and_nothing_typed_is_no_answer(asks: Question) -> None:
    assert asks.answer((), " ") == ""


def test_an_option_picked_twice_counts_once() -> None:
    assert MANY.answer([1, 1]) == "Green"


@pytest.mark.parametrize("number", [-1, 3, 99])
def test_an_option_that_does_not_exist_is_not_picked(number: int) -> None:
    assert ONE.answer([number]) == ""
    assert MANY.answer([number, 0]) == "Red"


def test_a_long_label_is_answered_in_full() -> None:
    label = "long " * 50

    assert question("Which?", label, "short").answer([0]) == label


@pytest.mark.parametrize("reply", ["Green", " Green\n", "green", "GREEN"])
def test_a_reply_of_exactly_a_label_is_that_label(reply: str) -> None:
    assert ONE.match(reply) == "Green"


@pytest.mark.parametrize(("reply", "label"), [("1", "Red"), (" 3 ", "Blue"), ("02", "Green")])
def test_a_reply_of_a_number_is_the_label_with_that_number(reply: str, label: str) -> None:
    assert ONE.match(reply) == label


@pytest.mark.parametrize("reply", ["0", "4", "-1", "1.", "1.0", "٢", "²", "1" * 5000])
def test_a_number_that_no_option_has_is_no_answer(reply: str) -> None:
    assert ONE.match(reply) is None


@pytest.mark.parametrize("reply", ["", " ", "Gree", "Green!", "Green please", "not Green", "Red, Green"])
def test_a_reply_that_only_holds_a_label_is_no_answer(reply: str) -> None:
    assert ONE.match(reply) is None


def test_a_label_that_is_a_number_comes_before_the_number() -> None:
    assert question("How many?", "2", "1").match("1") == "1"


def test_labels_that_differ_only_in_case_need_their_case() -> None:
    both = question("Which?", "go", "Go")

    assert (both.match("Go"), both.match("go"), both.match("GO")) == ("Go", "go", None)


@pytest.mark.parametrize("reply", ["Blue, Red", "3,1", "red, 3", "1,3,1"])
def test_a_reply_may_name_several_labels_where_several_may_be_picked(reply: str) -> None:
    assert MANY.match(reply) == "Red, Blue"


@pytest.mark.parametrize("reply", ["Red, Purple", "Red,", ",", "1 3", "1,9"])
def test_a_reply_in_which_one_part_is_no_option_is_no_answer(reply: str) -> None:
    assert MANY.match(reply) is None


def test_a_label_with_a_comma_is_still_a_label() -> None:
    assert question("Which?", "Red, dark", "Blue", multi_select=True).match("Red, dark") == "Red, dark"


@pytest.mark.parametrize("reply", ["1", "because", ""])
def test_a_free_text_question_has_no_label_to_match(reply: str) -> None:
    assert FREE.match(reply) is None


@given(st.lists(NOT_BLANK, min_size=2, max_size=4), st.booleans(), ANY_TEXT)
def test_a_match_is_made_of_labels_only(labels: list[str], multi: bool, reply: str) -> None:
    numbered = [f"{number}. {label}" for number, label in enumerate(labels)]
    asks = question("Which?", *numbered, multi_select=multi)

    matched = asks.match(reply)

    assert matched is None or any(label in matched for label in asks.labels)


@given(valid_questions())
def test_every_label_matches_itself_and_is_what_picking_it_gives(given: dict[str, Any]) -> None:
    asks = parse(given).questions[0]

    for number, label in enumerate(asks.labels):
        assert asks.match(label) == asks.answer([number]) == label


@given(valid_questions(), st.sets(st.integers(-1, 5)), ANY_TEXT)
def test_an_answer_is_blank_only_if_nothing_was_given(given: dict[str, Any], chosen: set[int], text: str) -> None:
    asks = parse(given).questions[0]
    picked = [number for number in chosen if 0 <= number < len(asks.options)]

    answer = asks.answer(chosen, text)

    assert bool(answer) == bool(picked or (asks.allow_custom and text.strip()))
