"""The thread's status line and the agent's session."""

from bot.playground.composition import fault
from bot.playground.core import Core
from bot.playground.methods import Args, Method, Methods
from bot.playground.refusal import Refused, invalid
from bot.playground.workspace import Json, Session, Status

STATUS_SECONDS = 120
LOADING_MESSAGES = 10
SESSION_STATUSES = ("processing", "active", "suspended", "closed")
TITLE = 200


def set_thread_status(core: Core, args: Args) -> Json:
    """Words under the thread; gone with the app's next message or after two minutes."""
    channel = core.channel(args.required("channel_id"))
    root = core.root(channel, args.required("thread_ts"))
    loading = args.structured("loading_messages", "invalid_arguments") or []
    if len(loading) > LOADING_MESSAGES:
        raise invalid(
            "invalid_arguments", [fault(f"no more than {LOADING_MESSAGES} items allowed", "/loading_messages")]
        )
    text = args.optional("status")
    if text is None:
        raise invalid("invalid_arguments", ["[ERROR] missing required field: status"])
    here = core.workspace.statuses.setdefault(channel.id, {})
    here.pop(root.ts, None)
    if text:
        here[root.ts] = Status(text, loading, core.clock.now() + STATUS_SECONDS)
    return {}


def set_session_status(core: Core, args: Args) -> Json:
    """The session of a thread, made if it is new."""
    if not core.app.is_agent:
        raise Refused("not_allowed")
    channel = core.channel(args.required("channel_id"))
    root = core.root(channel, args.required("thread_ts"))
    status, title = args.required("status"), args.optional("title") or ""
    known(status)
    if len(title) > TITLE:
        raise invalid("invalid_arguments", [fault(f"must be less than {TITLE + 1} characters", "/title")])
    initiator = args.optional("initiator_user_id")
    if initiator and initiator not in channel.members:
        raise Refused("user_not_in_channel")
    here = core.workspace.sessions.setdefault(channel.id, {})
    session = here.setdefault(root.ts, Session(status, title, initiator))
    session.status = status
    answer = {"status": status, "agent_status": status, "title": session.title}
    if "agent_session_stopped" not in core.app.events:
        answer["warning"] = "missing_agent_session_stopped_event_subscription"
    return answer


def rename_session(core: Core, args: Args) -> Json:
    channel = core.channel(args.required("channel_id"))
    session = core.workspace.sessions.get(channel.id, {}).get(args.required("thread_ts"))
    title = args.required("title")
    if session is None:
        raise Refused("session_not_found")
    if len(title) > TITLE:
        raise invalid("invalid_arguments", [fault(f"must be less than {TITLE + 1} characters", "/title")])
    session.title = title
    return {"title": title}


def leave(core: Core, channel: str, thread_ts: str, status: str) -> None:
    """The status a session goes to when its stream is stopped."""
    session = core.workspace.sessions.get(channel, {}).get(thread_ts)
    if session:
        session.status = status


def known(status: str) -> None:
    """Refuse what is not a status of a session, such as free words."""
    if status not in SESSION_STATUSES:
        raise invalid("invalid_arguments", [fault(f"must be one of {', '.join(SESSION_STATUSES)}", "/status")])


METHODS: Methods = {
    "assistant.threads.setStatus": Method(set_thread_status, "chat:write"),
    "agents.sessions.setStatus": Method(set_session_status, "chat:write"),
    "agents.sessions.rename": Method(rename_session, "chat:write"),
}
