"""What the app is told: Slack's event payloads, for those events it has subscribed to."""

import uuid

from bot.playground import shapes
from bot.playground.core import Core
from bot.playground.workspace import Channel, Json, Message, Stream

SUBSCRIPTION = {"channel": "message.channels", "group": "message.groups", "im": "message.im"}


def posted(core: Core, message: Message) -> None:
    """A message was posted: a mention in a joined channel is two events, in another public one it is one."""
    channel = core.workspace.channels[message.channel]
    inside = core.workspace.bot_user_id in channel.members
    mention = f"<@{core.workspace.bot_user_id}>" in message.text and not message.by_app
    if mention and channel.kind != "im" and (inside or channel.kind == "channel"):
        event = _message_event(core, message)
        event.pop("subtype", None)
        _send(core, "app_mention", {**event, "type": "app_mention"}, channel)
    if inside:
        event = {**_message_event(core, message), "channel_type": channel.kind}
        _send(core, SUBSCRIPTION[channel.kind], event, channel)


def changed(core: Core, message: Message, before: Json) -> None:
    channel = core.workspace.channels[message.channel]
    if core.workspace.bot_user_id not in channel.members:
        return
    event: Json = {"type": "message", "subtype": "message_changed", "channel": channel.id, "hidden": True}
    event |= {"message": shapes.message(core, message, metadata=True), "previous_message": before}
    event |= {"channel_type": channel.kind, "ts": core.now_ts()}
    _send(core, SUBSCRIPTION[channel.kind], {**event, "event_ts": event["ts"]}, channel)


def deleted(core: Core, message: Message, before: Json) -> None:
    channel = core.workspace.channels[message.channel]
    event: Json = {"type": "message", "subtype": "message_deleted", "channel": channel.id, "hidden": True}
    event |= {"deleted_ts": message.ts, "previous_message": before, "channel_type": channel.kind, "ts": core.now_ts()}
    _send(core, SUBSCRIPTION[channel.kind], {**event, "event_ts": event["ts"]}, channel)


def home_opened(core: Core, user: str, tab: str) -> None:
    channel = core.workspace.im(user)
    event: Json = {"type": "app_home_opened", "user": user, "channel": channel.id, "tab": tab}
    if tab == "home" and user in core.workspace.homes:
        event["view"] = shapes.view(core, core.workspace.homes[user])
    _send(core, "app_home_opened", {**event, "event_ts": core.now_ts()}, channel)


def session_stopped(core: Core, user: str, channel: Channel, thread_ts: str) -> None:
    """The Stop button: what was being written ends there, and the app hears of it."""
    stopped = []
    for message in core.workspace.replies(channel.id, thread_ts):
        if message.stream and not message.stream.ended and not _expired(core, message.stream):
            message.stream.ended = "stopped_by_user"
            stopped.append(message.ts)
    event: Json = {"type": "agent_session_stopped", "channel": channel.id, "user": user, "thread_ts": thread_ts}
    event |= {"streaming_message_ts": stopped, "event_ts": core.now_ts()}
    _send(core, "agent_session_stopped", event, channel)


def _expired(core: Core, stream: Stream) -> bool:
    return core.clock.now() >= stream.expires_at


def _message_event(core: Core, message: Message) -> Json:
    event = shapes.message(core, message, metadata=True)
    for name in ("reply_count", "reply_users", "reply_users_count", "latest_reply", "is_locked", "subscribed"):
        event.pop(name, None)
    event |= {"channel": message.channel, "event_ts": message.ts}
    if message.files:
        event |= {"upload": False, "display_as_bot": False}
    if not message.by_app:
        event["client_msg_id"] = str(uuid.uuid4())
    if event["team"] != core.workspace.team.id:
        event |= {"user_team": event["team"], "source_team": event["team"]}
    return event


def _send(core: Core, subscription: str, event: Json, channel: Channel) -> None:
    if subscription not in core.app.events:
        return
    space = core.workspace
    authorization: Json = {"enterprise_id": None, "team_id": space.team.id, "user_id": space.bot_user_id}
    authorization |= {"is_bot": True, "is_enterprise_install": False}
    core.hub.event(
        {
            "type": "event_callback",
            "token": "obsolete",
            "team_id": space.team.id,
            "context_team_id": space.team.id,
            "context_enterprise_id": None,
            "api_app_id": space.app_id,
            "event": event,
            "event_id": space.new_id("Ev0"),
            "event_time": int(core.clock.now()),
            "authorizations": [authorization],
            "is_ext_shared_channel": channel.is_ext_shared,
            "event_context": f"4-{channel.id}",
        }
    )
