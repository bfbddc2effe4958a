"""What people do on the page, each as the person they are there."""

import base64
import binascii
from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from bot.playground import answers
from bot.playground.asking import FILE_BYTES, Asked, CannotBeDone, sentence
from bot.playground.people import NotThere, Outcome
from bot.playground.typed import clean, encoded
from bot.playground.workspace import Json, View

LONGEST_MESSAGE = 12_000
MOST_FILES = 10


@dataclass(frozen=True)
class Done:
    """What became of it, as the page is told."""

    error: str = ""
    errors: dict[str, str] = field(default_factory=dict)
    result: Json | None = None


Act = Callable[[Asked], Awaitable[Done]]


async def write(asked: Asked) -> Done:
    channel, files = asked.channel(), _files(asked.fields.get("files"))
    if (typed := asked.text("text", "").strip()).startswith("/"):
        return await _command(asked, typed)
    text = _message_text(asked, needed=not files)
    thread_ts = asked.fields.get("thread_ts") and asked.text("thread_ts")
    root = asked.core.workspace.message(channel.id, thread_ts) if thread_ts else None
    if thread_ts and (root is None or root.thread_ts not in (None, root.ts)):
        raise CannotBeDone("This thread is no longer there.")
    return Done(result={"ts": asked.person.writes(channel, text, thread_ts or None, files)})


async def invite(asked: Asked) -> Done:
    """The app comes into a channel, as anybody who is there may ask it to."""
    channel, space = asked.channel(), asked.core.workspace
    if space.bot_user_id in channel.members:
        raise CannotBeDone(f"{space.users[space.bot_user_id].real_name} is here already.")
    channel.members.append(space.bot_user_id)
    asked.core.changed()
    return Done()


async def edit(asked: Asked) -> Done:
    message = asked.message()
    if message.user != asked.person.id:
        raise CannotBeDone("You can edit only what you wrote yourself.")
    asked.person.edits(message.channel, message.ts, _message_text(asked, needed=not message.files))
    return Done()


async def fill(asked: Asked) -> Done:
    """Nobody is told of it before a button is pressed."""
    surface = asked.surface()
    block, element = answers.element(surface, asked.text("block_id"), asked.text("action_id"))
    if block["type"] != "input":
        raise CannotBeDone("This is no field of a form.")
    value = answers.value(asked.core.workspace, element, asked.fields.get("value"))
    if not isinstance(surface, View):
        answers.short_enough(element, value)
    asked.person.fills(surface, block["block_id"], value, element["action_id"])
    return Done()


async def pick(asked: Asked) -> Done:
    """The app is told at once."""
    surface = asked.surface()
    block, element = answers.element(surface, asked.text("block_id"), asked.text("action_id"))
    if block["type"] == "input" and not block.get("dispatch_action"):
        raise CannotBeDone("The app hears of this field only when a button is pressed.")
    value = answers.value(asked.core.workspace, element, asked.fields.get("value"))
    return _told(await asked.person.picks(surface, block["block_id"], value, element["action_id"]))


async def click(asked: Asked) -> Done:
    """A button; where one element has two, as feedback has, `value` says which."""
    surface, value = asked.surface(), asked.text("value", "")
    return _told(await asked.person.presses(surface, asked.text("block_id"), asked.text("action_id"), value))


async def submit(asked: Asked) -> Done:
    return _told(await asked.person.submits(asked.view()))


async def close(asked: Asked) -> Done:
    return _told(await asked.person.closes(asked.view()))


async def home(asked: Asked) -> Done:
    asked.person.opens_home()
    return Done()


async def stop(asked: Asked) -> Done:
    channel = asked.channel()
    try:
        asked.person.stops(channel, asked.text("thread_ts"))
    except NotThere:
        raise CannotBeDone("Nothing is running here that could be stopped.") from None
    return Done()


async def dismiss(asked: Asked) -> Done:
    asked.core.workspace.private.remove(asked.hidden())
    asked.core.changed()
    return Done()


async def _command(asked: Asked, typed: str) -> Done:
    """What begins with a slash is never a message, as in Slack."""
    app = asked.core.workspace.users[asked.core.workspace.bot_user_id]
    if typed.casefold().split() == ["/invite", f"@{app.name}".casefold()]:
        return await invite(asked)
    raise CannotBeDone(f"There are no slash commands here, except /invite @{app.name}.")


def _told(outcome: Outcome) -> Done:
    return Done(sentence(outcome.error), outcome.errors)


def _message_text(asked: Asked, *, needed: bool) -> str:
    text = asked.text("text", "").strip()
    if not text and needed:
        raise CannotBeDone("There is nothing to send.")
    if len(text) > LONGEST_MESSAGE:
        raise CannotBeDone(f"A message has at most {LONGEST_MESSAGE:,} characters; this one has {len(text):,}.")
    return encoded(text, asked.core.workspace, asked.person.user)


def _files(given: Any) -> dict[str, bytes]:
    if given is not None and not isinstance(given, list):
        raise CannotBeDone("The page sent no list of files.")
    if len(given or []) > MOST_FILES:
        raise CannotBeDone(f"A message has at most {MOST_FILES} files.")
    files: dict[str, bytes] = {}
    for each in given or []:
        name, data = _file(each)
        files[_free(name, files)] = data
    if sum(map(len, files.values())) > FILE_BYTES:
        raise CannotBeDone(f"The files of a message have at most {FILE_BYTES // 1024**2} MB.")
    return files


def _free(name: str, taken: Container[str]) -> str:
    """This name, or with the first number before it that no other file has."""
    names = (f"{number}-{name}" for number in count(2))
    return name if name not in taken else next(each for each in names if each not in taken)


def _file(given: Any) -> tuple[str, bytes]:
    match given:
        case {"name": str(name), "base64": str(content)}:
            try:
                data = base64.b64decode(content, validate=True)
            except (binascii.Error, ValueError):
                raise CannotBeDone("A file did not arrive whole.") from None
            return clean(name).replace("/", "_").replace("\\", "_").replace("\n", " ").strip()[:255] or "file", data
    raise CannotBeDone("The page sent something that is no file.")


ACTS: dict[str, Act] = {
    "write": write,
    "invite": invite,
    "edit": edit,
    "fill": fill,
    "pick": pick,
    "click": click,
    "submit": submit,
    "close": close,
    "home": home,
    "stop": stop,
    "dismiss": dismiss,
}
