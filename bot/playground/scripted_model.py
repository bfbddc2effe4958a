"""An OpenAI-compatible endpoint that tells the stories: what it says follows from each request alone."""

import asyncio
import json
import re
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from aiohttp import web

from bot.playground import stories
from bot.playground.stories import Json, Reply

MODEL = "scripted"
PROMPTS: tuple[str, ...] = tuple(story.prompt for story in stories.STORIES)

_BETWEEN_WORDS = 0.014  # seconds, at a pace of 1
_HELLO = re.compile(r"\W*(hello|hi|hey|good (morning|afternoon|evening))( there| all| everyone| parley)?\W*", re.I)
_THANKS = re.compile(r"\W*(many )?(thanks|thank you|thx|cheers)( again| a lot| so much| very much| parley)?\W*", re.I)
_SUMMARISE = re.compile(r"\s*summari[sz]e\b", re.IGNORECASE)
_NOTE = re.compile(r"\([^\n]*[.:]\)(?:\n|$)")  # what the agent adds to the conversation stands in brackets
_SPOKEN = re.compile(r"[^\s:]{1,64}: ")
_LONGEST_LINE, _MOST_LINES = 300, 12

_HONEST = """\
{first}I am this playground's scripted model: I know a few stories by heart and understand nothing else{so}. Try one \
of these, and everything but me is the real thing:

{prompts}

{advice}"""


class ScriptedModel:
    """Streams like a brisk real model; a pace of 0 is without any pause. `advice` says how to have a real one."""

    def __init__(self, pace: float = 1.0, advice: str = "") -> None:
        self._pace, self._advice = pace, advice

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """For `POST /v1/chat/completions`."""
        try:
            body = await request.json()
        except (ValueError, RecursionError):
            return _refusal("The body is not JSON.")
        if not isinstance(body, dict) or not _list(body.get("messages")):
            return _refusal("messages: none given")
        reply = answer(body, self._advice)
        if body.get("stream"):
            return await self._stream(request, body, reply)
        await self._pause(reply.thinks)
        return web.json_response(_whole(body, reply))

    async def _stream(self, request: web.Request, body: Json, reply: Reply) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        try:
            await response.prepare(request)
            await self._pause(reply.thinks)
            for chunk in _chunks(body, reply):
                await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
                await self._pause(_BETWEEN_WORDS)
            await response.write(b"data: [DONE]\n\n")
        except ConnectionError:
            pass  # whoever asked has hung up: the run was stopped
        return response

    async def _pause(self, seconds: float) -> None:
        if self._pace > 0:
            await asyncio.sleep(seconds * self._pace)


def _refusal(message: str) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return web.json_response({"error": error}, status=400)


def _chunks(body: Json, reply: Reply) -> Iterator[Json]:
    head = _head(body, "chat.completion.chunk")
    deltas: list[Json] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": word} for word in re.findall(r"\s*\S+\s*", reply.text)]
    if reply.call:
        [call] = _calls(reply)
        arguments = call["function"]["arguments"]
        call["function"]["arguments"] = ""
        deltas.append({"tool_calls": [{"index": 0, **call}]})
        pieces = [{"arguments": piece} for piece in re.findall(r"(?s).{1,60}", arguments)]
        deltas += [{"tool_calls": [{"index": 0, "function": piece}]} for piece in pieces]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    for choice in [*choices, {"index": 0, "delta": {}, "finish_reason": _finish(reply)}]:
        yield head | {"choices": [choice]}
    options = body.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage"):
        yield head | {"choices": [], "usage": _usage(body, reply)}


def _whole(body: Json, reply: Reply) -> Json:
    message = {"role": "assistant", "content": reply.text} | ({"tool_calls": _calls(reply)} if reply.call else {})
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return _head(body, "chat.completion") | {"choices": [choice], "usage": _usage(body, reply)}


