"""Messages as each person was shown them, kept until they look different: a workspace may hold thousands."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bot.playground.workspace import Json, Message

Look = tuple[Any, ...]


class Drawn:
    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], dict[str, tuple[str, Look, Json]]] = {}

    def rows(
        self, person: str, channel: str, messages: Mapping[str, Message], now: float, draw: Callable[[Message], Json]
    ) -> Iterator[tuple[str, Json]]:
        """Each message of the channel as a row of the page's table; the same object as before, if nothing changed."""
        kept = self._kept.setdefault((person, channel), {})
        for ts, message in messages.items():
            look, row = _look(person, message, now), kept.get(ts)
            if row is None or row[1] != look:
                row = kept[ts] = (f"message/{channel}/{ts}", look, draw(message))
            yield row[0], row[2]
        if len(kept) > len(messages):
            for ts in kept.keys() - messages.keys():
                del kept[ts]


def _look(person: str, message: Message, now: float) -> Look:
    """Whatever can change about it. Blocks are only ever replaced; what is filled in changes where it is."""
    stream, filled = message.stream, message.forms.get(person)
    return (
        message.text,
        message.blocks,
        message.edited_ts,
        message.name,
        stream and (stream.ended, now < stream.expires_at),
        filled and {block: dict(actions) for block, actions in filled.items()},
    )
