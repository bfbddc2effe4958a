"""The people of the workspace, and what they can do: write, fill in, click, submit, stop."""

import base64
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.playground import events, forms, interactions, looking, shapes
from bot.playground.core import Core
from bot.playground.refusal import Refused
from bot.playground.socket import NotDelivered
from bot.playground.workspace import Channel, File, Json, Message, User, Values, View

Surface = Message | View
TEXTS = forms.TYPED
CHOICES = {"radio_buttons", "checkboxes"}
BUTTONS = {"button", "icon_button", "feedback_buttons"}


class NotThere(LookupError):
    """What a person cannot see, they cannot use."""


@dataclass(frozen=True)
class Outcome:
    """What became of a click or a submission: what the person is told by Slack itself."""

    acked: bool
    error: str = ""
    errors: dict[str, str] = field(default_factory=dict)
    private: list[Message] = field(default_factory=list)


class Person:
    def __init__(self, core: Core, user: User) -> None:
        self._core = core
        self.user = user
        self.id = user.id
        self.name = user.name

    @property
    def im(self) -> Channel:
        return self._core.workspace.im(self.id)

    def writes(
        self, channel: Channel | str, text: str, thread_ts: str | None = None, files: Mapping[str, bytes] | None = None
    ) -> str:
        """Post a message; its ts."""
        place = self._core.workspace.channels[channel if isinstance(channel, str) else channel.id]
        if self.id not in place.members:
            raise NotThere(f"{self.name} is not in {place.name}")
        if thread_ts and not self._core.workspace.message(place.id, thread_ts):
            raise NotThere(f"there is no thread {thread_ts} in {place.name}")
        message = Message(place.id, self._core.now_ts(), self.id, text, thread_ts=thread_ts)
        message.files = [self._upload(name, data) for name, data in (files or {}).items()]
        message.subtype = "file_share" if files else None
        self._core.workspace.add(message)
        events.posted(self._core, message)
        self._core.changed()
        return message.ts

    def mentions(
        self, channel: Channel | str, text: str, thread_ts: str | None = None, files: Mapping[str, bytes] | None = None
    ) -> str:
        """Write to the app in a channel."""
        return self.writes(channel, f"<@{self._core.workspace.bot_user_id}> {text}", thread_ts, files)

    def dms(self, text: str, thread_ts: str | None = None, files: Mapping[str, bytes] | None = None) -> str:
        return self.writes(self.im, text, thread_ts, files)

    def edits(self, channel: Channel | str, ts: str, text: str) -> None:
        message = self._core.workspace.message(channel if isinstance(channel, str) else channel.id, ts)
        if message is None or message.user != self.id:
            raise NotThere(f"{self.name} has not written {ts}")
        before = shapes.message(self._core, message)
        message.text, message.edited_ts = text, self._core.now_ts()
        events.changed(self._core, message, before)
        self._core.changed()

    def opens_home(self, tab: str = "home") -> None:
        events.home_opened(self._core, self.id, tab)
        self._core.changed()

    def stops(self, channel: Channel | str, thread_ts: str) -> None:
        """Slack's own Stop button, which is there while the agent's session is processing."""
        place = self._core.workspace.channels[channel if isinstance(channel, str) else channel.id]
        session = self._core.workspace.sessions.get(place.id, {}).get(thread_ts)
        if session is None or session.status != "processing" or "agent_session_stopped" not in self._core.app.events:
            raise NotThere("there is no Stop button")
        events.session_stopped(self._core, self.id, place, thread_ts)
        self._core.changed()

    def chooses(self, surface: Surface, where: int | str, *options: str | int) -> None:
        """Pick options in the n-th group of choices (from 1), or in the first one after these words."""
        element = looking.fields(surface.blocks, CHOICES, where)
        several = element["type"] == "checkboxes"
        self._fill(surface, element, list(options) if several else options[0])

    def types(self, surface: Surface, where: int | str, text: str) -> None:
        """Write into the n-th text field (from 1), or into the first one after these words."""
        self._fill(surface, looking.fields(surface.blocks, TEXTS, where), text)

    def fills(self, surface: Surface, block_id: str, value: Any, action_id: str | None = None) -> None:
        """Put a text, an option (by text or position) or several into the element of this block."""
        element = forms.element_at(surface.blocks, block_id, action_id)
        if element is None:
            raise NotThere(f"no block {block_id}")
        self._fill(surface, {**element, "block_id": block_id}, value)

    async def picks(self, surface: Surface, block_id: str, value: Any, action_id: str | None = None) -> Outcome:
        """Fill in an element that tells the app at once, as those outside inputs do."""
        element = forms.element_at(surface.blocks, block_id, action_id)
        if element is None:
            raise NotThere(f"no block {block_id}")
        block = {"block_id": block_id}
        if element["type"] == "overflow":
            held = forms.chosen({**element, "type": "radio_buttons"}, value)
            return await self._act(surface, {**self.action(surface, block, element), **held, "type": "overflow"})
        self._fill(surface, {**element, **block}, value)
        return await self._act(surface, self.action(surface, block, element))

    async def clicks(self, surface: Surface, button: str) -> Outcome:
        """Press a button, by its text or action_id (and say yes if it asks), and wait for Slack's verdict."""
        for element in looking.buttons(surface.blocks):
            if button in (element["text"]["text"], element["action_id"]) and self._sees(element):
                return await self._act(surface, self.action(surface, element, element))
        raise NotThere(f"no button {button!r} among {surface.buttons}")

    async def presses(self, surface: Surface, block_id: str, action_id: str, value: str = "") -> Outcome:
        """Press a button by where it is; of those for feedback, the one with this value."""
        for block, element in forms.interactive(surface.blocks):
            here = (block["block_id"], element["action_id"]) == (block_id, action_id)
            if here and element["type"] in BUTTONS and self._sees(element):
                return await self._act(surface, self.action(surface, block, element, value))
        raise NotThere("This button is no longer there")

    def action(self, surface: Surface, block: Json, element: Json, value: str = "") -> Json:
        """What an element says when it is used: which it is, and what it holds."""
        action = {"type": element["type"], "block_id": block["block_id"], "action_id": element["action_id"]}
        if element["type"] == "feedback_buttons":
            return action | _feedback(element, value)
        if element["type"] in BUTTONS:
            return action | {name: element[name] for name in ("text", "value", "style", "url") if name in element}
        held = self._filled(surface).get(block["block_id"], {}).get(element["action_id"])
        return action | (held or forms.untouched(element) or {})

    def composed(self, surface: Surface, action: Json) -> Json:
        """The payload of this action as it would be sent now."""
        return interactions.block_actions(self._core, self.user, surface, action, self._filled(surface))

    def _sees(self, element: Json) -> bool:
        return self.id in element.get("visible_to_user_ids", [self.id])

    async def submits(self, view: View, values: Mapping[str, Any] | None = None) -> Outcome:
        """Fill in these blocks of a modal and send it."""
        for block_id, value in (values or {}).items():
            self.fills(view, block_id, value)
        wrong = interactions.unfinished(view)
        if wrong:
            return Outcome(False, errors=wrong)
        payload = interactions.view_submission(self._core, view)
        outcome, answer = await self._deliver(payload)
        if not outcome.acked:
            return outcome
        try:
            errors = interactions.respond(self._core, view, answer)
        except Refused as refused:
            return Outcome(True, error=refused.error, private=outcome.private)
        self._core.changed()
        return Outcome(True, errors=errors, private=outcome.private)

    async def closes(self, view: View) -> Outcome:
        """Close a modal; the app hears of it if it asked to."""
        stack = self._core.workspace.modals.get(self.id, [])
        if view in stack:
            stack.remove(view)
        self._core.changed()
        if not view.body.get("notify_on_close"):
            return Outcome(True)
        payload = interactions.view_closed(self._core, view, cleared=False)
        return (await self._deliver(payload))[0]

    async def _act(self, surface: Surface, action: Json) -> Outcome:
        if isinstance(surface, Message) and surface.only_for not in (None, self.id):
            raise NotThere(f"only {surface.only_for} sees this message")
        return (await self._deliver(self.composed(surface, action)))[0]

    async def _deliver(self, payload: Json) -> tuple[Outcome, Json]:
        before = len(self._core.workspace.private)
        try:
            answer = await self._core.hub.interaction(payload)
        except NotDelivered as error:
            return Outcome(False, error=str(error)), {}
        shown = [message for message in self._core.workspace.private[before:] if message.only_for == self.id]
        return Outcome(True, private=shown), answer

    def _fill(self, surface: Surface, element: Json, value: Any) -> None:
        held = forms.chosen(element, value)
        for values in self._places(surface):
            values.setdefault(element["block_id"], {})[element["action_id"]] = held
        self._core.changed()

    def _places(self, surface: Surface) -> list[Values]:
        """Where it is kept: what this person looks at, and the message as it is now, if that is another."""
        if isinstance(surface, View):
            return [surface.values]
        live = self._core.workspace.message(surface.channel, surface.ts) or surface
        return [message.forms.setdefault(self.id, {}) for message in (surface, live)]

    def _filled(self, surface: Surface) -> Values:
        merged: Values = {}
        for values in self._places(surface):
            for block_id, actions in values.items():
                merged[block_id] = merged.get(block_id, {}) | actions
        return merged

    def _upload(self, name: str, data: bytes) -> str:
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        created = int(self._core.clock.now())
        content = base64.b64encode(data).decode()
        file = File(self._core.workspace.new_id("F0"), name, kind, self.id, created, content)
        self._core.workspace.files[file.id] = file
        return file.id


def _feedback(element: Json, value: str) -> Json:
    for name in ("positive_button", "negative_button"):
        if value in ("", element[name]["value"]):
            return {"text": element[name]["text"], "value": element[name]["value"]}
    raise NotThere("This button is no longer there")
