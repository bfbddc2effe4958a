"""conversations.*: channels, who is in them, and what was said there."""

import base64
from typing import TypeVar

from bot.playground import shapes
from bot.playground.core import Core
from bot.playground.methods import Args, Method, Methods
from bot.playground.refusal import Refused
from bot.playground.workspace import Channel, Json, Message

T = TypeVar("T")
PAGE = 100
LONGEST_PAGE = 999


def replies(core: Core, args: Args) -> Json:
    """A thread, its root first, page by page."""
    channel = core.readable(args.required("channel"))
    root = core.workspace.message(channel.id, args.required("ts"))
    if root is None:
        raise Refused("thread_not_found")
    thread = [root, *core.workspace.replies(channel.id, root.ts)]
    return _page(core, args, _between(thread, args))


def history(core: Core, args: Args) -> Json:
    """What was said in the channel itself, newest first."""
    channel = core.readable(args.required("channel"))
    top = [m for m in core.workspace.messages.get(channel.id, {}).values() if m.thread_ts in (None, m.ts)]
    return _page(core, args, _between(top, args)[::-1])


def info(core: Core, args: Args) -> Json:
    channel = core.channel(args.required("channel"), joined=False)
    core.need({"channel": "channels:read", "group": "groups:read", "im": "im:read"}[channel.kind])
    return {"channel": shapes.channel(core, channel)}


def members(core: Core, args: Args) -> Json:
    channel = core.channel(args.required("channel"), joined=False)
    core.need({"channel": "channels:read", "group": "groups:read", "im": "im:read"}[channel.kind])
    page, cursor = _cut(channel.members, args)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


def open_im(core: Core, args: Args) -> Json:
    """The direct messages with one person; group direct messages are not supported here."""
    named = args.given.get("users") or ""
    users = named if isinstance(named, list) else str(named).split(",")
    if len(users) != 1:
        raise Refused("not_enough_users" if not named else "channel_type_not_supported")
    core.user(users[0])
    channel: Channel = core.workspace.im(users[0])
    return {"channel": shapes.channel(core, channel) if args.flag("return_im") else {"id": channel.id}}


def _between(found: list[Message], args: Args) -> list[Message]:
    oldest, latest = args.optional("oldest") or "", args.optional("latest") or "~"
    if args.flag("inclusive"):
        return [m for m in found if oldest <= m.ts <= latest]
    return [m for m in found if oldest < m.ts < latest]


def _page(core: Core, args: Args, found: list[Message]) -> Json:
    page, cursor = _cut(found, args)
    shown = [shapes.message(core, m, metadata=args.flag("include_all_metadata")) for m in page]
    answer: Json = {"messages": shown, "has_more": bool(cursor)}
    return answer | ({"response_metadata": {"next_cursor": cursor}} if cursor else {})


def _cut(found: list[T], args: Args) -> tuple[list[T], str]:
    """One page, and the cursor of the next."""
    size, start = args.number("limit", PAGE, LONGEST_PAGE), 0
    if cursor := args.optional("cursor"):
        try:
            start = int(base64.b64decode(cursor).decode().removeprefix("next:"))
        except ValueError:
            raise Refused("invalid_cursor") from None
    end = start + size
    following = base64.b64encode(f"next:{end}".encode()).decode() if end < len(found) else ""
    return found[start:end], following


METHODS: Methods = {
    "conversations.replies": Method(replies),
    "conversations.history": Method(history),
    "conversations.info": Method(info),
    "conversations.members": Method(members),
    "conversations.open": Method(open_im, "im:write"),
}
