"""What a thread's messages in Slack should be, by what its journal says: pure."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.core.asks import Ending, OpenAsk, ShownAsk
from agent.core.events import AskCancelled, Event, ModelReplied, StopRequested, TurnFailed, Wait
from agent.core.questions import Ask
from agent.core.states import Acting
from agent.core.transcript import ToolCall
from agent.core.transitions import replay
from agent.core.values import Person
from bot.blocks import approval, escape, form, receipt, reply
from bot.blocks.parts import Rendered

_LONGEST_TITLE = 300


@dataclass(frozen=True)
class Wanted:
    """One message as it should be now. `ending` is set once something that waited for people has ended."""

    name: str
    rendered: Rendered
    is_open: bool = False
    title: str = ""
    ending: Ending | None = None

    @property
    def digest(self) -> str:
        drawn = json.dumps([self.rendered.text, self.rendered.blocks], sort_keys=True)
        return hashlib.sha256(drawn.encode()).hexdigest()[:16]


def card_name(kind: str, seq: int, part: str) -> str:
    """Stable for as long as the thread lives; the row comes first, so that it can be read again from there."""
    return f"{seq}/{kind}/{part}"


def row_of(name: str) -> int:
    return int(name.split("/")[0])


def wanted(events: Sequence[tuple[int, Event]], after: int, still_open: set[str]) -> Iterator[Wanted]:
    """The messages of the rows after `after`, and those of earlier rows that are still open, in their order."""
    for index, (seq, event) in enumerate(events):
        match event:
            case ModelReplied():
                later = [found for _, found in events[index + 1 :]]
                for card in _of_reply(seq, event, later):
                    if seq > after or card.name in still_open:
                        yield card
            case TurnFailed() if seq > after:
                yield Wanted(card_name("note", seq, "failed"), reply.note(f"⚠️ {event.shown}"))
            case StopRequested() if seq > after:
                yield Wanted(card_name("note", seq, "stopped"), reply.note(f"Stopped{_by(event.by)}."))
            case AskCancelled() if seq > after:
                yield Wanted(card_name("note", seq, "cancelled"), reply.note(f"Cancelled{_by(event.by)}."))


def _of_reply(seq: int, event: ModelReplied, later: list[Event]) -> Iterator[Wanted]:
    for number, piece in enumerate(reply.split(event.text)):
        yield Wanted(card_name("reply", seq, str(number)), reply.reply(piece))
    if not event.waits:
        return
    state, endings = replay(event, later)
    for call in event.calls:
        if wait := event.waits.get(call.id):
            ending = endings.get(call.id)
            if card := _of_call(seq, call, wait, state if isinstance(state, Acting) else None, ending):
                yield card


def _of_call(seq: int, call: ToolCall, wait: Wait, state: Acting | None, ending: Ending | None) -> Wanted | None:
    name = card_name("ask" if wait == "ask" else "approval", seq, call.id)
    if wait != "ask":
        rendered = approval.closed(call, ending) if ending else approval.card(call)
        return Wanted(name, rendered, ending is None, approval.title(call)[:_LONGEST_TITLE], ending)
    ask = Ask.model_validate_json(call.arguments)
    title = " · ".join(question.question for question in ask.questions)[:_LONGEST_TITLE]
    if ending:
        shown = ShownAsk(ask, OpenAsk(call_id=call.id, asked=ending.asked))
        return Wanted(name, receipt.receipt(shown, ending), False, title, ending)
    found = state.ask(call.id) if state else None
    if found is None:
        return None  # one ask too many: the model was told so, and people never see it
    return Wanted(name, form.form(ShownAsk(ask, found)), True, title)


def _by(person: Person) -> str:
    return f" by {escape.clean(person.name)}" if person.name else ""
