"""An OpenAI-compatible server for tests: it says what the script says, and is as strict as the real one."""

import asyncio
import itertools
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self

from aiohttp import web

from tests.support.conversation import TOOL_NAME, faults

P = ParamSpec("P")
ScriptedCall = tuple[str, Mapping[str, Any] | str]


@dataclass(frozen=True)
class Hold:
    """Stay silent until the event is set, or the client hangs up."""

    until: asyncio.Event


class Drop:
    """Close the connection without ending the stream."""


Frame = dict[str, Any] | str | Hold | Drop


@dataclass(frozen=True)
class Step:
    """One answer. A frame is a choice, a raw line, or something that happens to the connection."""

    frames: tuple[Frame, ...] = ()
    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


def _choice(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": dict(delta), "logprobs": None, "finish_reason": finish}


def _cut(text: str, pieces: int) -> list[str]:
    size = max(1, -(-len(text) // pieces))
    return [text[start : start + size] for start in range(0, len(text), size)]


def _opening() -> Frame:
    return _choice({"role": "assistant", "content": "", "refusal": None})


def _words(text: str, pieces: int = 3) -> list[Frame]:
    return [_choice({"content": piece}) for piece in _cut(text, pieces)]


def _ending(reason: str) -> tuple[Frame, ...]:
    return (_choice({}, reason), "data: [DONE]")


def _call_frames(calls: Sequence[ScriptedCall]) -> Iterator[Frame]:
    """All calls are opened first; then their arguments come in turns, a fragment of each."""
    fragments = []
    for index, (name, given) in enumerate(calls):
        function = {"name": name, "arguments": ""}
        opened = {"index": index, "id": f"call_{index}_of_{len(calls)}", "type": "function"}
        yield _choice({"tool_calls": [opened | {"function": function}]})
        arguments = given if isinstance(given, str) else json.dumps(given)
        fragments.append([(index, piece) for piece in _cut(arguments, 4)])
    for turn in itertools.zip_longest(*fragments):
        for index, piece in filter(None, turn):
            yield _choice({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})


def say(text: str, pieces: int = 3) -> Step:
    return Step((_opening(), *_words(text, pieces), *_ending("stop")))


def call(*calls: ScriptedCall, text: str = "") -> Step:
    """Arguments given as a string are sent as they are, JSON or not."""
    return Step((_opening(), *_words(text), *_call_frames(calls), *_ending("tool_calls")))


def ask(questions: Mapping[str, Any] | Sequence[Mapping[str, Any]], text: str = "") -> Step:
    """A call of `ask_user_question`, given its whole arguments or only the list of questions."""
    arguments = questions if isinstance(questions, Mapping) else {"questions": list(questions)}
    return call(("ask_user_question", arguments), text=text)


def fail(
    status: int,
    code: str | None = None,
    message: str = "Something failed.",
    headers: Mapping[str, str] | None = None,
) -> Step:
    error = {"message": message, "type": "scripted_error", "param": None, "code": code}
    return Step(status=status, body={"error": error}, headers=headers or {})


def refuse(text: str) -> Step:
    pieces = [_choice({"refusal": piece}) for piece in _cut(text, 3)]
    return Step((_opening(), *pieces, *_ending("stop")))


def be_cut(text: str) -> Step:
    return Step((_opening(), *_words(text), *_ending("length")))


def be_filtered(text: str = "") -> Step:
    return Step((_opening(), *_words(text), *_ending("content_filter")))


def break_after(text: str) -> Step:
    """The connection is closed after this text, in the middle of the stream."""
    return Step((_opening(), *_words(text), Drop()))


def send_lines(*lines: str) -> Step:
    """Raw lines, each followed by an empty one; nothing is added."""
    return Step(lines)


def send_body(body: Any, status: int = 200) -> Step:
    """JSON instead of a stream, as from a server that ignores `stream`; text goes out as it is."""
    return Step(body=body, status=status)


def hang() -> Step:
    """Not even a status, until `release()` or the client hangs up."""
    return Step((Hold(asyncio.Event()),), status=0)


def pause(before: str, until: asyncio.Event, after: str = "") -> Step:
    """Text, then silence until the event is set, then the rest."""
    return Step((_opening(), *_words(before, 1), Hold(until), *_words(after, 1), *_ending("stop")))


def _queued(make: Callable[P, Step]) -> "Callable[Concatenate[ScriptedModel, P], None]":
    def will(model: "ScriptedModel", /, *args: P.args, **kwargs: P.kwargs) -> None:
        model.will(make(*args, **kwargs))

    return will


class ScriptedModel:
    """Fails on an unexpected request and, when it ends, on an unused step.

    `requests` and `headers` are what was asked, `connections` how many were opened for it. `reached` is
    set when a hang or pause begins, `hung_up` when the client left in the middle of an answer.
    """

    base_url: str

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.failures: list[str] = []
        self.reached = asyncio.Event()
        self.hung_up = asyncio.Event()
        self._released = asyncio.Event()
        self._news = asyncio.Event()
        self._steps: deque[Step] = deque()
        self._answer: Callable[[dict[str, Any]], Step | None] = lambda body: None
        self._transports: set[asyncio.Transport | None] = set()

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=2**28)
        app.router.add_post("/v1/chat/completions", self._on_request)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.0, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.base_url = f"http://{host}:{port}/v1"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        await self._runner.cleanup()
        if error is None:
            self.assert_done()

    def will(self, *steps: Step) -> None:
        self._steps.extend(steps)

    will_say = _queued(say)
    will_call = _queued(call)
    will_ask = _queued(ask)
    will_fail = _queued(fail)
    will_refuse = _queued(refuse)
    will_be_cut = _queued(be_cut)
    will_be_filtered = _queued(be_filtered)
    will_break_after = _queued(break_after)
    will_send_nothing = _queued(Step)
    will_send_lines = _queued(send_lines)
    will_send_body = _queued(send_body)
    will_hang = _queued(hang)
    will_pause = _queued(pause)

    def answers_with(self, answer: Callable[[dict[str, Any]], Step | None]) -> None:
        """Whenever no step is queued, the answer depends on the request alone; None is unexpected."""
        self._answer = answer

    async def asked(self, count: int, seconds: float = 5.0) -> None:
        """Wait until so many requests have come."""
        async with asyncio.timeout(seconds):
            while len(self.requests) < count:
                self._news.clear()
                await self._news.wait()

    def release(self) -> None:
        """Ends every hang and pause; a hang then closes its connection."""
        self._released.set()

    @property
    def connections(self) -> int:
        return len(self._transports)

    def assert_done(self) -> None:
        problems = self.failures + [f"unused step: {step}" for step in self._steps]
        assert not problems, "\n".join(problems)

    async def _on_request(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self._news.set()
        self.headers.append(request.headers)
        self._transports.add(request.transport)
        if found := self._faults(body):
            self.failures += found
            return _json(fail(400, "invalid_request", "; ".join(found)))
        step = self._steps.popleft() if self._steps else self._answer(body)
        if step is None:
            self.failures.append(f"unexpected request {len(self.requests)}: no step is left for it")
            return _json(fail(500, "unexpected_request", self.failures[-1]))
        try:
            return _json(step) if step.body is not None else await self._play(request, step, body)
        except (asyncio.CancelledError, ConnectionError):
            self.hung_up.set()
            raise

    def _faults(self, body: dict[str, Any]) -> list[str]:
        found = faults(body.get("messages", ()))
        if not body.get("model") or not body.get("stream"):
            found.append("model and stream must be given")
        names = [tool["function"]["name"] for tool in body.get("tools", ())]
        found += [f"tools: the name {name!r} is not allowed" for name in names if not TOOL_NAME.fullmatch(name)]
        if body.get("tools") == [] or ("tool_choice" in body and not names):
            found.append("tools: empty, or a tool_choice without tools")
        return found

    async def _play(self, request: web.Request, step: Step, body: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **step.headers})
        if step.status:
            await response.prepare(request)
        for frame in step.frames:
            if isinstance(frame, Hold):
                await self._hold(frame)
            elif isinstance(frame, Drop):
                _close(request)
            else:
                for line in _lines(frame, body):
                    await response.write(f"{line}\n\n".encode("utf-8", "surrogatepass"))
        if not step.status:
            _close(request)
        return response

    async def _hold(self, hold: Hold) -> None:
        self.reached.set()
        waits = [asyncio.ensure_future(event.wait()) for event in (hold.until, self._released)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


def _lines(frame: dict[str, Any] | str, body: dict[str, Any]) -> Iterator[str]:
    options = body.get("stream_options") or {}
    envelope = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
    if isinstance(frame, dict):
        yield f"data: {json.dumps(envelope | {'choices': [frame]})}"
        return
    if frame == "data: [DONE]" and options.get("include_usage"):
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        yield f"data: {json.dumps(envelope | {'choices': [], 'usage': usage})}"
    yield frame


def _json(step: Step) -> web.Response:
    text = step.body if isinstance(step.body, str) else json.dumps(step.body)
    return web.Response(status=step.status, text=text, content_type="application/json", headers=dict(step.headers))


def _close(request: web.Request) -> None:
    if request.transport:
        request.transport.close()