def _head(body: Json, kind: str) -> Json:
    model = body.get("model") if isinstance(body.get("model"), str) else MODEL
    return {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": kind, "created": int(time.time()), "model": model}


def _calls(reply: Reply) -> list[Json]:
    name, arguments = reply.call or ("", {})
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return [{"id": f"call_{uuid.uuid4().hex}", "type": "function", "function": function}]


def _finish(reply: Reply) -> str:
    return "tool_calls" if reply.call else "stop"


def _usage(body: Json, reply: Reply) -> Json:
    """By a rule of thumb: four characters to a token."""
    read, wrote = len(json.dumps(body["messages"])) // 4, len(f"{reply.text}{reply.call or ''}") // 4
    return {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}


def answer(request: Mapping[str, Any], advice: str = "") -> Reply:
    """What the model says next."""
    messages = [message for message in _list(request.get("messages")) if isinstance(message, dict)]
    if messages and messages[0].get("role") == "system" and _SUMMARISE.match(_words(messages[0])):
        return Reply(_summary(_words(messages[-1])))
    (said, done), offered = _news(messages), _offered(request)
    return _take_up(said, offered) or _go_on(done, offered) or _honest(said[0] if said else "", advice)


def _take_up(said: list[str], offered: set[str]) -> Reply | None:
    """The newest words that begin something, be it a story or a sub-agent's part of one."""
    for words in said:
        if report := stories.report_on(words):
            return report
        if story := stories.recognised(words):
            return story.begin(offered)
    return None


def _go_on(done: list[tuple[str, Any, str]], offered: set[str]) -> Reply | None:
    for tool, arguments, result in done:
        if made := stories.of_call(tool, arguments):
            story, act = made
            outcome = stories.outcome_of(_json(result))
            other = stories.recognised(outcome.response)
            return other.begin(offered) if other and other is not story else story.go_on(act, outcome, offered)
    return None


def _honest(words: str, advice: str) -> Reply:
    """It understands nothing, but it is polite."""
    first = "Hello! " if _HELLO.fullmatch(words) else "You are welcome! " if _THANKS.fullmatch(words) else ""
    so = "" if first else ", so I cannot help with that"
    prompts = "\n".join(f"- {prompt}" for prompt in PROMPTS)
    return Reply(_HONEST.format(first=first, so=so, prompts=prompts, advice=advice).strip())


def _news(messages: list[Json]) -> tuple[list[str], list[tuple[str, Any, str]]]:
    """What was said since the last reply, newest first; and what that reply called, with the results."""
    said: list[str] = []
    results: dict[Any, str] = {}
    for message in reversed(messages):
        if message.get("role") == "user":
            said.append(_spoken(message))
        elif message.get("role") == "tool":
            results[str(message.get("tool_call_id"))] = _words(message)
        elif message.get("role") == "assistant":
            return said, list(_done(message, results))
    return said, []


def _done(message: Json, results: Mapping[str, str]) -> Iterator[tuple[str, Any, str]]:
    for call in _list(message.get("tool_calls")):
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and str(call.get("id")) in results:
            yield str(function.get("name")), _json(function.get("arguments")), results[str(call.get("id"))]


def _spoken(message: Json) -> str:
    """A person's own words: without files, and nothing of what the agent put between."""
    words = _words(message)
    return "" if _NOTE.match(words) else words.partition("\n\n(")[0]


def _words(message: Json) -> str:
    content = message.get("content")
    parts = [part.get("text") for part in _list(content) if isinstance(part, dict)]
    return content if isinstance(content, str) else "\n".join(part for part in parts if isinstance(part, str))


def _offered(request: Mapping[str, Any]) -> set[str]:
    if request.get("tool_choice") == "none":
        return set()
    functions = [tool.get("function") for tool in _list(request.get("tools")) if isinstance(tool, dict)]
    return {str(function.get("name")) for function in functions if isinstance(function, dict)}


def _summary(text: str) -> str:
    """Notes on a conversation: the first line of whatever was said, and of the notes so far all."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        first, *others = paragraph.split("\n")
        if "(Notes on" in first:
            lines += [line for line in others if line.startswith("- ")]
        elif _SPOKEN.match(first):
            lines.append(f"- {first[:_LONGEST_LINE]}")
    return "\n".join(lines[-_MOST_LINES:]) or "- Nothing was decided yet."


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _json(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None
