"""Asks an OpenAI-compatible server for replies: streamed, and asked again when that may help."""

import asyncio
import json
import random
import re
import ssl
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from email.utils import parsedate_to_datetime
from typing import Annotated, Any

import httpx2
import structlog
from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncAPIResponse, AsyncOpenAI
from pydantic import AliasChoices, AliasPath, BaseModel, BeforeValidator, Field

from agent.core.errors import ContextTooLong, ModelError
from agent.core.transcript import Message
from agent.core.values import storable
from agent.ports import RawCall, Reply, Stream

ATTEMPTS, FIRST_WAIT, LONGEST_WAIT = 5, 0.5, 8.0
LAST_CHANCE_SECONDS = 15.0  # What an attempt gets at least, so that silence is told within a minute.

TROUBLE = "The model's server is having trouble: please try again in a few minutes."
TOO_SLOW = "The model did not answer in time: please try again soon."
BROKE_OFF = "The model's answer broke off: please try again."
TOO_LONG = re.compile(r"context.?(length|window|size)|too many tokens|prompt is too long", re.IGNORECASE)
log = structlog.get_logger()


class _Retry(Exception):
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


class _Chunk(BaseModel):
    choices: list[_Choice] | None = None
    error: Any = None


class _Draft:
    """One attempt's reply, put together from the pieces of its stream."""

    def __init__(self, stream: Stream | None) -> None:
        self.text: list[str] = []
        self._calls: list[_Call] = []
        self._stream, self._finish, self.done = stream, "", False

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
            raise _Retry("garbled", BROKE_OFF) from error
        if chunk.error:
            raise ContextTooLong if TOO_LONG.search(str(chunk.error)) else _Retry("reported", TROUBLE)
        for choice in (chunk.choices or [])[:1]:
            self._finish = choice.finish_reason or self._finish
            if delta := choice.content or choice.refusal:
                self.text.append(delta)
                if self._stream:
                    self._stream.text(delta)
            for fragment in choice.calls or ():
                self._gather(fragment)

    def reply(self) -> Reply:
        if self._finish == "content_filter":
            raise ModelError("The model's content filter stopped the answer: please put it in other words.")
        if not self.whole or self._finish == "error" or not all(call.name for call in self._calls):
            raise _Retry("broken", BROKE_OFF)
        text, cut = "".join(self.text), self._finish == "length"
        if not (self._calls or text.strip()):
            if cut:  # The next attempt would end the same way.
                raise ModelError("The model had no room left for an answer: please ask for something shorter.")
            raise _Retry("empty", "The model sent an empty answer: please try again.")
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


async def _events(response: AsyncAPIResponse[Any]) -> AsyncGenerator[bytes, None]:
    """Each event's data. Not by iter_lines, which breaks lines at U+2028 and its like, inside the JSON."""
    rest = b""
    async for piece in response.iter_bytes():
        rest += piece
        if rest.lstrip().startswith(b"{"):
            continue  # A server that ignores `stream` sends one object, over any number of lines.
        *lines, rest = rest.split(b"\n")
        for line in filter(lambda line: line.startswith(b"data:"), lines):
            yield line[5:].strip()
    if rest.lstrip().startswith(b"{"):
        yield rest
        yield b"[DONE]"


async def _read(response: AsyncAPIResponse[Any], draft: _Draft, silence: float) -> None:
    """Read on after [DONE], a moment: a connection can be used again only if its body was read to the end.

    Before that, what counts against the timeout is silence: comments that keep the connection alive are that too.
    """
    now = asyncio.get_running_loop().time
    with suppress(TimeoutError):
        async with asyncio.timeout(silence) as limit, aclosing(_events(response)) as events:
            async for data in events:
                draft.take(data)
                limit.reschedule(now() + (0.1 if draft.done else silence))
    if limit.expired() and not draft.whole:
        raise _Retry("timeout", TOO_SLOW)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(KeyError, ValueError):
            return float(headers[name]) / unit
    with suppress(KeyError, ValueError):
        until = parsedate_to_datetime(headers["retry-after"]).timestamp()
        return until - (parsedate_to_datetime(headers["date"]).timestamp() if "date" in headers else time.time())
    return None


class OpenAIModel:
    """Chat completions of one model on one server."""

    def __init__(
        self,
        *,
        api_key: str,
        model: str,
        base_url: str | None,
        timeout_seconds: float = 45,
        patience_seconds: float = 45,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        url = base_url or "https://api.openai.com/v1"  # Given none, the SDK looks in the environment.
        self._client = AsyncOpenAI(api_key=api_key, base_url=url, max_retries=0)
        self._key, self._model, self._sleep, self._clock = api_key, model, sleep, clock
        self._timeout, self._patience = timeout_seconds, patience_seconds

    async def close(self) -> None:
        await self._client.close()

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]] = (),
        *,
        may_call: bool = True,
        stream: Stream | None = None,
    ) -> Reply:
        body: dict[str, Any] = {"messages": list(messages)}
        if tools:
            body |= {"tools": list(tools)} | ({} if may_call else {"tool_choice": "none"})
        began, attempt = self._clock(), 1
        while True:
            draft = _Draft(stream)
            try:
                return await self._attempt(body, draft, self._clock() - began)
            except _Retry as failure:
                if stream and draft.text:
                    stream.restarted()
                wait = failure.wait(attempt)
                if attempt == ATTEMPTS or self._clock() - began + wait > self._patience:
                    raise ModelError(failure.shown) from failure
                log.info("model.retry", attempt=attempt, reason=failure.reason, wait=round(wait, 3))
            await self._sleep(wait)
            attempt += 1

    async def _attempt(self, body: dict[str, Any], draft: _Draft, elapsed: float) -> Reply:
        create = self._client.chat.completions.with_streaming_response.create
        timeout = min(self._timeout, self._patience + LAST_CHANCE_SECONDS - elapsed)
        try:
            # By extra_body, because the SDK walks every message that it is given as `messages`.
            asked = create(model=self._model, messages=[], stream=True, extra_body=body, timeout=timeout)
            async with asked as response:
                await _read(response, draft, timeout)
        except APIStatusError as error:
            raise self._refusal(error) from error
        except (APITimeoutError, httpx2.TimeoutException) as error:
            if not draft.whole:
                raise _Retry("timeout", TOO_SLOW) from error
        except APIConnectionError as error:
            raise _Retry("unreachable", "The model cannot be reached: check OPENAI_BASE_URL.") from error
        except (httpx2.RequestError, ssl.SSLError) as error:  # As they are, from reading the body.
            if not draft.whole:
                raise _Retry("dropped", BROKE_OFF) from error
        return draft.reply()

    def _refusal(self, error: APIStatusError) -> Exception:
        status, kinds = error.status_code, f"{error.code} {error.type}"
        said = error.body.get("message") if isinstance(error.body, dict) else None
        if "insufficient_quota" in kinds:
            return ModelError("The OpenAI account has no credit left: please check its billing.")
        if status in (408, 409, 429) or status >= 500:
            shown = "The model has too many requests: please try again soon." if status == 429 else TROUBLE
            return _Retry(f"http_{status}", shown, _retry_after(error.response.headers))
        if status in (401, 403):
            return ModelError("The model's server refused the key: please check OPENAI_API_KEY.")
        if status == 404:
            return ModelError(f"There is no model {self._model}: check OPENAI_MODEL and OPENAI_BASE_URL.")
        if TOO_LONG.search(f"{kinds} {said}"):
            return ContextTooLong()
        short = " ".join(str(said or f"HTTP {status}").replace(self._key, "***").split())[:200]
        return ModelError(f"The model's server did not accept the request: {short}")
