"""The conversation as the chat completions API takes it, and how the journal's pieces are put in order."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from agent.core.values import Frozen, Person, Text

Message = Mapping[str, Any]
_IMAGE = re.compile(r'"data:image/[^"]*"')
_IMAGE_WEIGHT = 6_000
_START, _CALLS = '{"role":"', '"tool_calls":'
_ROLE = len(_START)  # where its first letter stands
_ROLES = {"u": "user", "a": "assistant", "t": "tool"}
_NOT_IN_NAMES = re.compile(r"[\s<|\\/>]+")  # by the API's own rule


class ToolCall(Frozen):
    """A call by the model. `arguments` is valid JSON even if the model's was not: servers may insist."""

    id: str
    name: Text
    arguments: Text

    @classmethod
    def numbered(cls, reply: int, index: int, name: str, arguments: str) -> "ToolCall":
        """Ids are ours: some servers repeat theirs, and the strictest take only nine letters or digits."""
        return cls(id=f"{reply:06d}{index:03d}", name=name, arguments=arguments)

    @staticmethod
    def reply_of(call_id: str) -> int | None:
        """The number of the reply that made the call; None if the id is none of ours."""
        return int(call_id[:6]) if len(call_id) == 9 and call_id.isascii() and call_id.isdecimal() else None


def system(text: str) -> Message:
    return {"role": "system", "content": text}


def user(text: str, author: Person | None = None, images: Sequence[str] = ()) -> Message:
    """What someone said; `images` are data URLs."""
    name = _NOT_IN_NAMES.sub("_", author.name).strip("_")[:64] if author else ""
    content: Any = text
    if images:
        shown = [{"type": "image_url", "image_url": {"url": url}} for url in images]
        content = [{"type": "text", "text": text}, *shown]
    return {"role": "user", "content": content} | ({"name": name} if name else {})


def images_of(message: Message) -> tuple[str, ...]:
    parts = message["content"] if isinstance(message["content"], list) else []
    return tuple(part["image_url"]["url"] for part in parts if part["type"] == "image_url")


def words_of(message: Message) -> str:
    """What can be read of it, with a word for each image."""
    if isinstance(message["content"], list):
        return "\n".join(part.get("text", "(an image)") for part in message["content"])
    return message["content"] or ""


def weight(dumped: str) -> int:
    """How much of the context it takes, in bytes of text: an image does not by its size."""
    if '"image_url"' not in dumped:
        return len(dumped) if dumped.isascii() else len(dumped.encode())
    without, images = _IMAGE.subn("", dumped)
    return len(without.encode()) + images * _IMAGE_WEIGHT


def assistant(text: str, calls: Sequence[ToolCall] = ()) -> Message:
    message: dict[str, Any] = {"role": "assistant", "content": text or (None if calls else "")}
    if calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls
        ]
    return message


def calls_of(message: Message) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"])
        for call in message.get("tool_calls", ())
    )


def result(call_id: str, content: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def dump(messages: Iterable[Message]) -> str:
    """Compact JSON objects joined by commas, so that rows join into an array as they are."""
    return ",".join(json.dumps(message, ensure_ascii=False, separators=(",", ":")) for message in messages)


def load(text: str) -> list[Message]:
    messages: list[Message] = json.loads(f"[{text}]")
    return messages


# A journal row: its number, the last row that a reply's request held (later words come after it), and its messages.
Entry = tuple[int, int, str]


class Placed(NamedTuple):
    """One message as the JSON that is stored and sent, since most are never looked into."""

    seq: int
    role: str
    text: str

    @property
    def message(self) -> Message:
        message: Message = json.loads(self.text)
        return message


class _Exchange:
    """A reply that calls tools, and the results that have come in so far, in any order."""

    def __init__(self, placed: Placed) -> None:
        self.placed = placed
        self.results: dict[str, Placed | None] = {call["id"]: None for call in placed.message["tool_calls"]}

    def whole(self) -> list[Placed] | None:
        results = [placed for placed in self.results.values() if placed is not None]
        return [self.placed, *results] if len(results) == len(self.results) else None


def arrange(entries: Iterable[Entry]) -> list[Placed]:
    """Order messages as the API accepts them: a reply with calls enters with all its results, or not yet."""
    settled: list[Placed] = []
    said: list[Placed] = []
    exchange: _Exchange | None = None
    for seq, seen, messages in entries:
        alone = messages.find("{", 1) < 0  # most rows are: no call for each of hundreds
        for placed in (Placed(seq, _ROLES[messages[_ROLE]], messages),) if alone else _parted(seq, messages):
            role = placed.role
            if role == "user":
                said.append(placed)
            elif role == "assistant":
                late = [words for words in said if words.seq > seen] if said and said[-1].seq > seen else []
                settled += said[: len(said) - len(late)]
                said = late
                if _CALLS in placed.text:
                    exchange = _Exchange(placed)
                else:
                    settled.append(placed)
            elif exchange:
                exchange.results[placed.message["tool_call_id"]] = placed
                if whole := exchange.whole():
                    settled += whole
                    exchange = None
    return settled if exchange else settled + said


def _parted(seq: int, messages: str) -> Sequence[Placed]:
    """Each message of a row. In a string every quote is escaped: what looks like the start of a message is one."""
    if messages.count(_START) == 1:
        return (Placed(seq, _ROLES[messages[_ROLE]], messages),)
    return [Placed(seq, message["role"], dump([message])) for message in load(messages)]
