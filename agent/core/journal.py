"""A row of the journal, and the conversation that rows amount to."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from agent.core import events, transcript
from agent.core.events import Event, ModelReplied, Summarised
from agent.core.states import State
from agent.core.transcript import Entry, Message, Placed

# Found without parsing, which for every reply of a long thread would take longer than reading them.
_SEEN = re.compile(r'"seen":(\d+)')


class Row(NamedTuple):
    seq: int
    kind: str
    event: str
    messages: str  # what the event adds to the conversation; "" if nothing

    @classmethod
    def of(cls, seq: int, event: Event, messages: Iterable[Message]) -> "Row":
        return cls(seq, event.kind, event.to_json(), transcript.dump(messages))

    def read(self) -> Event:
        return events.from_row(self.kind, self.event, transcript.load(self.messages))


def conversation(state: State, rows: Iterable[tuple[int, str, str, str]]) -> list[Placed]:
    """What the model is to read: the newest summary, and the rows after those that it stands for."""
    summary: list[Entry] = []
    since: list[Entry] = []
    upto, newest, replied = state.upto, state.summary, ModelReplied.kind
    for seq, kind, event, messages in rows:
        if seq == newest:
            summary = [(upto, upto, messages)]
        elif seq > upto and messages and kind != Summarised.kind:  # an older summary is part of the newest
            since.append((seq, _seen(event) if kind == replied else seq, messages))
    return transcript.arrange(summary + since)


def _seen(event: str) -> int:
    found = _SEEN.search(event)
    return int(found[1]) if found else 0
