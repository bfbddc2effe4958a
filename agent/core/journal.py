"""A row of the journal, and the conversation that rows amount to."""

import json
from collections.abc import Iterable
from typing import NamedTuple

from agent.core import events, transcript
from agent.core.events import Event, ModelReplied, Summarised
from agent.core.states import State
from agent.core.transcript import Entry, Message, Placed


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


def conversation(state: State, rows: Iterable[Row]) -> list[Placed]:
    """What the model is to read: the newest summary, and the rows after those that it stands for."""
    shown = (row for row in rows if row.messages and _is_shown(state, row))
    return transcript.arrange(sorted((_entry(state, row) for row in shown), key=lambda entry: entry.seq))


def _is_shown(state: State, row: Row) -> bool:
    if row.kind == Summarised.kind:
        return row.seq == state.summary  # an older summary is part of the newest
    return row.seq > state.upto


def _entry(state: State, row: Row) -> Entry:
    messages = transcript.load(row.messages)
    if row.seq == state.summary:
        return Entry(state.upto, state.upto, messages)
    seen = json.loads(row.event)["seen"] if row.kind == ModelReplied.kind else row.seq
    return Entry(row.seq, seen, messages)
