"""Everything that one person sees, as a flat table: it depends on nothing but the workspace and the time."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.playground import forms
from bot.playground.asking import FILE_BYTES
from bot.playground.core import Core
from bot.playground.faults import Fault
from bot.playground.streams import STREAM_SECONDS
from bot.playground.workspace import Channel, Json, Message, User, Values, View

Table = dict[str, Json | str]


@dataclass(frozen=True)
class Guide:
    """What to ask the model behind the app; if it is a scripted one, `advice` says how to have a real one."""

    prompts: tuple[str, ...] = ()
    advice: str = ""


def table(core: Core, person: User, guide: Guide) -> Table:
    """What it holds is not to be changed: it shares the blocks with the workspace."""
    space = core.workspace
    found: Table = {"team": {"id": space.team.id, "name": space.team.name}, "me": person.id}
    found["app"] = _app(core, guide)
    found["trouble"] = _trouble(core)
    found["limits"] = {"file_bytes": FILE_BYTES}
    found |= {f"user/{user.id}": _user(core, user) for user in space.users.values()}
    for channel in space.channels.values():
        if person.id in channel.members:
            found[f"channel/{channel.id}"] = _channel(core, channel)
            found |= _within(core, person, channel)
    for message in space.private:
        if message.only_for == person.id and f"channel/{message.channel}" in found:
            found[f"private/{message.channel}/{message.ts}"] = _message(core, person, message)
    if home := space.homes.get(person.id):
        found["home"] = {"id": home.id, "blocks": home.blocks, "form": _form(home.blocks, home.values)}
    if stack := space.modals.get(person.id):
        found["modal"] = _modal(stack[-1])
    return found


def next_expiry(core: Core) -> float | None:
    """When something will look different by itself: a status goes, or a message is no longer being written."""
    now, space = core.clock.now(), core.workspace
    times = [status.expires_at for here in space.statuses.values() for status in here.values()]
    for here in space.messages.values():
        for message in reversed(here.values()):
            if float(message.ts) + STREAM_SECONDS < now:
                break  # this one and all before it are too old
            if message.stream and not message.stream.ended:
                times.append(message.stream.expires_at)
    return min((time for time in times if time > now), default=None)


def _within(core: Core, person: User, channel: Channel) -> Iterator[tuple[str, Json]]:
    space, place = core.workspace, channel.id
    messages, now = space.messages.get(place, {}), core.clock.now()
    yield from core.drawn.rows(person.id, place, messages, now, lambda message: _message(core, person, message))
    for ts, status in space.statuses.get(place, {}).items():
        if now < status.expires_at:
            yield f"status/{place}/{ts}", {"text": status.text, "loading_messages": status.loading_messages}
    for ts, session in space.sessions.get(place, {}).items():
        yield f"session/{place}/{ts}", {"status": session.status, "title": session.title}


def _app(core: Core, guide: Guide) -> Json:
    return {
        "user": core.workspace.bot_user_id,
        "connected": len(core.hub.open),
        "prompts": list(guide.prompts),
        "advice": guide.advice,
        "is_agent": core.app.is_agent,
    }


def _user(core: Core, user: User) -> Json:
    team = core.workspace.teams.get(user.team_id)
    return {
        "id": user.id,
        "name": user.name,
        "real_name": user.real_name,
        "is_bot": user.is_bot,
        "is_guest": user.is_restricted or user.is_ultra_restricted,
        "is_external": user.team_id != core.workspace.team.id,
        "is_admin": user.is_admin,
        "team_name": team.name if team else "",
    }


def _channel(core: Core, channel: Channel) -> Json:
    return {
        "id": channel.id,
        "name": channel.name,
        "kind": channel.kind,
        "members": list(channel.members),
        "is_ext_shared": channel.is_ext_shared,
        "app_is_in": core.workspace.bot_user_id in channel.members,
    }


def _message(core: Core, person: User, message: Message) -> Json:
    stream = message.stream
    return {
        "channel": message.channel,
        "ts": message.ts,
        "thread_ts": message.thread_ts,
        "user": message.user,
        "by_app": message.by_app,
        "name": message.name,
        "text": message.text,
        "blocks": message.blocks,
        "edited": message.edited_ts is not None,
        "files": [_file(core, person, file_id) for file_id in message.files],
        "streaming": bool(stream and not stream.ended and core.clock.now() < stream.expires_at),
        "form": _form(message.blocks, message.forms.get(person.id, {})) if message.blocks else {},
    }


def _form(blocks: list[Json], filled: Values) -> Values:
    return forms.values(blocks, filled)


def _file(core: Core, person: User, file_id: str) -> Json:
    file = core.workspace.files[file_id]
    address = f"/page/files/{file.id}?as={person.id}"
    return {"id": file.id, "name": file.name, "mimetype": file.mimetype, "url": address}


def _modal(view: View) -> Json:
    texts = {name: (view.body.get(name) or {}).get("text") for name in ("title", "submit", "close")}
    return {"id": view.id, **texts, "blocks": view.blocks, "form": _form(view.blocks, view.values)}


def _trouble(core: Core) -> Json:
    faults = [_fault(fault) for fault in core.faults.planned if fault.times != 0]
    rates = core.rates.on or bool(core.rates.own)
    return {"faults": faults, "rates": rates, "ahead": round(core.clock.ahead)}


def _fault(fault: Fault) -> Json:
    if fault.drop:
        what = "after" if fault.after else "cut"
    elif not fault.fails:
        what = f"slow, {fault.delay:g} s" if fault.delay else "held"
    elif fault.status != 200:
        what = str(fault.status)
    else:
        what = fault.error or ""
    return {"method": fault.method, "what": what, "times": fault.times}
