"""The base of every stored value: immutable, and free of text that no database or API would take."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict


class Frozen(BaseModel):
    model_config = ConfigDict(
        frozen=True, validate_by_name=True, validate_by_alias=True, serialize_by_alias=True, extra="ignore"
    )

    def to_json(self) -> str:
        return self.model_dump_json(exclude_defaults=True)


def storable(text: Any) -> Any:
    """JSON can spell half of a surrogate pair; UTF-8, and so every database, cannot."""
    if isinstance(text, str) and not text.isascii():
        return text.encode("utf-8", "replace").decode()
    return text


Text = Annotated[str, BeforeValidator(storable)]


class Person(Frozen):
    """Whoever spoke, answered or decided; the terminal's only user has neither id nor name."""

    id: Text = ""
    name: Text = ""
