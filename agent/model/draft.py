"""A reply as it comes in: the chunks that servers stream, and the draft that they add up to."""

import json
import random
import re
from typing import Annotated, Any

from pydantic import AliasChoices, AliasPath, BaseModel, BeforeValidator, Field

from agent.core.errors import ContextTooLong, ModelError
from agent.core.values import storable
from agent.ports import RawCall, Reply, Stream

FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0

TROUBLE = "The model's server is having trouble: please try again in a few minutes."
BROKE_OFF = "The model's answer broke off: please try again."
TOO_LONG = re.compile(r"context.?(length|window|size)|too many tokens|prompt is too long", re.IGNORECASE)


class Retry(Exception):
    """An attempt that failed in a way that may pass; `shown` is said if it does not."""

    def __init__(self, reason: str, shown: str, after: float | None = None) -> None:
        super().__init__(shown)
        self.reason, self.shown, self.after = reason, shown, after

    def wait(self, attempt: int) -> float:
        backoff: float = min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT) * random.uniform(0.5, 1)
        return self.after if self.after and self.after > 0 else backoff


# Servers write null for what they leave out, and some send a call's arguments as an object.
Words = Annotated[str, BeforeValidator(lambda v: json.dumps(v) if isinstance(v, dict) else storable(v or ""))]


def _within(name: str) -> AliasChoices:
    return AliasChoices(AliasPath("delta", name), AliasPath("message", name))


class _Call(BaseModel):
    index: int | None = None
    id: Words = ""
    name: Words = Field("", validation_alias=AliasPath("function", "name"))
    arguments: Words = Field("", validation_alias=AliasPath("function", "arguments"))

    def goes_on_in(self, later: "_Call") -> bool:
        """Without an index, an id or name opens a call; with one, both do: some servers number every call 0."""
        opens = (later.id or later.name) if later.index is None else (later.id and later.name)
        return later.index in (None, self.index) and (not opens or later.id == self.id != "")


class _Choice(BaseModel):
    content: Words = Field("", validation_alias=_within("content"))
    refusal: Words = Field("", validation_alias=_within("refusal"))
    calls: list[_Call] | None = Field(None, validation_alias=_within("tool_calls"))
    finish_reason: Words = ""


def _count(given: Any) -> int | None:
    return given if isinstance(given, int) and given >= 0 else None  # nothing that a reply is thrown away for


Count = Annotated[int | None, BeforeValidator(_count)]


class _Usage(BaseModel):
    prompt_tokens: Count = None
    completion_tokens: Count = None


class _Chunk(BaseModel):
    choices: list[_Choice] | None = None
    usage: Annotated[_Usage | None, BeforeValidator(lambda v: v if isinstance(v, dict) else None)] = None
    error: Any = None


class Draft:
    """One attempt's reply, put together from the pieces of its stream."""

    def __init__(self, stream: Stream | None) -> None:
        self.text = ""
        self._calls: list[_Call] = []
        self._stream, self._finish, self.done = stream, "", False
        self.usage = _Usage()

    @property
    def whole(self) -> bool:
        return self.done or bool(self._finish)  # Some servers send only one of the two.

    def take(self, data: bytes) -> None:
        if self.done or data == b"[DONE]":
            self.done = True
            return
        try:
            chunk = _Chunk.model_validate(json.loads(data))
        except ValueError as error:
            raise Retry("garbled", BROKE_OFF) from error
        if chunk.error:
            raise ContextTooLong if TOO_LONG.search(str(chunk.error)) else Retry("reported", TROUBLE)
        self.usage = chunk.usage or self.usage  # in the last chunk; in every one, from some servers, and growing
        for choice in (chunk.choices or [])[:1]:
            self._finish = choice.finish_reason or self._finish
            if delta := choice.content or choice.refusal:
                self.text += delta
                if self._stream:
                    self._stream.text(delta, self.text)
            for fragment in choice.calls or ():
                self._gather(fragment)

    def reply(self) -> Reply:
        if self._finish == "content_filter":
            raise ModelError("The model's content filter stopped the answer: please put it in other words.")
        if not self.whole or self._finish == "error" or not all(call.name for call in self._calls):
            raise Retry("broken", BROKE_OFF)
        text, cut = self.text, self._finish == "length"
        if not (self._calls or text.strip()):
            if cut:  # The next attempt would end the same way.
                raise ModelError("The model had no room left for an answer: please ask for something shorter.")
            raise Retry("empty", "The model sent an empty answer: please try again.")
        calls = sorted(self._calls, key=lambda call: call.index or 0)
        return Reply(text, tuple(RawCall(call.name, call.arguments) for call in calls), cut)

    def _gather(self, fragment: _Call) -> None:
        """A call's first fragment grows by those that follow."""
        for call in self._calls[-1:] if fragment.index is None else reversed(self._calls):
            if call.goes_on_in(fragment):
                call.name = call.name or fragment.name  # Some servers repeat it in every fragment.
                call.arguments += fragment.arguments
                return
        fragment.index = len(self._calls) if fragment.index is None else fragment.index
        self._calls.append(fragment)
