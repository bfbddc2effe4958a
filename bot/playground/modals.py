"""views.*: modals, which a trigger opens, and App Home."""

import json
from typing import Any

from bot.blocks import limits
from bot.playground import blocks as block_rules
from bot.playground import composition as part
from bot.playground import forms, shapes
from bot.playground.core import Core
from bot.playground.methods import Args, Method, Methods
from bot.playground.refusal import Refused, invalid
from bot.playground.workspace import Json, View

STACK = 3
FIELDS = {
    "type", "blocks", "callback_id", "private_metadata", "external_id", "title", "submit", "close",
    "clear_on_close", "notify_on_close", "submit_disabled",
}  # fmt: skip
MODAL_ONLY = {"title", "submit", "close", "clear_on_close", "notify_on_close", "submit_disabled"}


def views_open(core: Core, args: Args) -> Json:
    user = _trigger(core, args)
    body = checked(core, args.structured("view", "invalid_arguments"), "modal")
    view = _new(core, user, body, None)
    core.workspace.modals[user] = [view]
    return {"view": shapes.view(core, view)}


def views_push(core: Core, args: Args) -> Json:
    user = _trigger(core, args)
    body = checked(core, args.structured("view", "invalid_arguments"), "modal")
    return {"view": shapes.view(core, push(core, user, body))}


def views_update(core: Core, args: Args) -> Json:
    body = checked(core, args.structured("view", "invalid_arguments"), None)
    view = find(core, args.optional("view_id"), args.optional("external_id"))
    if view is None:
        raise Refused("not_found")
    _same_hash(view, args)
    replace(core, view, body)
    return {"view": shapes.view(core, view)}


def views_publish(core: Core, args: Args) -> Json:
    user = core.user(args.required("user_id"))
    body = checked(core, args.structured("view", "invalid_arguments"), "home")
    view = core.workspace.homes.get(user.id)
    if view is None:
        core.workspace.homes[user.id] = view = _new(core, user.id, body, None)
    else:
        _same_hash(view, args)
        replace(core, view, body)
    return {"view": shapes.view(core, view)}


def checked(core: Core, view: Any, kind: str | None) -> Json:
    """The view with its ids, or a refusal that says what is wrong with it."""
    if not isinstance(view, dict):
        raise invalid("invalid_arguments", ["[ERROR] missing required field: view"])
    if len(json.dumps(view).encode()) > limits.VIEW_BYTES:
        raise Refused("view_too_large")
    faults = view_faults(view, kind)
    if faults:
        raise invalid("invalid_arguments", faults)
    return {**view, "blocks": forms.stored(view["blocks"], lambda: core.workspace.new_id("b"))}


def view_faults(view: Json, kind: str | None = None) -> list[str]:
    """Everything wrong with a view; None takes either kind."""
    if view.get("type") not in ("modal", "home") or kind not in (None, view["type"]):
        return [part.fault(f"unsupported type: {view.get('type')}", "/view/type")]
    modal = view["type"] == "modal"
    found = list(part.unexpected(view, FIELDS if modal else FIELDS - MODAL_ONLY, "/view"))
    if modal:
        found += part.text(view, "title", "/view", limits.MODAL_TITLE, part.PLAIN)
        found += part.optional_text(view, "submit", "/view", limits.MODAL_BUTTON, part.PLAIN)
        found += part.optional_text(view, "close", "/view", limits.MODAL_BUTTON, part.PLAIN)
    found += part.optional_length(view, "callback_id", "/view", limits.ID, shortest=0)
    found += part.optional_length(view, "private_metadata", "/view", limits.PRIVATE_METADATA, shortest=0)
    found += part.optional_length(view, "external_id", "/view", limits.ID, shortest=0)
    found += block_rules.faults(view.get("blocks"), "modal" if modal else "home", "/view/blocks")
    asks = any(block.get("type") == "input" for block in view.get("blocks") or [] if isinstance(block, dict))
    if modal and asks and view.get("submit") is None:
        found.append(part.fault("missing required field: submit", "/view"))
    return found


def find(core: Core, view_id: str | None, external_id: str | None = None) -> View | None:
    views = [*core.workspace.homes.values(), *(view for stack in core.workspace.modals.values() for view in stack)]
    for view in views:
        if view.id == view_id or (external_id and view.external_id == external_id):
            return view
    return None


def push(core: Core, user: str, body: Json) -> View:
    stack = core.workspace.modals.get(user, [])
    if not stack:
        raise Refused("not_found")
    if len(stack) >= STACK:
        raise Refused("push_limit_reached")
    stack.append(_new(core, user, body, stack[-1]))
    return stack[-1]


def replace(core: Core, view: View, body: Json) -> None:
    """New content in the same view; what is filled in stays where the ids stayed."""
    view.body, view.hash = body, _hash(core)
    view.values = forms.kept(view.values, body["blocks"])


def _new(core: Core, user: str, body: Json, under: View | None) -> View:
    external_id = body.get("external_id", "")
    if external_id and find(core, None, external_id):
        raise Refused("duplicate_external_id")
    view_id = core.workspace.new_id("V0")
    root_id, previous_id = (under.root_id, under.id) if under else (view_id, None)
    return View(view_id, user, body["type"], body, _hash(core), root_id, previous_id, external_id)


def _hash(core: Core) -> str:
    return f"{int(core.clock.now())}.{core.workspace.new_id('h')}"


def _same_hash(view: View, args: Args) -> None:
    if args.has("hash") and args.optional("hash") != view.hash:
        raise Refused("hash_conflict")


def _trigger(core: Core, args: Args) -> str:
    trigger = core.workspace.triggers.get(args.required("trigger_id"))
    if trigger is None:
        raise Refused("invalid_trigger_id")
    if core.clock.now() >= trigger.expires_at:
        raise Refused("expired_trigger_id")
    if trigger.used:
        raise Refused("exchanged_trigger_id")
    trigger.used = True
    return trigger.user


METHODS: Methods = {
    "views.open": Method(views_open),
    "views.push": Method(views_push),
    "views.update": Method(views_update),
    "views.publish": Method(views_publish),
}
