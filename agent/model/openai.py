"""Asks an OpenAI-compatible server for replies: streamed, and asked again when that may help."""

import asyncio
import json
import ssl
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import structlog
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncAPIResponse,
    AsyncOpenAI,
    AsyncStream,
    DefaultAsyncHttpxClient,
    RequestOptions,
)

from agent.core.errors import ContextTooLong, ModelError
from agent.here import is_here
from agent.model.draft import BROKE_OFF, TOO_LONG, TROUBLE, Draft, Retry
from agent.ports import Doing, Meter, NoMeter, Reply, Stream

ATTEMPTS = 5
PATIENCE_SECONDS = 45.0  # After so long it is not asked again.
LAST_CHANCE_SECONDS = 15.0  # What an attempt gets at least, so that silence is told within a minute.

TOO_SLOW = "The model did not answer in time: please try again soon."
_RAW = "X-Stainless-Raw-Response"  # what with_streaming_response sets
log = structlog.get_logger()


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


async def _read(response: AsyncAPIResponse[Any], draft: Draft, silence: float) -> None:
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
        raise Retry("timeout", TOO_SLOW)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(KeyError, ValueError):
            return float(headers[name]) / unit
    with suppress(KeyError, ValueError):
        until = parsedate_to_datetime(headers["retry-after"]).timestamp()
        return until - (parsedate_to_datetime(headers["date"]).timestamp() if "date" in headers else time.time())
    return None


class OpenAIModel:
    """Chat completions of one model on one server; its patience is no shorter than its silence may be, if not given."""

    def __init__(
        self,
        *,
        api_key: str,
        model: str,
        base_url: str | None,
        timeout_seconds: float = 45,
        patience_seconds: float | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        meter: Meter | None = None,
    ) -> None:
        url = base_url or "https://api.openai.com/v1"  # Given none, the SDK looks in the environment.
        http = DefaultAsyncHttpxClient(trust_env=False) if is_here(url) else None
        self._client = AsyncOpenAI(api_key=api_key, base_url=url, max_retries=0, http_client=http)
        self._key, self._model, self._sleep, self._clock = api_key, model, sleep, clock
        self._timeout = timeout_seconds
        self._patience = max(PATIENCE_SECONDS, timeout_seconds) if patience_seconds is None else patience_seconds
        self._meter, self._tells_usage = meter or NoMeter(), True

    async def close(self) -> None:
        await self._client.close()

    async def reply(
        self,
        messages: Sequence[str],
        tools: Sequence[dict[str, Any]] = (),
        *,
        may_call: bool = True,
        stream: Stream | None = None,
    ) -> Reply:
        asked: dict[str, Any] = {"model": self._model, "stream": True}
        if tools:
            asked |= {"tools": list(tools)} | ({} if may_call else {"tool_choice": "none"})
        with self._meter.doing("model", model=self._model) as call:
            return await self._until_answered(call, asked, messages, stream)

    async def _until_answered(
        self, call: Doing, asked: dict[str, Any], messages: Sequence[str], stream: Stream | None
    ) -> Reply:
        began, attempt = self._clock(), 1
        while True:
            draft = Draft(stream)
            call.note(attempts=attempt)
            try:
                return await self._attempt(asked, messages, draft, self._clock() - began)
            except Retry as failure:
                if stream and draft.text:
                    stream.restarted()
                wait = failure.wait(attempt)
                if attempt == ATTEMPTS or self._clock() - began + wait > self._patience:
                    raise ModelError(failure.shown) from failure
                log.info("model.retry", attempt=attempt, reason=failure.reason, wait=round(wait, 3))
            finally:
                call.note(**draft.usage.model_dump(exclude_none=True))
            await self._sleep(wait)
            attempt += 1

    async def _attempt(self, asked: dict[str, Any], messages: Sequence[str], draft: Draft, elapsed: float) -> Reply:
        usage = {"stream_options": {"include_usage": True}} if self._tells_usage else {}
        # Put together from texts: a long conversation would take longer to parse and to write again than to send.
        body = f'{json.dumps(asked | usage)[:-1]}, "messages": [{",".join(messages)}]}}'.encode()
        timeout = min(self._timeout, self._patience + LAST_CHANCE_SECONDS - elapsed)
        try:
            async with self._asked(body, timeout) as response:
                await _read(response, draft, timeout)
        except APIStatusError as error:
            if usage and error.status_code in (400, 422) and "stream_options" in f"{error.body} {error.message}":
                log.info("model.tells_no_usage")  # not asked for it again; what it was asked besides is as it was
                self._tells_usage = False
                return await self._attempt(asked, messages, draft, elapsed)
            raise self._refusal(error) from error
        except (APITimeoutError, httpx2.TimeoutException) as error:
            if not draft.whole:
                raise Retry("timeout", TOO_SLOW) from error
        except APIConnectionError as error:
            raise Retry("unreachable", "The model cannot be reached: check OPENAI_BASE_URL.") from error
        except (httpx2.RequestError, ssl.SSLError) as error:  # As they are, from reading the body.
            if not draft.whole:
                raise Retry("dropped", BROKE_OFF) from error
        return draft.reply()

    @asynccontextmanager
    async def _asked(self, body: bytes, seconds: float) -> AsyncGenerator[AsyncAPIResponse[Any], None]:
        """By the SDK's way for bodies of one's own: `chat.completions.create` walks every message that it is given."""
        options = RequestOptions(headers={_RAW: "stream"}, timeout=seconds, security={"bearer_auth": True})
        asked: Any = self._client.post(
            "/chat/completions",
            content=body,
            cast_to=object,
            options=options,
            stream=True,
            stream_cls=AsyncStream[object],
        )
        response = await asked
        try:
            yield response
        finally:
            await response.close()

    def _refusal(self, error: APIStatusError) -> Exception:
        status, kinds = error.status_code, f"{error.code} {error.type}"
        said = error.body.get("message") if isinstance(error.body, dict) else None
        if "insufficient_quota" in kinds:
            return ModelError("The OpenAI account has no credit left: please check its billing.")
        if status in (408, 409, 429) or status >= 500:
            shown = "The model has too many requests: please try again soon." if status == 429 else TROUBLE
            return Retry(f"http_{status}", shown, _retry_after(error.response.headers))
        if status in (401, 403):
            return ModelError("The model's server refused the key: please check OPENAI_API_KEY.")
        if status == 404:
            return ModelError(f"There is no model {self._model}: check OPENAI_MODEL and OPENAI_BASE_URL.")
        if TOO_LONG.search(f"{kinds} {said}"):
            return ContextTooLong()
        short = " ".join(str(said or f"HTTP {status}").replace(self._key, "***").split())[:200]
        return ModelError(f"The model's server did not accept the request: {short}")
