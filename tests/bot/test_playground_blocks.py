"""The local Slack's block rules, each limit on its own: at the limit it is fine, one over it is not."""

from typing import Any

import pytest

from bot.blocks import limits
from bot.playground.blocks import Surface, faults
from tests.support.slack_app import actions, asking, boxes, button, mrkdwn, option, plain, radio, section, typed

Json = dict[str, Any]
IMAGE = {"type": "image", "image_url": "https://example.com/a.png", "alt_text": "a"}
TASK = {"type": "task_card", "task_id": "t1", "title": "Look", "status": "pending"}


def confirm(**more: Json) -> Json:
    parts = {"title": plain("Sure?"), "text": plain("Really?"), "confirm": plain("Yes"), "deny": plain("No")}
    return button(confirm={**parts, **more})


def of(size: int) -> str:
    return "x" * size


# name -> (what it looks like with n of it, the most there may be)
LIMITS: dict[str, tuple[Any, int]] = {
    "the text of a section": (lambda n: section(of(n)), 3_000),
    "the fields of a section": (lambda n: {"type": "section", "fields": [plain("a")] * n}, 10),
    "a field of a section": (lambda n: {"type": "section", "fields": [plain(of(n))]}, 2_000),
    "a header": (lambda n: {"type": "header", "text": plain(of(n))}, 150),
    "the elements of a context": (lambda n: {"type": "context", "elements": [mrkdwn("a")] * n}, 10),
    "the elements of actions": (lambda n: actions(*(button(action_id=f"a{i}") for i in range(n))), 25),
    "a block_id": (lambda n: {**section(), "block_id": of(n)}, 255),
    "an action_id": (lambda n: actions(button(action_id=of(n))), 255),
    "the text of a button": (lambda n: actions(button(of(n))), 75),
    "the value of a button": (lambda n: actions(button(value=of(n))), 2_000),
    "the url of a button": (lambda n: actions(button(url=of(n))), 3_000),
    "the accessibility label of a button": (lambda n: actions(button(accessibility_label=of(n))), 75),
    "the title of a confirm dialog": (lambda n: actions(confirm(title=plain(of(n)))), 100),
    "the text of a confirm dialog": (lambda n: actions(confirm(text=plain(of(n)))), 300),
    "the button of a confirm dialog": (lambda n: actions(confirm(confirm=plain(of(n)))), 30),
    "the way out of a confirm dialog": (lambda n: actions(confirm(deny=plain(of(n)))), 30),
    "the options of radio buttons": (lambda n: asking(radio(*map(str, range(n)))), 10),
    "the options of checkboxes": (lambda n: asking(boxes(*map(str, range(n)))), 10),
    "the text of an option": (lambda n: asking(radio(of(n))), 75),
    "the description of an option": (
        lambda n: asking({**radio("a"), "options": [{**option(), "description": plain(of(n))}]}),
        75,
    ),
    "the value of an option": (lambda n: asking({**radio("a"), "options": [option("a", of(n))]}), 75),
    "the label of an input": (lambda n: {**asking(typed()), "label": plain(of(n))}, 2_000),
    "the hint of an input": (lambda n: {**asking(typed()), "hint": plain(of(n))}, 2_000),
    "the max_length of a text input": (lambda n: asking(typed(max_length=n)), 3_000),
    "the min_length of a text input": (lambda n: asking(typed(min_length=n)), 3_000),
    "a placeholder": (lambda n: asking(typed(placeholder=plain(of(n)))), 150),
    "a markdown block": (lambda n: {"type": "markdown", "text": of(n)}, 12_000),
    "the rows of a table": (lambda n: {"type": "table", "rows": [[{"type": "raw_text", "text": "a"}]] * n}, 100),
    "the columns of a table": (lambda n: {"type": "table", "rows": [[{"type": "raw_text", "text": "a"}] * n]}, 20),
    "the words of a table": (lambda n: {"type": "table", "rows": [[{"type": "raw_text", "text": of(n)}]]}, 10_000),
    "the title of a task": (lambda n: {**TASK, "title": of(n)}, 256),
    "the tasks of a plan": (lambda n: {"type": "plan", "title": "Plan", "tasks": [TASK] * n}, 50),
    "the blocks of a container": (
        lambda n: {"type": "container", "title": plain("a"), "child_blocks": [section()] * n},
        10,
    ),
    "the title of a container": (
        lambda n: {"type": "container", "title": plain(of(n)), "child_blocks": [section()]},
        150,
    ),
    "the cards of a carousel": (lambda n: {"type": "carousel", "elements": [{"type": "card"}] * n}, 10),
    "the title of a card": (lambda n: {"type": "card", "title": plain(of(n))}, 150),
    "the body of a card": (lambda n: {"type": "card", "body": plain(of(n))}, 200),
    "the buttons for feedback": (
        lambda n: {
            "type": "context_actions",
            "elements": [
                {"type": "icon_button", "icon": "trash", "text": plain("a"), "action_id": str(i)} for i in range(n)
            ],
        },
        5,
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_what_is_at_its_limit_is_taken_and_one_more_is_not(name: str) -> None:
    block, most = LIMITS[name]

    assert faults([block(most)], "message") == []
    assert len(faults([block(most + 1)], "message")) == 1


@pytest.mark.parametrize(("surface", "most"), [("message", 50), ("modal", 100), ("home", 100)])
def test_a_message_has_50_blocks_and_a_view_100(surface: Surface, most: int) -> None:
    assert faults([section()] * most, surface) == []
    assert faults([section()] * (most + 1), surface) != []


def test_an_alert_has_200_characters_and_is_for_modals_only() -> None:
    assert faults([{"type": "alert", "text": plain(of(200))}], "modal") == []
    assert faults([{"type": "alert", "text": plain(of(201))}], "modal") != []
    assert faults([{"type": "alert", "text": plain("a")}], "message") != []


def test_the_markdown_of_a_message_is_counted_over_all_its_blocks() -> None:
    half = {"type": "markdown", "text": of(6_000)}

    assert faults([half, half], "message") == []
    assert faults([half, half, {"type": "markdown", "text": "x"}], "message") != []


def test_a_fault_says_where_it_is() -> None:
    assert faults([section(), section(of(3_001))], "message") == [
        "[ERROR] must be less than 3001 characters [json-pointer:/blocks/1/text/text]"
    ]


@pytest.mark.parametrize(
    "block", [section(""), actions(button("")), asking(radio("")), {"type": "markdown", "text": ""}]
)
def test_an_empty_text_is_refused(block: Json) -> None:
    assert faults([block], "message") != []


@pytest.mark.parametrize(
    "block",
    [
        {"type": "hologram"},
        {"type": "section"},
        {"type": "section", "text": "not an object"},
        {"type": "section", "text": {"type": "markdown", "text": "a"}},
        {"type": "header", "text": mrkdwn("a")},
        {"type": "input", "element": typed()},
        {**asking(typed()), "label": mrkdwn("a")},
        {"type": "input", "label": plain("a")},
        {"type": "image", "image_url": "https://example.com/a.png"},
        {"type": "image", "alt_text": "a"},
        {**TASK, "title": plain("a task has a string")},
        {**TASK, "status": "done"},
        actions(),
        actions(button(style="bold")),
        actions({"type": "button", "text": mrkdwn("a")}),
        {"type": "context", "elements": [button()]},
        {"type": "context_actions", "elements": [button()]},
        {"type": "context_actions", "elements": [{"type": "icon_button", "icon": "trash"}]},
        {**section(), "colour": "red"},
        actions(button(colour="red")),
        asking(typed(max_length=0)),
        "not a block",
    ],
)
def test_what_is_not_a_proper_block_is_refused(block: Any) -> None:
    assert faults([block], "message") != []


def test_two_blocks_cannot_have_the_same_id() -> None:
    assert faults([asking(typed(), "same"), asking(radio("a"), "same")], "message") != []


def test_two_elements_of_one_block_cannot_have_the_same_id() -> None:
    assert faults([actions(button("A", "same"), button("B", "same"))], "message") != []


def test_what_is_chosen_from_the_start_must_be_among_the_options_as_it_stands_there() -> None:
    described = {**option("a"), "description": plain("more")}

    assert faults([asking({**radio("a"), "initial_option": option("a")})], "message") == []
    assert faults([asking({**radio("a"), "initial_option": described})], "message") != []
    assert faults([asking({**boxes("a"), "initial_options": [option("b")]})], "message") != []


@pytest.mark.parametrize("element", [typed(), {"type": "multi_static_select", "options": [option()]}])
def test_text_inputs_and_menus_for_several_are_not_for_actions(element: Json) -> None:
    assert faults([actions(element)], "message") != []
    assert faults([asking(element)], "message") == []


def test_the_options_of_a_menu_are_plain_text() -> None:
    marked = {"type": "static_select", "options": [{"text": mrkdwn("a"), "value": "0"}]}

    assert faults([asking(marked)], "message") != []
    assert faults([asking({**marked, "type": "radio_buttons"})], "message") == []


@pytest.mark.parametrize("kind", ["markdown", "plan", "task_card", "context_actions"])
def test_some_blocks_are_for_messages_only(kind: str) -> None:
    assert faults([{"type": kind}], "home") == [
        f"[ERROR] unsupported type: {kind} [json-pointer:/blocks/0/type]",
    ]


@pytest.mark.parametrize("kind", ["rich_text_input", "email_text_input", "url_text_input", "number_input"])
def test_some_inputs_are_not_for_messages(kind: str) -> None:
    element = {"type": kind, "action_id": "a"}

    assert faults([asking(element)], "modal") == []
    assert faults([asking(element)], "message") != []


@pytest.mark.parametrize("surface", ["message", "modal", "home"])
def test_forms_pictures_and_buttons_go_everywhere(surface: Surface) -> None:
    blocks = [section(), IMAGE, {"type": "divider"}, asking(radio("a"), "1"), asking(typed(), "2"), actions(button())]

    assert faults(blocks, surface) == []


def test_the_limits_are_those_the_app_knows() -> None:
    assert (limits.BLOCKS_IN_MESSAGE, limits.SECTION_TEXT, limits.OPTION_TEXT) == (50, 3_000, 75)
