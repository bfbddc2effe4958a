"""What Slack checks in the blocks of a message, a modal or App Home; one fault refuses them all."""

from collections.abc import Callable, Iterator
from typing import Any

from bot.blocks import limits
from bot.playground import composition as part
from bot.playground import elements
from bot.playground.elements import Surface
from bot.playground.workspace import Json

SECTION_FIELDS = 10
SECTION_FIELD = 2_000
CONTEXT_ACTIONS = 5
IMAGE_TITLE = 2_000
TABLE_ROWS = 100
TABLE_COLUMNS = 20
TABLE_TEXT = 10_000
TITLE = 150
CONTAINER_BLOCKS = 10
CARD_BODY = 200
CARDS = 10
ALERT_TEXT = 200
STATUSES = ("pending", "in_progress", "complete", "error")

EVERYWHERE = {"section", "divider", "image", "actions", "context", "input", "header", "video", "rich_text"}
IN_MESSAGES = {"markdown", "context_actions", "plan", "task_card", "data_visualization", "file"}
IN_MESSAGES_AND_HOME = {"table", "data_table", "container", "carousel", "card"}
ALLOWED: dict[Surface, set[str]] = {
    "message": EVERYWHERE | IN_MESSAGES | IN_MESSAGES_AND_HOME,
    "home": EVERYWHERE | IN_MESSAGES_AND_HOME,
    "modal": EVERYWHERE | {"alert"},
}
FIELDS: dict[str, set[str]] = {
    "section": {"text", "fields", "accessory", "expand"},
    "divider": set(),
    "image": {"image_url", "slack_file", "alt_text", "title"},
    "actions": {"elements"},
    "context": {"elements"},
    "context_actions": {"elements"},
    "input": {"label", "element", "hint", "optional", "dispatch_action"},
    "header": {"text", "level"},
    "markdown": {"text"},
    "alert": {"text", "level"},
    "plan": {"title", "tasks"},
    "task_card": {"task_id", "title", "details", "output", "sources", "status"},
}


def faults(blocks: Any, surface: Surface, at: str = "/blocks") -> list[str]:
    """Everything wrong with these blocks; with anything at all, Slack takes none of them."""
    most = limits.BLOCKS_IN_MESSAGE if surface == "message" else limits.BLOCKS_IN_VIEW
    found = list(part.items(blocks, at, most, least=0))
    if found:
        return found
    for number, block in enumerate(blocks):
        found += _block(block, f"{at}/{number}", surface)
    if not found:
        found += [*_same_ids(blocks, at), *_markdown_total(blocks, at)]
    return found


def _block(block: Any, at: str, surface: Surface) -> Iterator[str]:
    if not isinstance(block, dict):
        yield part.fault("must be a block", at)
        return
    kind = block.get("type")
    if kind not in ALLOWED[surface]:
        yield part.fault(f"unsupported type: {kind}", f"{at}/type")
        return
    if kind in FIELDS:
        yield from part.unexpected(block, FIELDS[kind] | {"type", "block_id"}, at)
    yield from part.optional_length(block, "block_id", at, limits.ID)
    if kind == "input":
        yield from _input(block, at, surface)
    elif kind in CHECKS:
        yield from CHECKS[kind](block, at)


def _same_ids(blocks: list[Json], at: str) -> Iterator[str]:
    seen: set[str] = set()
    for number, block in enumerate(blocks):
        block_id = block.get("block_id")
        if block_id and block_id in seen and block["type"] != "markdown":  # the id of markdown is ignored
            yield part.fault(f'block_id "{block_id}" already exists', f"{at}/{number}/block_id")
        seen.add(block_id or "")
        acting = [element.get("action_id") for element in block.get("elements", []) if isinstance(element, dict)]
        for action_id in {action_id for action_id in acting if action_id and acting.count(action_id) > 1}:
            yield part.fault(f'action_id "{action_id}" already exists', f"{at}/{number}/elements")


def _markdown_total(blocks: list[Json], at: str) -> Iterator[str]:
    if sum(len(block["text"]) for block in blocks if block["type"] == "markdown") > limits.MARKDOWN_TEXT:
        yield part.fault(f"markdown must be less than {limits.MARKDOWN_TEXT + 1} characters in total", at)


def _input(block: Json, at: str, surface: Surface) -> Iterator[str]:
    yield from part.text(block, "label", at, limits.INPUT_LABEL, part.PLAIN)
    yield from part.optional_text(block, "hint", at, limits.INPUT_HINT, part.PLAIN)
    yield from elements.faults(block.get("element"), f"{at}/element", elements.input_elements(surface))


def _section(block: Json, at: str) -> Iterator[str]:
    if block.get("text") is None and block.get("fields") is None:
        yield part.fault("missing required field: text", at)
    yield from part.optional_text(block, "text", at, limits.SECTION_TEXT)
    if block.get("fields") is not None:
        yield from part.items(block["fields"], f"{at}/fields", SECTION_FIELDS)
        for number, each in enumerate(block["fields"]):
            yield from part.text_object(each, f"{at}/fields/{number}", SECTION_FIELD)
    if block.get("accessory") is not None:
        yield from elements.faults(block["accessory"], f"{at}/accessory", elements.IN_SECTION)


