"""chat.*: posting, changing and deleting messages."""

from bot.blocks import limits
from bot.playground import events, forms, shapes
from bot.playground.content import Content, content, metadata
from bot.playground.core import Core
from bot.playground.methods import Args, Method, Methods
from bot.playground.refusal import Refused
from bot.playground.workspace import Channel, Json, Message


def post_message(core: Core, args: Args) -> Json:
    """A message in a channel, in one of its threads, or to a person."""
    channel = _target(core, args.required("channel"))
    _no_disguise(core, args)
    thread_ts = _thread(core, channel, args)
    shown, attached = content(core, args), metadata(args)
    message = post(core, channel, shown, thread_ts)
    message.metadata = attached
    message.name = args.optional("username")
    events.posted(core, message)
    answer: Json = {"channel": channel.id, "ts": message.ts, "message": shapes.message(core, message, metadata=True)}
    return answer | _warning(shown)


def post(core: Core, channel: Channel, shown: Content, thread_ts: str | None) -> Message:
    """The app's message is there, and the status of its thread is gone."""
    message = Message(channel.id, core.now_ts(), core.workspace.bot_user_id, shown.text, shown.blocks, thread_ts)
    message.by_app = True
    core.workspace.add(message)
    core.workspace.statuses.get(channel.id, {}).pop(thread_ts or message.ts, None)
    return message


def post_ephemeral(core: Core, args: Args) -> Json:
    channel = core.channel(args.required("channel"))
    user = core.user(args.required("user"))
    if user.id not in channel.members:
        raise Refused("user_not_in_channel")
    thread_ts = _thread(core, channel, args)
    shown = content(core, args)
    message = private(core, channel, user.id, shown, thread_ts)
    return {"message_ts": message.ts} | _warning(shown)


def private(core: Core, channel: Channel, user: str, shown: Content, thread_ts: str | None) -> Message:
    """A message that only this person sees; it is in no history."""
    message = Message(channel.id, core.now_ts(), core.workspace.bot_user_id, shown.text, shown.blocks, thread_ts)
    message.by_app = True
    message.only_for = user
    core.workspace.private.append(message)
    return message


def update(core: Core, args: Args) -> Json:
    channel = core.channel(args.required("channel"))
    message = _own(core, channel, args, "cant_update_message")
    if message.stream and not message.stream.ended and core.clock.now() < message.stream.expires_at:
        raise Refused("streaming_state_conflict")
    if len(args.optional("text") or "") > limits.MESSAGE_TEXT:
        raise Refused("msg_too_long")
    shown, attached = content(core, args), metadata(args)
    before = shapes.message(core, message, metadata=True)
    change(core, message, shown)
    if attached is not None:
        message.metadata = attached
    events.changed(core, message, before)
    found = shapes.message(core, message, metadata=True)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": found}


def change(core: Core, message: Message, shown: Content) -> None:
    """New content; what people have filled in stays where the ids stayed."""
    message.text, message.blocks = shown.text, shown.blocks
    message.edited_ts = core.now_ts()
    message.forms = {user: forms.kept(filled, shown.blocks) for user, filled in message.forms.items()}


def delete(core: Core, args: Args) -> Json:
    channel = core.channel(args.required("channel"))
    message = _own(core, channel, args, "cant_delete_message")
    before = shapes.message(core, message, metadata=True)
    remove(core, message)
    events.deleted(core, message, before)
    return {"channel": channel.id, "ts": message.ts}


def remove(core: Core, message: Message) -> None:
    """Gone, or a tombstone if a thread hangs on it."""
    if core.workspace.replies(message.channel, message.ts):
        message.text, message.blocks, message.subtype = "This message was deleted.", [], "tombstone"
    else:
        core.workspace.messages[message.channel].pop(message.ts, None)


def get_permalink(core: Core, args: Args) -> Json:
    channel = core.channel(args.required("channel"), joined=False)
    message = core.workspace.message(channel.id, args.required("message_ts"))
    if message is None:
        raise Refused("message_not_found")
    return {"channel": channel.id, "permalink": shapes.permalink(core, message)}


def _target(core: Core, channel_id: str) -> Channel:
    if channel_id in core.workspace.users:
        return core.workspace.im(channel_id)
    return core.channel(channel_id)


def _thread(core: Core, channel: Channel, args: Args) -> str | None:
    thread_ts = args.optional("thread_ts")
    return core.root(channel, thread_ts).ts if thread_ts else None


def _own(core: Core, channel: Channel, args: Args, error: str) -> Message:
    message = core.workspace.message(channel.id, args.required("ts"))
    if message is None or message.subtype == "tombstone":
        raise Refused("message_not_found")
    if not message.by_app:
        raise Refused(error)
    return message


def _no_disguise(core: Core, args: Args) -> None:
    if args.has("username") or args.has("icon_emoji") or args.has("icon_url"):
        core.need("chat:write.customize")


def _warning(shown: Content) -> Json:
    if not shown.truncated:
        return {}
    return {"warning": "message_truncated", "response_metadata": {"warnings": ["message_truncated"]}}


METHODS: Methods = {
    "chat.postMessage": Method(post_message, "chat:write"),
    "chat.postEphemeral": Method(post_ephemeral, "chat:write"),
    "chat.update": Method(update, "chat:write"),
    "chat.delete": Method(delete, "chat:write"),
    "chat.getPermalink": Method(get_permalink),
}
