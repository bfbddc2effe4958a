"""What `ask_user_question` takes: an ask, its questions and their options; and what counts as an answer."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError, from_json

from agent.core.errors import InvalidAsk
from agent.core.values import Frozen, Text

T = TypeVar("T")


def _problem(sentence: str) -> PydanticCustomError:
    return PydanticCustomError("parley", "{sentence}", {"sentence": sentence})


def _not_blank(text: str) -> str:
    if not text.strip():
        raise _problem("must not be blank")
    return text


def _short_header(text: str) -> str:
    if len(text) > 12:
        raise _problem(f"{len(text)} characters given, at most 12 allowed")
    return text


def _from_json(value: Any) -> Any:
    """Models sometimes send a list or an object as a string of JSON."""
    if not isinstance(value, str):
        return value
    try:
        return from_json(value)
    except ValueError as error:
        raise _problem(f"is a string that is not valid JSON ({error}); send a list") from error


def _as_option(value: Any) -> Any:
    return {"label": value} if isinstance(value, str | int | float) else value


def _count(low: int, high: int, otherwise: str = "") -> Callable[[tuple[T, ...]], tuple[T, ...]]:
    def check(items: tuple[T, ...]) -> tuple[T, ...]:
        if not low <= len(items) <= high:
            raise _problem(f"{len(items)} given, {low}-{high} allowed{otherwise}")
        return items

    return check


def _repeated(texts: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            return text
        seen.add(text)
    return None


NotBlank = Annotated[Text, AfterValidator(_not_blank)]


def _two_to_four(schema: dict[str, Any]) -> None:
    schema |= {"minItems": 2, "maxItems": 4}
    del schema["default"]


class Option(Frozen):
    model_config = ConfigDict(coerce_numbers_to_str=True)

    label: NotBlank = Field(description="What people pick: 1-5 words.")
    description: Text = Field("", description="What it means or leads to, in a short sentence.")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        return _drop_nulls(data)


class Question(Frozen):
    """One question of an ask. Without options it is answered in free text."""

    question: NotBlank = Field(description="The whole question, ending with a question mark.")
    header: Annotated[Text, AfterValidator(_short_header)] = Field(
        "", description="A word or two that name the topic.", json_schema_extra={"maxLength": 12}
    )
    options: Annotated[
        tuple[Annotated[Option, BeforeValidator(_as_option)], ...],
        AfterValidator(_count(2, 4, " (leave options out for a free-text question)")),
        BeforeValidator(_from_json),
    ] = Field(
        (),
        description="The choices, the recommended one first. Leave out for a free-text question. "
        'Never add an "Other": people always have one.',
        json_schema_extra=_two_to_four,
    )
    multi_select: bool = Field(
        False,
        validation_alias=AliasChoices("multiSelect", "multi_select"),
        serialization_alias="multiSelect",
        description="True if several options may be picked.",
    )
    allow_custom: bool = Field(
        True,
        validation_alias=AliasChoices("allowCustom", "allow_custom"),
        serialization_alias="allowCustom",
        description="False if only the given options make sense.",
    )
    default: Text = Field("", description="The label you suggest. It is shown to people, never assumed.")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        return _drop_nulls(data)

    @field_validator("options")
    @classmethod
    def _labels_differ(cls, options: tuple[Option, ...]) -> tuple[Option, ...]:
        if (label := _repeated(option.label for option in options)) is not None:
            raise _problem(f"the label {label!r} is given twice; labels must differ")
        return options

    @field_validator("allow_custom")
    @classmethod
    def _answerable(cls, allow_custom: bool, info: ValidationInfo) -> bool:
        if not allow_custom and info.data.get("options") == ():
            raise _problem("false, but without options free text is the only answer")
        return allow_custom

    @field_validator("default", mode="before")
    @classmethod
    def _label_of_index(cls, default: Any, info: ValidationInfo) -> Any:
        options = info.data.get("options", ())
        if type(default) is int and 0 <= default < len(options):
            return options[default].label
        return str(default) if type(default) is int else default

    @field_validator("default")
    @classmethod
    def _known_default(cls, default: str, info: ValidationInfo) -> str:
        options = info.data.get("options")  # absent if they are wrong themselves
        if default and options is not None and default not in [option.label for option in options]:
            raise _problem(f"{default!r} is none of the labels")
        return default

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(option.label for option in self.options)

    def brief(self) -> "Question":
        """The same question with only what deciding needs, small enough to keep beside the journal."""
        options = tuple(Option(label=label) for label in self.labels)
        return self.model_copy(update={"header": "", "options": options, "default": ""})

    def answer(self, chosen: Iterable[int] = (), text: str = "") -> str:
        """The words that picked option numbers and typed text amount to; "" if they amount to nothing."""
        typed = text.strip() if self.allow_custom else ""
        numbers = set(chosen)
        picked = [label for number, label in enumerate(self.labels) if number in numbers]
        if self.multi_select:
            return ", ".join([*picked, typed] if typed else picked)
        return typed or next(iter(picked), "")

    def match(self, text: str) -> str | None:
        """The answer in a reply that is exactly a label or a number (several, if several may be picked)."""
        parts = text.split(",") if self.multi_select and text.strip() not in self.labels else [text]
        numbers = [self._number_of(part.strip()) for part in parts]
        if not self.options or None in numbers:
            return None
        return self.answer(number for number in numbers if number is not None)

    def _number_of(self, word: str) -> int | None:
        labels = [label.strip() for label in self.labels]
        if word in labels:
            return labels.index(word)
        alike = [number for number, label in enumerate(labels) if label.casefold() == word.casefold()]
        if len(alike) == 1:
            return alike[0]
        if word.isascii() and word.isdecimal() and len(word) < 3 and 1 <= int(word) <= len(labels):
            return int(word) - 1
        return None


class Ask(Frozen):
    questions: Annotated[tuple[Question, ...], AfterValidator(_count(1, 4)), BeforeValidator(_from_json)] = Field(
        json_schema_extra={"minItems": 1, "maxItems": 4}
    )

    @field_validator("questions")
    @classmethod
    def _texts_differ(cls, questions: tuple[Question, ...]) -> tuple[Question, ...]:
        if (text := _repeated(question.question for question in questions)) is not None:
            raise _problem(f"{text!r} is asked twice; answers are keyed by the question, so they must differ")
        return questions

    @classmethod
    def parse(cls, arguments: Any) -> "Ask":
        """Validate what a model sent; the error says, a sentence each, what to mend."""
        try:
            return cls.model_validate(arguments)
        except ValidationError as error:
            raise InvalidAsk([_sentence(detail) for detail in error.errors()]) from error


def question(text: str, *options: str | tuple[str, str], **fields: Any) -> Question:
    """Build a question in code: `question("Where to?", ("Staging", "safe to break"), "Production")`."""
    choices = [_as_option(o) if isinstance(o, str) else {"label": o[0], "description": o[1]} for o in options]
    given = {"question": text, **fields} | ({"options": choices} if choices else {})
    return Ask.parse({"questions": [given]}).questions[0]


def _drop_nulls(data: Any) -> Any:
    """Models send null for what they leave out."""
    if isinstance(data, dict):
        return {key: value for key, value in data.items() if value is not None}
    return data


_EXPECTED = {
    "missing": "is missing",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "tuple_type": "must be a list",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


def _sentence(detail: ErrorDetails) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"])
    where = path.removeprefix(".") or "arguments"
    return f"{where}: {_EXPECTED.get(detail['type'], detail['msg'])}"
