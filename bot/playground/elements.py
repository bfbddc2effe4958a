"""What Slack checks in the elements of blocks, and which element may stand where."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

from bot.blocks import limits
from bot.playground import composition as part
from bot.playground.workspace import Json

Surface = Literal["message", "modal", "home"]
AGENT_PROMPT = 4_000
VISIBLE_TO = 10

SELECTS = {"static_select", "external_select", "users_select", "conversations_select", "channels_select"}
MULTI_SELECTS = {f"multi_{name}" for name in SELECTS}
PICKERS = {"datepicker", "timepicker"}
CHOICES = {"radio_buttons", "checkboxes"}
IN_ACTIONS = {"button", "overflow", "datetimepicker", "workflow_button"} | SELECTS | PICKERS | CHOICES
IN_SECTION = {"button", "overflow", "image", "workflow_button"} | SELECTS | MULTI_SELECTS | PICKERS | CHOICES
IN_INPUT = {"plain_text_input", "datetimepicker"} | SELECTS | MULTI_SELECTS | PICKERS | CHOICES
MODAL_INPUTS = {"email_text_input", "url_text_input", "number_input", "file_input", "rich_text_input"}
IN_CONTEXT_ACTIONS = {"feedback_buttons", "icon_button"}

FIELDS: dict[str, set[str]] = {
    "button": {
        "text", "value", "url", "style", "confirm", "accessibility_label",
        "agent_prompt", "agent_prompt_display", "visible_to_user_ids",
    },
    "radio_buttons": {"options", "initial_option", "confirm", "focus_on_load"},
    "checkboxes": {"options", "initial_options", "confirm", "focus_on_load"},
    "plain_text_input": {
        "initial_value", "multiline", "min_length", "max_length", "placeholder",
        "dispatch_action_config", "focus_on_load",
    },
}  # fmt: skip


def input_elements(surface: Surface) -> set[str]:
    """`rich_text_input` is for modals and App Home; the typed inputs are documented for modals only."""
    if surface == "modal":
        return IN_INPUT | MODAL_INPUTS
    return IN_INPUT | {"rich_text_input"} if surface == "home" else IN_INPUT


def faults(element: Any, at: str, allowed: set[str]) -> Iterator[str]:
    """What is wrong with an element where only these kinds may stand."""
    if not isinstance(element, dict):
        yield part.fault("must be an element", at)
        return
    kind = element.get("type")
    if kind not in allowed:
        yield part.fault(f"unsupported type: {kind}", f"{at}/type")
        return
    if kind in FIELDS:
        yield from part.unexpected(element, FIELDS[kind] | {"type", "action_id"}, at)
    yield from part.optional_length(element, "action_id", at, limits.ID)
    yield from part.confirm(element, at)
    yield from part.optional_text(element, "placeholder", at, limits.PLACEHOLDER, part.PLAIN)
    yield from CHECKS.get(kind, _nothing)(element, at)


def _nothing(_element: Json, _at: str) -> Iterator[str]:
    yield from ()


def _button(element: Json, at: str) -> Iterator[str]:
    yield from part.text(element, "text", at, limits.BUTTON_TEXT, part.PLAIN)
    yield from part.optional_length(element, "value", at, limits.BUTTON_VALUE)
    yield from part.optional_length(element, "url", at, limits.BUTTON_URL)
    yield from part.optional_length(element, "accessibility_label", at, limits.BUTTON_TEXT)
    yield from part.optional_length(element, "agent_prompt", at, AGENT_PROMPT)
    yield from part.style(element, at)
    if element.get("visible_to_user_ids") is not None:
        yield from part.items(element["visible_to_user_ids"], f"{at}/visible_to_user_ids", VISIBLE_TO)


def _icon_button(element: Json, at: str) -> Iterator[str]:
    yield from part.length(element.get("icon"), f"{at}/icon", limits.BUTTON_TEXT)
    yield from part.text(element, "text", at, limits.BUTTON_TEXT, part.PLAIN)
    yield from part.optional_length(element, "value", at, limits.BUTTON_VALUE)
    yield from part.optional_length(element, "accessibility_label", at, limits.BUTTON_TEXT)


def _feedback_buttons(element: Json, at: str) -> Iterator[str]:
    for name in ("positive_button", "negative_button"):
        button = element.get(name)
        if not isinstance(button, dict):
            yield part.fault(f"missing required field: {name}", at)
            continue
        yield from part.text(button, "text", f"{at}/{name}", limits.BUTTON_TEXT, part.PLAIN)
        yield from part.length(button.get("value"), f"{at}/{name}/value", limits.BUTTON_VALUE)


def _choices(element: Json, at: str) -> Iterator[str]:
    yield from part.options(element, at, limits.OPTIONS, part.ANY_TEXT)


def _overflow(element: Json, at: str) -> Iterator[str]:
    yield from part.options(element, at, part.OPTIONS_IN_OVERFLOW, part.PLAIN)


def _menu(element: Json, at: str) -> Iterator[str]:
    if element.get("option_groups") is None:
        yield from part.options(element, at, part.OPTIONS_IN_MENU, part.PLAIN)
    elif element.get("options") is not None:
        yield part.fault("only one of options and option_groups is allowed", at)
    else:
        yield from _groups(element["option_groups"], f"{at}/option_groups")


def _groups(groups: Any, at: str) -> Iterator[str]:
    wrong = list(part.items(groups, at, part.OPTIONS_IN_MENU))
    yield from wrong
    for number, group in enumerate([] if wrong else groups):
        if isinstance(group, dict):
            yield from part.text(group, "label", f"{at}/{number}", limits.OPTION_TEXT, part.PLAIN)
            yield from part.options(group, f"{at}/{number}", part.OPTIONS_IN_MENU, part.PLAIN)
        else:
            yield part.fault("must be an option group", f"{at}/{number}")


def _plain_text_input(element: Json, at: str) -> Iterator[str]:
    for name, least in (("min_length", 0), ("max_length", 1)):
        bound = element.get(name)
        if bound is None:
            continue
        if isinstance(bound, bool) or not isinstance(bound, int):
            yield part.fault("must be an integer", f"{at}/{name}")
        elif not least <= bound <= limits.INPUT_TEXT:
            yield part.fault(f"must be between {least} and {limits.INPUT_TEXT}", f"{at}/{name}")
    yield from part.optional_length(element, "initial_value", at, limits.INPUT_TEXT, shortest=0)
    triggers = (element.get("dispatch_action_config") or {}).get("trigger_actions_on", [])
    if set(triggers) - {"on_enter_pressed", "on_character_entered"}:
        yield part.fault("unknown trigger", f"{at}/dispatch_action_config/trigger_actions_on")


CHECKS: dict[str, Callable[[Json, str], Iterator[str]]] = {
    "button": _button,
    "icon_button": _icon_button,
    "feedback_buttons": _feedback_buttons,
    "radio_buttons": _choices,
    "checkboxes": _choices,
    "overflow": _overflow,
    "static_select": _menu,
    "multi_static_select": _menu,
    "plain_text_input": _plain_text_input,
    "image": part.image,
}
