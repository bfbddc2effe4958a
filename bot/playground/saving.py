"""The whole workspace as JSON-able data, and back."""

from dataclasses import MISSING, asdict, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from bot.playground.workspace import Workspace

T = TypeVar("T")


def dump(workspace: Workspace) -> dict[str, Any]:
    return asdict(workspace)


def load(data: dict[str, Any]) -> Workspace:
    return _dataclass(Workspace, data)


def _dataclass(cls: type[T], data: dict[str, Any]) -> T:
    hints = get_type_hints(cls)
    known = [f for f in fields(cls) if f.name in data or (f.default is MISSING and f.default_factory is MISSING)]  # type: ignore[arg-type]
    return cls(**{f.name: _value(hints[f.name], data[f.name]) for f in known})


def _value(hint: Any, value: Any) -> Any:
    if value is None or hint is Any:
        return value
    if is_dataclass(hint) and isinstance(hint, type):
        return _dataclass(hint, value)
    if get_origin(hint) is UnionType:
        return _value(next(part for part in get_args(hint) if part is not NoneType), value)
    if get_origin(hint) is list:
        return [_value(get_args(hint)[0], each) for each in value]
    if get_origin(hint) is dict:
        return {key: _value(get_args(hint)[1], each) for key, each in value.items()}
    return value
