"""What a method of the Web API is: its function, the scope it needs, the arguments it reads."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.playground.composition import fault
from bot.playground.core import Core
from bot.playground.refusal import Refused, invalid
from bot.playground.workspace import Json


@dataclass(frozen=True)
class Args:
    """The arguments of a call, however they were sent."""

    given: Json

    def has(self, name: str) -> bool:
        return self.given.get(name) is not None

    def required(self, name: str) -> str:
        value = self.optional(name)
        if not value:
            raise invalid("invalid_arguments", [f"[ERROR] missing required field: {name}"])
        return value

    def optional(self, name: str) -> str | None:
        value = self.given.get(name)
        return None if value is None else str(value)

    def flag(self, name: str) -> bool:
        return str(self.given.get(name, "")).lower() in ("1", "true")

    def number(self, name: str, default: int, most: int) -> int:
        value = self.given.get(name)
        if value in (None, ""):
            return default
        if not str(value).isdecimal() or not 1 <= int(str(value)) <= most:
            raise invalid("invalid_arguments", [fault(f"must be between 1 and {most}", f"/{name}")])
        return int(str(value))

    def structured(self, name: str, error: str) -> Any:
        """A list or an object, sent as such or as JSON in a string; None if it was not sent."""
        value = self.given.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value) if value else None
        except ValueError:
            raise Refused(error) from None


@dataclass(frozen=True)
class Method:
    act: Callable[[Core, Args], Json]
    scope: str | None = None
    app_level: bool = False


Methods = dict[str, Method]