def _header(block: Json, at: str) -> Iterator[str]:
    yield from part.text(block, "text", at, limits.HEADER_TEXT, part.PLAIN)


def _markdown(block: Json, at: str) -> Iterator[str]:
    yield from part.length(block.get("text"), f"{at}/text", limits.MARKDOWN_TEXT)


def _alert(block: Json, at: str) -> Iterator[str]:
    yield from part.text(block, "text", at, ALERT_TEXT)


def _image(block: Json, at: str) -> Iterator[str]:
    yield from part.image(block, at)
    yield from part.optional_text(block, "title", at, IMAGE_TITLE, part.PLAIN)


def _each(block: Json, at: str, most: int, allowed: set[str]) -> Iterator[str]:
    wrong = list(part.items(block.get("elements"), f"{at}/elements", most))
    yield from wrong
    for number, element in enumerate([] if wrong else block["elements"]):
        yield from elements.faults(element, f"{at}/elements/{number}", allowed)


def _actions(block: Json, at: str) -> Iterator[str]:
    yield from _each(block, at, limits.ACTIONS_ELEMENTS, elements.IN_ACTIONS)


def _context_actions(block: Json, at: str) -> Iterator[str]:
    yield from _each(block, at, CONTEXT_ACTIONS, elements.IN_CONTEXT_ACTIONS)


def _context(block: Json, at: str) -> Iterator[str]:
    wrong = list(part.items(block.get("elements"), f"{at}/elements", limits.CONTEXT_ELEMENTS))
    yield from wrong
    for number, element in enumerate([] if wrong else block["elements"]):
        if isinstance(element, dict) and element.get("type") == "image":
            yield from part.image(element, f"{at}/elements/{number}")
        else:
            yield from part.text_object(element, f"{at}/elements/{number}", limits.SECTION_TEXT)


def _task_card(block: Json, at: str) -> Iterator[str]:
    yield from part.length(block.get("task_id"), f"{at}/task_id", limits.ID)
    yield from part.length(block.get("title"), f"{at}/title", limits.TASK_TEXT)
    if block.get("status") not in STATUSES:
        yield part.fault(f"must be one of {', '.join(STATUSES)}", f"{at}/status")
    for name in ("details", "output"):
        if block.get(name) is not None and not _is(block[name], "rich_text"):
            yield part.fault("must be rich_text", f"{at}/{name}")


def _plan(block: Json, at: str) -> Iterator[str]:
    yield from part.length(block.get("title"), f"{at}/title", limits.TASK_TEXT)
    tasks = block.get("tasks") or []
    yield from part.items(tasks, f"{at}/tasks", limits.PLAN_TASKS, least=0)
    for number, task in enumerate(tasks):
        if not _is(task, "task_card"):
            yield part.fault("must be a task_card", f"{at}/tasks/{number}")
        else:
            yield from _task_card(task, f"{at}/tasks/{number}")


def _table(block: Json, at: str) -> Iterator[str]:
    wrong = list(part.items(block.get("rows"), f"{at}/rows", TABLE_ROWS))
    yield from wrong
    cells = [cell for row in ([] if wrong else block["rows"]) for cell in row]
    if any(len(row) > TABLE_COLUMNS for row in ([] if wrong else block["rows"])):
        yield part.fault(f"no more than {TABLE_COLUMNS} columns allowed", f"{at}/rows")
    if sum(len(str(cell.get("text", ""))) for cell in cells) > TABLE_TEXT:
        yield part.fault(f"must be less than {TABLE_TEXT + 1} characters in total", f"{at}/rows")


def _container(block: Json, at: str) -> Iterator[str]:
    if block.get("title") is None and block.get("rich_text_title") is None:
        yield part.fault("missing required field: title", at)
    yield from part.optional_text(block, "title", at, TITLE, part.PLAIN)
    yield from part.optional_text(block, "subtitle", at, TITLE)
    wrong = list(part.items(block.get("child_blocks"), f"{at}/child_blocks", CONTAINER_BLOCKS))
    yield from wrong
    for number, child in enumerate([] if wrong else block["child_blocks"]):
        yield from _block(child, f"{at}/child_blocks/{number}", "message")


def _card(block: Json, at: str) -> Iterator[str]:
    yield from part.optional_text(block, "title", at, TITLE)
    yield from part.optional_text(block, "subtitle", at, TITLE)
    yield from part.optional_text(block, "body", at, CARD_BODY)


def _carousel(block: Json, at: str) -> Iterator[str]:
    wrong = list(part.items(block.get("elements"), f"{at}/elements", CARDS))
    yield from wrong
    for number, card in enumerate([] if wrong else block["elements"]):
        yield from _card(card, f"{at}/elements/{number}")


def _is(thing: Any, kind: str) -> bool:
    return isinstance(thing, dict) and thing.get("type") == kind


CHECKS: dict[str, Callable[[Json, str], Iterator[str]]] = {
    "section": _section,
    "header": _header,
    "markdown": _markdown,
    "alert": _alert,
    "image": _image,
    "actions": _actions,
    "context": _context,
    "context_actions": _context_actions,
    "task_card": _task_card,
    "plan": _plan,
    "table": _table,
    "container": _container,
    "card": _card,
    "carousel": _carousel,
}
