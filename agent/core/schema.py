"""JSON schemas as models are offered them: no references to follow, no generated titles."""

from typing import Any

from pydantic import BaseModel


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    try:
        inlined: dict[str, Any] = _inline(schema, definitions)
    except RecursionError:
        raise TypeError(f"{model.__name__} contains itself, which models cannot be told in a schema") from None
    inlined.pop("description", None)  # the tool itself has one
    return inlined


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if isinstance(reference := node.get("$ref"), str):
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _inline(definitions[reference.removeprefix("#/$defs/")] | rest, definitions)
    # A property may itself be called "title"; only the generated annotation is a string.
    return {
        key: _inline(value, definitions)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
    }
