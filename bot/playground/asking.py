"""What the page asks for, read with care: anything may stand in it."""

import math
from dataclasses import dataclass
from typing import Any

from bot.playground.core import Core
from bot.playground.people import Person, Surface
from bot.playground.typed import clean
from bot.playground.workspace import Channel, Json, Message, View

FILE_BYTES = 20 * 1024 * 1024  # of all files of a message
GONE = "This message is no longer there."


class CannotBeDone(Exception):
    """Why something the page asked for is not done, in one sentence for whoever asked."""


def sentence(words: str) -> str:
    """As it is said to people."""
    ended = words if words.endswith((".", "?", "!")) else f"{words}."
    return f"{ended[0].upper()}{ended[1:]}" if words else ""


@dataclass(frozen=True)
class Asked:
    """One thing that somebody wants done: the fields as they were sent, and who sent them."""

    core: Core
    person: Person
    fields: Json

    def text(self, name: str, default: str | None = None) -> str:
        value = self.fields.get(name, default)
        if not isinstance(value, str):
            raise CannotBeDone(f"The page sent no text as “{name}”.")
        return clean(value)

    def number(self, name: str, least: float, most: float, default: float | None = None) -> float:
        value = self.fields.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise CannotBeDone(f"The page sent no number as “{name}”.")
        if not least <= value <= most:
            raise CannotBeDone(f"“{name}” must be between {least:g} and {most:g}.")
        return value

    def flag(self, name: str) -> bool:
        value = self.fields.get(name)
        if not isinstance(value, bool):
            raise CannotBeDone(f"The page sent neither true nor false as “{name}”.")
        return value

    def object(self, name: str) -> Json:
        value = self.fields.get(name)
        if not isinstance(value, dict):
            raise CannotBeDone(f"The page sent no object as “{name}”.")
        return value

    def channel(self) -> Channel:
        return self._channel(self.fields.get("channel"))

    def message(self) -> Message:
        return self._message(self.channel(), self.fields.get("ts"))

    def hidden(self) -> Message:
        return self._hidden(self.channel(), self.fields.get("ts"))

    def surface(self) -> Surface:
        """What somebody looks at: a message, one that only they see, the modal on top, or App Home."""
        match self.object("surface"):
            case {"view": view_id}:
                return self._view(view_id)
            case {"private": channel, "ts": ts}:
                return self._hidden(self._channel(channel), ts)
            case {"channel": channel, "ts": ts}:
                return self._message(self._channel(channel), ts)
        raise CannotBeDone("The page did not say where.")

    def view(self) -> View:
        surface = self.surface()
        if not isinstance(surface, View) or surface.type != "modal":
            raise CannotBeDone("Only a modal can be submitted or closed.")
        return surface

    def _channel(self, channel_id: Any) -> Channel:
        channel = self.core.workspace.channels.get(channel_id) if isinstance(channel_id, str) else None
        if channel is None or self.person.id not in channel.members:
            raise CannotBeDone("You are not in this channel.")
        return channel

    def _message(self, channel: Channel, ts: Any) -> Message:
        message = self.core.workspace.message(channel.id, ts) if isinstance(ts, str) else None
        if message is None or message.subtype == "tombstone":
            raise CannotBeDone(GONE)
        return message

    def _hidden(self, channel: Channel, ts: Any) -> Message:
        for message in self.core.workspace.private:
            if (message.channel, message.ts, message.only_for) == (channel.id, ts, self.person.id):
                return message
        raise CannotBeDone(GONE)

    def _view(self, view_id: Any) -> View:
        home = self.core.workspace.homes.get(self.person.id)
        for view in [home, *self.core.workspace.modals.get(self.person.id, [])[-1:]]:
            if view and view.id == view_id:
                return view
        raise CannotBeDone("This view is no longer open.")
