"""What the app is told when somebody clicks, picks, submits or closes."""

import uuid

from bot.playground import forms, modals, shapes
from bot.playground.core import Core
from bot.playground.refusal import Refused
from bot.playground.workspace import Json, Message, ResponseUrl, Trigger, User, Values, View

TRIGGER_SECONDS = 3
RESPONSE_URL_SECONDS = 30 * 60
MOST = "This field needs at most {} characters."
LEAST = "This field needs at least {} characters."
MISSING = "Please complete this required field."
TROUBLE = "We had some trouble connecting. Try again?"


def block_actions(core: Core, user: User, shown: Message | View, action: Json, values: Values) -> Json:
    """Somebody used an element of a message or a view."""
    payload = _common(core, user, "block_actions")
    payload["actions"] = [{**action, "action_ts": core.now_ts()}]
    if isinstance(shown, View):
        payload["container"] = {"type": "view", "view_id": shown.id}
        return {**payload, "view": shapes.view(core, shown)}
    return payload | _from_message(core, user, shown, values)


def _from_message(core: Core, user: User, shown: Message, values: Values) -> Json:
    channel = core.workspace.channels[shown.channel]
    container: Json = {"type": "message", "message_ts": shown.ts, "channel_id": channel.id}
    container["is_ephemeral"] = shown.only_for is not None
    if shown.thread_ts:
        container["thread_ts"] = shown.thread_ts
    payload: Json = {"container": container, "state": {"values": forms.values(shown.blocks, values)}}
    payload["channel"] = {"id": channel.id, "name": channel.name or "directmessage"}
    payload["response_url"] = _response_url(core, user, shown)
    if shown.only_for is None:
        payload["message"] = shapes.message(core, shown, metadata=True)
    return payload


def view_submission(core: Core, view: View) -> Json:
    payload = _common(core, core.workspace.users[view.user], "view_submission")
    return {**payload, "view": shapes.view(core, view), "response_urls": []}


def view_closed(core: Core, view: View, *, cleared: bool) -> Json:
    payload = _common(core, core.workspace.users[view.user], "view_closed")
    del payload["trigger_id"]
    return {**payload, "view": shapes.view(core, view), "is_cleared": cleared}


def unfinished(view: View) -> dict[str, str]:
    """What the client itself complains about before a view is submitted: required fields and lengths."""
    found: dict[str, str] = {}
    values = forms.values(view.blocks, view.values)
    for block in view.blocks:
        if block["type"] != "input":
            continue
        value = values[block["block_id"]][block["element"]["action_id"]]
        held = next((held for name, held in value.items() if name != "type"), None)
        if not held and not block.get("optional"):
            found[block["block_id"]] = MISSING
        elif isinstance(held, str) and len(held) > block["element"].get("max_length", len(held)):
            found[block["block_id"]] = MOST.format(block["element"]["max_length"])
        elif isinstance(held, str) and len(held) < block["element"].get("min_length", 0):
            found[block["block_id"]] = LEAST.format(block["element"]["min_length"])
    return found


def respond(core: Core, view: View, answer: Json) -> dict[str, str]:
    """Do what the app answered to a submission; errors per block, those the person reads."""
    stack = core.workspace.modals.get(view.user, [])
    action = answer.get("response_action")
    if action == "errors":
        errors: dict[str, str] = answer.get("errors") or {}
        if not errors or errors.keys() - {block["block_id"] for block in view.blocks}:
            raise Refused(TROUBLE)
        return errors
    if action == "update":
        modals.replace(core, view, modals.checked(core, answer.get("view"), "modal"))
    elif action == "push":
        modals.push(core, view.user, modals.checked(core, answer.get("view"), "modal"))
    elif action == "clear":
        stack.clear()
    elif action is None and view in stack:
        stack.remove(view)
    elif action is not None:
        raise Refused(TROUBLE)
    return {}


def _common(core: Core, user: User, kind: str) -> Json:
    space = core.workspace
    return {
        "type": kind,
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team_id},
        "api_app_id": space.app_id,
        "token": "obsolete",
        "trigger_id": _trigger_id(core, user),
        "team": {"id": space.team.id, "domain": space.team.domain},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _trigger_id(core: Core, user: User) -> str:
    trigger_id = f"{core.workspace.new_id('')}.{user.team_id}.{uuid.uuid4().hex}"
    core.workspace.triggers[trigger_id] = Trigger(user.id, core.clock.now() + TRIGGER_SECONDS)
    return trigger_id


def _response_url(core: Core, user: User, shown: Message) -> str:
    key = uuid.uuid4().hex
    expires = core.clock.now() + RESPONSE_URL_SECONDS
    core.workspace.response_urls[key] = ResponseUrl(user.id, shown.channel, shown.ts, expires)
    return f"{core.url}/actions/{core.workspace.team.id}/{key}"
