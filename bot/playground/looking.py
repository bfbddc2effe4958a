"""What a person sees in blocks: the words, the buttons, the fields."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
READ = ("title", "label", "text", "fields", "description", "hint", "placeholder")
WITHIN = ("element", "elements", "accessory", "options", "tasks", "details", "output", "child_blocks", "body")


def words(blocks: list[Json]) -> str:
    """Everything that can be read, a line for each piece."""
    return "\n".join(piece for piece in _pieces(blocks) if piece)


def _pieces(thing: Any) -> Iterator[str]:
    """Every text in it, in the order of the page: options before values, never ids."""
    if isinstance(thing, list):
        for each in thing:
            yield from _pieces(each)
    elif isinstance(thing, dict):
        for name in READ:
            yield from _text(thing.get(name))
        for name in WITHIN:
            yield from _pieces(thing.get(name))


def _text(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        yield from _pieces(value)


def buttons(blocks: list[Json]) -> list[Json]:
    """The buttons, in their order, each with the id of its block."""
    found = []
    for block in blocks:
        elements = [block.get("accessory"), *block.get("elements", [])]
        for element in elements:
            if isinstance(element, dict) and element.get("type") in ("button", "icon_button"):
                found.append({**element, "block_id": block["block_id"]})
        found += buttons(block.get("child_blocks", []))
    return found


def fields(blocks: list[Json], kinds: set[str], where: int | str) -> Json:
    """The input of one of these kinds: the n-th, from 1, or the first after these words; with its block_id."""
    nth = where if isinstance(where, int) else 1
    if isinstance(where, str):
        starts = [number for number, block in enumerate(blocks) if where in words([block])]
        blocks = blocks[starts[0] :] if starts else []
    found = [block for block in blocks if block.get("type") == "input" and block["element"]["type"] in kinds]
    if len(found) < nth:
        raise LookupError(f"no field {where!r} of {sorted(kinds)}")
    return {**found[nth - 1]["element"], "block_id": found[nth - 1]["block_id"]}
