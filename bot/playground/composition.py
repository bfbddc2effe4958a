"""What Slack checks in the small parts of blocks: texts, options, confirm dialogs, ids."""

from collections.abc import Iterator
from typing import Any

from bot.blocks import limits
from bot.playground.workspace import Json

PLAIN = frozenset({"plain_text"})
ANY_TEXT = frozenset({"plain_text", "mrkdwn"})
OPTIONS_IN_MENU = 100
OPTIONS_IN_OVERFLOW = 5
IMAGE_URL = 3_000
ALT_TEXT = 2_000


def fault(words: str, at: str) -> str:
    return f"[ERROR] {words} [json-pointer:{at}]"


def length(value: Any, at: str, longest: int, *, shortest: int = 1) -> Iterator[str]:
    """A string of an allowed length."""
    if not isinstance(value, str):
        yield fault("must be a string", at)
    elif len(value) > longest:
        yield fault(f"must be less than {longest + 1} characters", at)
    elif len(value) < shortest:
        yield fault(f"must be more than {shortest - 1} characters", at)


def optional_length(thing: Json, name: str, at: str, longest: int, *, shortest: int = 1) -> Iterator[str]:
    if thing.get(name) is not None:
        yield from length(thing[name], f"{at}/{name}", longest, shortest=shortest)


def text(thing: Json, name: str, at: str, longest: int, kinds: frozenset[str] = ANY_TEXT) -> Iterator[str]:
    """A text object that has to be there."""
    if thing.get(name) is None:
        yield fault(f"missing required field: {name}", at)
    else:
        yield from text_object(thing[name], f"{at}/{name}", longest, kinds)


def optional_text(thing: Json, name: str, at: str, longest: int, kinds: frozenset[str] = ANY_TEXT) -> Iterator[str]:
    if thing.get(name) is not None:
        yield from text_object(thing[name], f"{at}/{name}", longest, kinds)


def text_object(value: Any, at: str, longest: int, kinds: frozenset[str] = ANY_TEXT) -> Iterator[str]:
    if not isinstance(value, dict):
        yield fault("must be a text object", at)
        return
    if value.get("type") not in kinds:
        yield fault(f"must be of type {' or '.join(sorted(kinds))}", f"{at}/type")
    allowed = {"type", "text", "emoji"} if value.get("type") == "plain_text" else {"type", "text", "verbatim"}
    yield from unexpected(value, allowed, at)
    yield from length(value.get("text"), f"{at}/text", longest)


def unexpected(thing: Json, allowed: set[str], at: str) -> Iterator[str]:
    for name in sorted(thing.keys() - allowed):
        yield fault(f"invalid additional property: {name}", at)


def items(value: Any, at: str, most: int, *, least: int = 1) -> Iterator[str]:
    """A list of an allowed size."""
    if not isinstance(value, list):
        yield fault("must be an array", at)
    elif len(value) > most:
        yield fault(f"no more than {most} items allowed", at)
    elif len(value) < least:
        yield fault(f"no less than {least} items required", at)


def option(value: Any, at: str, kinds: frozenset[str]) -> Iterator[str]:
    if not isinstance(value, dict):
        yield fault("must be an option object", at)
        return
    yield from unexpected(value, {"text", "value", "description", "url"}, at)
    yield from text(value, "text", at, limits.OPTION_TEXT, kinds)
    yield from optional_text(value, "description", at, limits.OPTION_DESCRIPTION, kinds)
    yield from length(value.get("value"), f"{at}/value", limits.OPTION_VALUE)


def options(element: Json, at: str, most: int, kinds: frozenset[str]) -> Iterator[str]:
    """The options of an element, and that those chosen from the start are among them."""
    given = element.get("options")
    wrong = list(items(given, f"{at}/options", most))
    yield from wrong
    if wrong or not isinstance(given, list):
        return
    for number, each in enumerate(given):
        yield from option(each, f"{at}/options/{number}", kinds)
    initial = element.get("initial_option")
    if initial is not None and initial not in given:
        yield fault("initial_option must match one of the options", f"{at}/initial_option")
    chosen = element.get("initial_options")
    if chosen is not None:
        yield from items(chosen, f"{at}/initial_options", most)
        if isinstance(chosen, list) and any(each not in given for each in chosen):
            yield fault("initial_options must match the options", f"{at}/initial_options")


def confirm(element: Json, at: str) -> Iterator[str]:
    dialog = element.get("confirm")
    if dialog is None:
        return
    at = f"{at}/confirm"
    if not isinstance(dialog, dict):
        yield fault("must be a confirm object", at)
        return
    yield from unexpected(dialog, {"title", "text", "confirm", "deny", "style"}, at)
    yield from text(dialog, "title", at, limits.CONFIRM_TITLE, PLAIN)
    yield from text(dialog, "text", at, limits.CONFIRM_TEXT)
    yield from text(dialog, "confirm", at, limits.CONFIRM_BUTTON, PLAIN)
    yield from text(dialog, "deny", at, limits.CONFIRM_BUTTON, PLAIN)
    yield from style(dialog, at)


def style(thing: Json, at: str) -> Iterator[str]:
    if thing.get("style") is not None and thing["style"] not in ("primary", "danger"):
        yield fault("must be primary or danger", f"{at}/style")


def image(thing: Json, at: str) -> Iterator[str]:
    """The parts an image has, as a block and as an element."""
    yield from length(thing.get("alt_text"), f"{at}/alt_text", ALT_TEXT)
    if thing.get("image_url") is None and thing.get("slack_file") is None:
        yield fault("missing required field: image_url", at)
    yield from optional_length(thing, "image_url", at, IMAGE_URL)
