"""One step of thought: what the model is sent, and the event that its reply amounts to."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from pydantic_core import from_json

from agent import prompts
from agent.core import transcript
from agent.core.errors import ContextTooLong, ModelError
from agent.core.events import Limits, ModelReplied, Summarised, TurnEvent, TurnFailed
from agent.core.states import State, Thinking
from agent.core.transcript import Message, Placed, ToolCall
from agent.ports import Conversation, Model, RawCall, Reply, Stream
from agent.tools.registry import MALFORMED, Toolbox

_MOST_CALLS = 100
_LONGEST_MALFORMED = 2_000
_LONGEST_RESULT = 100_000
_SHORTEST_PART = 4_000


@dataclass(frozen=True)
class Thinker:
    """A model, what it is told, what it may do and how much of it."""

    model: Model
    toolbox: Toolbox
    system: str = prompts.SYSTEM
    limits: Limits = field(default_factory=Limits)
    context_tokens: int = 128_000

    async def think(self, state: Thinking, conversation: Conversation, stream: Stream) -> TurnEvent:
        """The reply, or a summary that makes room for one, or the failure of the turn."""
        placed = conversation.placed
        try:
            if conversation.size > self._bytes(0.8) and (old := self._old(state, conversation)):
                return await self._summarise(state, old)
            try:
                reply = await self._reply(state, placed, stream)
            except ContextTooLong:
                if not (old := self._old(state, conversation)):
                    raise
                return await self._summarise(state, old)
        except ModelError as error:
            return TurnFailed(turn=state.turn, shown=error.shown)
        return self._replied(state, reply)

    async def _reply(self, state: Thinking, placed: list[Placed], stream: Stream) -> Reply:
        system = f"{self.system}\n\n{prompts.FINISH}" if state.finish else self.system
        messages = [transcript.dump([transcript.system(system)]), *(each.text for each in placed)]
        return await self.model.reply(messages, self.toolbox.to_api(), may_call=not state.finish, stream=stream)

    def _replied(self, state: Thinking, reply: Reply) -> ModelReplied:
        calls: tuple[ToolCall, ...] = ()
        if not state.finish:
            calls = tuple(_numbered(state, n, raw) for n, raw in enumerate(_complete(reply)[:_MOST_CALLS]))
        waits = {call.id: wait for call in calls if (wait := self.toolbox.wait_for(call))}
        return ModelReplied(
            turn=state.turn,
            seen=state.seq,
            text=reply.text if reply.text or calls else prompts.NOTHING_LEFT_TO_SAY,
            calls=calls,
            waits=waits,
            cut=reply.cut,
            limits=self.limits,
        )

    def _bytes(self, share: float) -> float:
        """A share of the context, by a rule that needs no tokenizer: four bytes of UTF-8 to a token."""
        return self.context_tokens * share * 4

    def _old(self, state: Thinking, conversation: Conversation) -> list[Placed]:
        """The oldest messages, to be summarised so that the rest is small; none, if nothing new can be."""
        placed, small = conversation.placed, min(self._bytes(0.3), conversation.size * 0.3)
        after = list(accumulate((transcript.weight(each.text) for each in reversed(placed)), initial=0))[::-1]
        partings = [index for index in _partings(placed) if placed[index - 1].seq > state.upto]
        enough = (index for index in partings if after[index] <= small)
        return placed[: next(enough, partings[-1] if partings else 0)]

    def longest_result(self, calls: int) -> int:
        """How much one of so many results may say, so that together they leave room for the rest."""
        return min(_LONGEST_RESULT, int(self._bytes(0.4)) // calls)

    async def _summarise(self, state: Thinking, old: list[Placed]) -> Summarised:
        text = "\n\n".join(_as_text(each.message) for each in old)
        longest = int(self._bytes(0.5))
        while True:
            try:
                notes = await self._notes(text, longest)
                break
            except ContextTooLong:  # some texts have fewer bytes to a token
                if longest < _SHORTEST_PART:
                    raise
                longest //= 2
        summary = f"{prompts.SUMMARY_HEADING}\n{notes}"
        return Summarised(turn=state.turn, upto=max(each.seq for each in old), summary=summary)

    async def _notes(self, text: str, longest: int) -> str:
        notes = ""
        for part in _parts(text, longest):
            told = f"{prompts.EARLIER_NOTES}\n{notes}\n\n{part}" if notes else part
            messages = [transcript.system(prompts.SUMMARISE), transcript.user(told)]
            notes = (await self.model.reply([transcript.dump([message]) for message in messages])).text
        return notes


def _complete(reply: Reply) -> tuple[RawCall, ...]:
    """A reply that was cut may end in a call whose arguments never came: those are not the same as none."""
    *whole, last = reply.calls or (None,)
    if reply.cut and last and not last.arguments:
        return (*(call for call in whole if call), RawCall(last.name, "(cut off)"))
    return reply.calls


def _numbered(state: State, index: int, raw: RawCall) -> ToolCall:
    name = re.sub(r"[^a-zA-Z0-9_-]", "_", raw.name)[:64] or "unnamed"
    return ToolCall.numbered(state.replies + 1, index, name, _valid_json(raw.arguments))


def _valid_json(arguments: str) -> str:
    try:
        if isinstance(from_json(arguments or "{}", allow_inf_nan=False), dict):
            return arguments or "{}"
    except ValueError:
        pass
    return json.dumps({MALFORMED: arguments[:_LONGEST_MALFORMED]})


def _partings(placed: Sequence[Placed]) -> list[int]:
    """Where the conversation may be parted: not inside calls and results, not across words that came late."""
    newest_before = list(accumulate((each.seq for each in placed), max))
    oldest_after = list(accumulate((each.seq for each in reversed(placed)), min))[::-1]
    return [
        index
        for index in range(1, len(placed))
        if placed[index].role != "tool" and newest_before[index - 1] < oldest_after[index]
    ]


def _as_text(message: Message) -> str:
    calls = [f"[calls {call.name} {call.arguments}]" for call in transcript.calls_of(message)]
    return "\n".join([f"{message.get('name') or message['role']}: {transcript.words_of(message)}", *calls])


def _parts(text: str, longest: int) -> Iterator[str]:
    """The text in pieces of at most so many bytes, none of which ends inside a letter."""
    whole, start = text.encode(), 0
    while start < len(whole):
        end = start + longest
        while end < len(whole) and whole[end] & 0b1100_0000 == 0b1000_0000:
            end -= 1
        yield whole[start:end].decode()
        start = end
