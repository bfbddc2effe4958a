"""What people have filled in: per person, per message or view, kept as long as the ids stay the same."""

from collections.abc import Callable, Iterator
from typing import Any

from bot.playground.workspace import Json, Values

TYPED = {"plain_text_input", "email_text_input", "url_text_input", "number_input"}
ONE = {"radio_buttons", "static_select", "external_select", "overflow"}
SEVERAL = {"checkboxes", "multi_static_select", "multi_external_select"}
OTHERS = {
    "users_select": ("selected_user", "initial_user"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "channels_select": ("selected_channel", "initial_channel"),
    "multi_users_select": ("selected_users", "initial_users"),
    "multi_conversations_select": ("selected_conversations", "initial_conversations"),
    "multi_channels_select": ("selected_channels", "initial_channels"),
    "datepicker": ("selected_date", "initial_date"),
    "timepicker": ("selected_time", "initial_time"),
    "datetimepicker": ("selected_date_time", "initial_date_time"),
}


def stored(blocks: list[Json], new_id: Callable[[], str]) -> list[Json]:
    """The blocks as Slack keeps them: every block and element has an id, every text its defaults."""
    kept = []
    for block in blocks:
        block = _with_defaults(block)
        if not block.get("block_id") or block["type"] == "markdown":
            block["block_id"] = new_id()
        for element in _elements(block):
            if element.get("type") not in ("image", "plain_text", "mrkdwn") and not element.get("action_id"):
                element["action_id"] = new_id()
        if block.get("child_blocks"):
            block["child_blocks"] = stored(block["child_blocks"], new_id)
        kept.append(block)
    return kept


def _with_defaults(thing: Any) -> Any:
    if isinstance(thing, list):
        return [_with_defaults(each) for each in thing]
    if not isinstance(thing, dict):
        return thing
    copy = {name: _with_defaults(value) for name, value in thing.items()}
    if copy.get("type") == "plain_text":
        copy.setdefault("emoji", True)
    if copy.get("type") == "mrkdwn":
        copy.setdefault("verbatim", False)
    return copy


def _elements(block: Json) -> list[Json]:
    found = [block.get("element"), block.get("accessory"), *block.get("elements", [])]
    return [element for element in found if isinstance(element, dict)]


def interactive(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Each block with each of its elements that somebody can use, those in containers too."""
    for block in blocks:
        for element in _elements(block):
            if "action_id" in element and "type" in element:
                yield block, element
        yield from interactive(block.get("child_blocks", []))


def element_at(blocks: list[Json], block_id: str, action_id: str | None) -> Json | None:
    for block, element in interactive(blocks):
        if block["block_id"] == block_id and action_id in (None, element["action_id"]):
            return element
    return None


def untouched(element: Json) -> Json | None:
    """What an element holds before anybody has used it; None if it holds nothing, as a button."""
    kind = element["type"]
    if kind in TYPED:
        return {"type": kind, "value": element.get("initial_value")}
    if kind == "rich_text_input":
        return {"type": kind, "rich_text_value": element.get("initial_value")}
    if kind in ONE - {"overflow"}:
        return {"type": kind, "selected_option": element.get("initial_option")}
    if kind in SEVERAL:
        return {"type": kind, "selected_options": element.get("initial_options") or []}
    if kind in OTHERS:
        name, initial = OTHERS[kind]
        return {"type": kind, name: element.get(initial) or ([] if kind.startswith("multi_") else None)}
    return None


def values(blocks: list[Json], filled: Values) -> Values:
    """`state.values`: every element that can hold something, filled in or not."""
    found: Values = {}
    for block, element in interactive(blocks):
        empty = untouched(element)
        if empty is not None:
            here = filled.get(block["block_id"], {}).get(element["action_id"], empty)
            found.setdefault(block["block_id"], {})[element["action_id"]] = here
    return found


def kept(filled: Values, blocks: list[Json]) -> Values:
    """What stays filled in when these blocks replace those before: same ids, same kind, same options."""
    left: Values = {}
    for block, element in interactive(blocks):
        value = filled.get(block["block_id"], {}).get(element["action_id"])
        if value is not None and value["type"] == element["type"]:
            left.setdefault(block["block_id"], {})[element["action_id"]] = _still_there(value, element)
    return left


def _still_there(value: Json, element: Json) -> Json:
    offered = [option["value"] for option in options(element)]
    if value.get("selected_option") and value["selected_option"]["value"] not in offered:
        return {**value, "selected_option": None}
    if "selected_options" in value:
        return {**value, "selected_options": [o for o in value["selected_options"] if o["value"] in offered]}
    return value


def chosen(element: Json, answer: Any) -> Json:
    """What an element holds once somebody has typed this text, or picked these options by text or position."""
    kind = element["type"]
    if kind in TYPED:
        return {"type": kind, "value": str(answer) if answer not in (None, "") else None}
    if kind in ONE:
        return {"type": kind, "selected_option": _option(element, answer)}
    if kind in SEVERAL:
        several = answer if isinstance(answer, list | tuple) else [answer]
        picked = [_option(element, each) for each in several]
        return {"type": kind, "selected_options": [o for o in options(element) if o in picked]}
    if kind in OTHERS:
        return {"type": kind, OTHERS[kind][0]: answer}
    raise LookupError(f"nobody can fill in a {kind}")


def options(element: Json) -> list[Json]:
    """Everything that can be picked, those in groups too."""
    groups = element.get("option_groups") or []
    return [*(element.get("options") or []), *(option for group in groups for option in group["options"])]


def _option(element: Json, wanted: str | int) -> Json:
    offered = options(element)
    if isinstance(wanted, int):
        return offered[wanted]
    for option in offered:
        if wanted in (option["text"]["text"], option["value"]):
            return option
    raise LookupError(f"no option {wanted!r} among {[option['text']['text'] for option in offered]}")
