"""Slack payload dict -> typed value; nobody else digs in dicts."""

from collections.abc import Iterator
from typing import Any

from bot import ids
from bot.blocks import readable
from bot.received import (
    Cancelled,
    CancelOrdered,
    Click,
    Decided,
    DetailsWanted,
    File,
    HomeOpened,
    Inbound,
    Picked,
    Said,
    Skipped,
    StopPressed,
    Submitted,
    Uninstalled,
    Unknown,
    load,
)

__all__ = [
    "CancelOrdered",
    "Cancelled",
    "Click",
    "Decided",
    "DetailsWanted",
    "File",
    "HomeOpened",
    "Inbound",
    "Picked",
    "Said",
    "Skipped",
    "StopPressed",
    "Submitted",
    "Uninstalled",
    "Unknown",
    "load",
    "parse",
    "teams",
]


_BY_PEOPLE = (None, "file_share", "thread_broadcast")


def teams(body: dict[str, Any]) -> list[str]:
    """The teams that may be meant, the likeliest first: in shared channels, people of other teams click too."""
    message = _text(body, "message", "team") if _text(body, "message", "bot_id") else ""
    named = (_team(body), message, _text(body, "team", "id"), _text(body, "user", "team_id"))
    return [team for team in dict.fromkeys(named) if team]


def parse(body: dict[str, Any], bot_user_id: str, team: str = "") -> Inbound | None:
    """None for whatever asks nothing of us: other events, other bots, edits, payloads that are not Slack's.

    `team` is the one that it is meant for, if that is known: then the thread is of that team.
    """
    if team:
        body = {**body, "authorizations": [{"team_id": team}], "team": {"id": team}}
    match _text(body, "type"), _text(body, "event", "type"):
        case "event_callback", "message" | "app_mention":
            return _said(body, bot_user_id)
        case "event_callback", "agent_session_stopped":
            return _stopped(body)
        case "event_callback", "app_home_opened" if _text(body, "event", "tab") == "home":
            return _home(body)
        case "event_callback", "app_uninstalled" | "tokens_revoked":
            return _uninstalled(body)
        case "block_actions", _:
            return _clicked(body)
    return None


def _said(body: dict[str, Any], bot: str) -> Said | None:
    event = body["event"]
    channel, ts, user, text = (_text(event, name) for name in ("channel", "ts", "user", "text"))
    files = tuple(_files(event))
    foreign = event.get("bot_id") or user == bot or event.get("subtype") not in _BY_PEOPLE
    if foreign or event.get("edited") or not (_team(body) and channel and ts and user and (text.strip() or files)):
        return None
    mentioned = _text(event, "type") == "app_mention" or readable.mentions(text, bot)
    direct = channel.startswith("D") or _text(event, "channel_type") == "im"
    if not (mentioned or direct or _text(event, "thread_ts")):
        return None  # said in a channel, to nobody in particular: it can answer nothing
    user_team = _text(event, "user_team") or _text(event, "team")
    home = {_team(body), _text(body, "enterprise_id")}
    thread_ts = _text(event, "thread_ts")
    return Said(
        team=_team(body),
        channel=channel,
        ts=ts,
        thread_ts=thread_ts if thread_ts and thread_ts != ts else None,
        user=user,
        user_team=user_team,
        text=readable.words(text, bot),
        addressed=mentioned or direct,
        direct=direct,
        external=user_team not in home if user_team else body.get("is_ext_shared_channel") is True,
        files=files,
    )


def _files(event: dict[str, Any]) -> Iterator[File]:
    for file in _list(event, "files"):
        if _text(file, "id"):
            size = file.get("size")
            texts = {name: _text(file, name) for name in ("id", "name", "mimetype", "url_private")}
            if file.get("is_external") is True:
                texts["url_private"] = ""  # it is anyone's address, and must not be sent our token
            yield File(**texts, size=size if isinstance(size, int) else 0)


def _stopped(body: dict[str, Any]) -> StopPressed | None:
    event = body["event"]
    channel, user, thread_ts = (_text(event, name) for name in ("channel", "user", "thread_ts"))
    ts = _text(event, "event_ts") or _text(body, "event_id")
    if not (_team(body) and channel and thread_ts):
        return None
    streams = tuple(stream for stream in _list(event, "streaming_message_ts") if isinstance(stream, str))
    return StopPressed(team=_team(body), channel=channel, user=user, thread_ts=thread_ts, ts=ts, streams=streams)


