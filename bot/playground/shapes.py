"""People, channels, messages, files and views as the Web API gives them."""

from bot.playground import forms
from bot.playground.core import Core
from bot.playground.workspace import Channel, File, Json, Message, User, View

UNSEEN = "This content can't be displayed."


def message(core: Core, shown: Message, *, metadata: bool = False) -> Json:
    """A message with what its thread adds to it."""
    found: Json = {"type": "message", "user": shown.user, "ts": shown.ts, "text": shown.text}
    found["team"] = core.workspace.users[shown.user].team_id
    if shown.by_app:
        found |= {"bot_id": core.workspace.bot_id, "app_id": core.workspace.app_id, "bot_profile": bot(core)}
    if shown.name:
        found["username"] = shown.name
    for name, value in (("subtype", shown.subtype), ("blocks", shown.blocks), ("thread_ts", shown.thread_ts)):
        if value:
            found[name] = value
    if shown.edited_ts:
        found["edited"] = {"user": shown.user, "ts": shown.edited_ts}
    if shown.files:
        found["files"] = [file(core, core.workspace.files[file_id]) for file_id in shown.files]
    if shown.metadata and metadata:
        found["metadata"] = shown.metadata
    return found | _thread(core, shown)


def _thread(core: Core, shown: Message) -> Json:
    if shown.thread_ts and shown.thread_ts != shown.ts:
        root = core.workspace.message(shown.channel, shown.thread_ts)
        return {"parent_user_id": root.user} if root else {}
    replies = core.workspace.replies(shown.channel, shown.ts)
    if not replies:
        return {}
    users = list(dict.fromkeys(reply.user for reply in replies))
    return {
        "thread_ts": shown.ts,
        "reply_count": len(replies),
        "reply_users_count": len(users),
        "reply_users": users,
        "latest_reply": replies[-1].ts,
        "is_locked": False,
        "subscribed": False,
    }


def bot(core: Core) -> Json:
    space = core.workspace
    name = space.users[space.bot_user_id].name
    return {"id": space.bot_id, "app_id": space.app_id, "user_id": space.bot_user_id, "name": name, "deleted": False}


def user(shown: User) -> Json:
    return {
        "id": shown.id,
        "team_id": shown.team_id,
        "name": shown.name,
        "real_name": shown.real_name,
        "deleted": shown.deleted,
        "tz": shown.tz,
        "profile": {
            "real_name": shown.real_name,
            "display_name": shown.display_name or shown.name,
            "team": shown.team_id,
        },
        "is_admin": shown.is_admin,
        "is_owner": False,
        "is_primary_owner": False,
        "is_restricted": shown.is_restricted,
        "is_ultra_restricted": shown.is_ultra_restricted,
        "is_stranger": shown.is_stranger,
        "is_bot": shown.is_bot,
        "is_app_user": False,
    }


def channel(core: Core, shown: Channel) -> Json:
    common = {"id": shown.id, "is_archived": False, "is_ext_shared": shown.is_ext_shared, "created": 1_700_000_000}
    if shown.kind == "im":
        person = next(member for member in shown.members if member != core.workspace.bot_user_id)
        return {**common, "is_im": True, "user": person, "is_user_deleted": False}
    return {
        **common,
        "name": shown.name,
        "is_channel": shown.kind == "channel",
        "is_group": False,
        "is_im": False,
        "is_mpim": False,
        "is_private": shown.kind == "group",
        "is_member": core.workspace.bot_user_id in shown.members,
        "is_general": shown.name == "general",
        "num_members": len(shown.members),
    }


def file(core: Core, shown: File) -> Json:
    kind = shown.name.rpartition(".")[2] or "binary"
    address = f"{core.url}/files-pri/{core.workspace.team.id}-{shown.id}/{shown.name}"
    return {
        "id": shown.id,
        "created": shown.created,
        "timestamp": shown.created,
        "name": shown.name,
        "title": shown.name,
        "mimetype": shown.mimetype,
        "filetype": kind,
        "user": shown.user,
        "size": len(shown.data),
        "mode": "hosted",
        "is_external": False,
        "file_access": "visible",
        "url_private": address,
        "url_private_download": address,
    }


def view(core: Core, shown: View) -> Json:
    space = core.workspace
    return {
        "callback_id": "",
        "private_metadata": "",
        "title": None,
        "submit": None,
        "close": None,
        "clear_on_close": False,
        "notify_on_close": False,
        **shown.body,
        "id": shown.id,
        "team_id": space.team.id,
        "app_id": space.app_id,
        "app_installed_team_id": space.team.id,
        "bot_id": space.bot_id,
        "external_id": shown.external_id,
        "hash": shown.hash,
        "root_view_id": shown.root_id,
        "previous_view_id": shown.previous_id,
        "state": {"values": forms.values(shown.body["blocks"], shown.values)},
    }


def permalink(core: Core, shown: Message) -> str:
    address = f"{core.url}/archives/{shown.channel}/p{shown.ts.replace('.', '')}"
    in_thread = shown.thread_ts and shown.thread_ts != shown.ts
    return f"{address}?thread_ts={shown.thread_ts}&cid={shown.channel}" if in_thread else address