def _home(body: dict[str, Any]) -> HomeOpened | None:
    team, user = _team(body), _text(body, "event", "user")
    ts = _text(body, "event", "event_ts") or _text(body, "event_id")
    return HomeOpened(team=team, user=user, ts=ts) if team and user else None


def _uninstalled(body: dict[str, Any]) -> Uninstalled | None:
    """Tokens of people may be revoked too, but we have none."""
    kept = _text(body, "event", "type") == "tokens_revoked" and not _list(body, "event", "tokens", "bot")
    return None if kept or not _team(body) else Uninstalled(team=_team(body), user="", ts=_text(body, "event_id"))


def _clicked(body: dict[str, Any]) -> Click | None:
    action = next(iter(_list(body, "actions")), None)
    message_ts = _text(body, "container", "message_ts") or _text(body, "message", "ts")
    fields: dict[str, Any] = _by_user(body) | {
        "channel": _text(body, "channel", "id") or _text(body, "container", "channel_id"),
        "message_ts": message_ts,
        "thread_ts": _text(body, "message", "thread_ts") or _text(body, "container", "thread_ts") or None,
        "action_id": _text(action, "action_id"),
        "action_ts": _text(action, "action_ts"),
        "call_id": _text(action, "value"),
    }
    known = all(fields[name] for name in ("team", "user", "channel", "message_ts", "action_id"))
    if not known or fields["action_id"] in ids.SILENT:
        return None
    match fields["action_id"] if fields["call_id"] else "":
        case ids.SUBMIT:
            return Submitted(**fields, choices=_filled_in(body, fields["call_id"]))
        case ids.SKIP:
            return Skipped(**fields)
        case ids.CANCEL:
            return Cancelled(**fields)
        case ids.APPROVE | ids.DENY as pressed:
            approved = pressed == ids.APPROVE
            reason = "" if approved else _reason(body, fields["call_id"])
            return Decided(**fields, approved=approved, reason=reason)
        case ids.SHOW_DETAILS | ids.SHOW_QUESTIONS:
            return DetailsWanted(**fields)
    return Unknown(**fields)


def _filled_in(body: dict[str, Any], call_id: str) -> dict[int, Picked]:
    """A missing block, a missing action, null and an empty list all mean: not answered."""
    picked: dict[tuple[int, int], Picked] = {}
    for block_id, state in _dict(body, "state", "values").items():
        try:
            ref, part = ids.QuestionRef.from_block_id(block_id)
        except ids.UnknownId:
            continue
        place = (ref.revision, ref.number)
        so_far = picked.get(place, Picked())
        change = {"chosen": _chosen(state)} if part == "choice" else {"text": _text(state, ids.OTHER, "value")}
        if ref.call_id == call_id:
            picked[place] = so_far.model_copy(update=change)
    newest = max((revision for revision, _ in picked), default=0)
    filled = {n: p for (revision, n), p in picked.items() if revision == newest and (p.chosen or p.text.strip())}
    return dict(sorted(filled.items()))


def _chosen(state: Any) -> tuple[int, ...]:
    one = _dict(state, ids.CHOICE, "selected_option")
    options = [one, *_list(_dict(state, ids.CHOICE), "selected_options")]
    values = [_text(option, "value") for option in options]
    return tuple(sorted({int(value) for value in values if value.isascii() and value.isdecimal()}))


def _reason(body: dict[str, Any], call_id: str) -> str:
    return _text(body, "state", "values", ids.reason_block(call_id), ids.REASON, "value").strip()


def _by_user(body: dict[str, Any]) -> dict[str, str]:
    home = _text(body, "user", "team_id")
    return {
        "team": _text(body, "team", "id") or home,
        "user": _text(body, "user", "id"),
        "user_team": home,
        "user_name": _text(body, "user", "username") or _text(body, "user", "name"),
        "trigger_id": _text(body, "trigger_id"),
    }


def _team(body: dict[str, Any]) -> str:
    """The team that installed us; in a shared channel `team_id` may be another."""
    return _text(next(iter(_list(body, "authorizations")), None), "team_id") or _text(body, "team_id")


def _dig(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text(value: Any, *path: str) -> str:
    found = _dig(value, path)
    return found if isinstance(found, str) else ""


def _dict(value: Any, *path: str) -> dict[str, Any]:
    found = _dig(value, path)
    return found if isinstance(found, dict) else {}


def _list(value: Any, *path: str) -> list[Any]:
    found = _dig(value, path)
    return found if isinstance(found, list) else []
