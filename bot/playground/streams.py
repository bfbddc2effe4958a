"""chat.startStream, appendStream, stopStream: messages that are written while people watch."""

from typing import Any

from bot.blocks import limits
from bot.playground import blocks as block_rules
from bot.playground import chat, events, forms, sessions, shapes
from bot.playground.content import Content, checked_blocks, metadata, new_id
from bot.playground.core import Core
from bot.playground.methods import Args, Method, Methods
from bot.playground.refusal import Refused, invalid
from bot.playground.workspace import Channel, Json, Message, Stream

STREAM_SECONDS = 300  # from its start, however often it is appended to
DISPLAYS = ("timeline", "plan", "dense")


def start(core: Core, args: Args) -> Json:
    if core.app.streaming_refused:
        raise Refused(core.app.streaming_refused)
    channel = core.channel(args.required("channel"))
    thread_ts = _thread(core, channel, args)
    if channel.kind != "im":
        for name in ("recipient_team_id", "recipient_user_id"):
            if not args.optional(name):
                raise Refused(f"missing_{name}")
        core.user(args.required("recipient_user_id"))
    display = args.optional("task_display_mode") or "timeline"
    if display not in DISPLAYS:
        raise invalid("invalid_arguments", [f"[ERROR] must be one of {', '.join(DISPLAYS)}"])
    stream = Stream(core.clock.now() + STREAM_SECONDS, display)
    _take(core, stream, args)
    message = chat.post(core, channel, Content("", []), thread_ts)
    message.stream = stream
    _draw(core, message)
    events.posted(core, message)
    return {"channel": channel.id, "ts": message.ts}


def append(core: Core, args: Args) -> Json:
    message, stream = _open(core, args)
    if not args.has("markdown_text") and not args.has("chunks"):
        raise invalid("invalid_arguments", ["[ERROR] missing required field: markdown_text"])
    _take(core, stream, args)
    _draw(core, message)
    return {"channel": message.channel, "ts": message.ts}


def stop(core: Core, args: Args) -> Json:
    message, stream = _open(core, args)
    status = args.optional("session_status")
    last, attached = checked_blocks(core, args), metadata(args)
    if status:
        sessions.known(status)
    _take(core, stream, args)
    if status:
        sessions.leave(core, message.channel, message.thread_ts or message.ts, status)
    stream.ended = "stopped"
    stream.blocks += last
    _draw(core, message)
    message.metadata = attached or message.metadata
    found = shapes.message(core, message, metadata=True)
    return {"channel": message.channel, "ts": message.ts, "message": found}


def _thread(core: Core, channel: Channel, args: Args) -> str | None:
    thread_ts = args.optional("thread_ts")
    if thread_ts:
        return core.root(channel, thread_ts).ts
    if channel.kind == "im":
        raise Refused("invalid_thread_ts")  # a stream at the top level is for channels only
    return None


def _open(core: Core, args: Args) -> tuple[Message, Stream]:
    channel = core.channel(args.required("channel"))
    message = core.workspace.message(channel.id, args.required("ts"))
    if message is None:
        raise Refused("message_not_found")
    stream = message.stream
    if stream and not stream.ended and core.clock.now() >= stream.expires_at:
        stream.ended = "expired"
    if stream and stream.ended == "stopped_by_user":
        raise Refused("stopped_by_user")
    if stream is None or stream.ended:
        raise Refused("message_not_in_streaming_state")
    return message, stream


def _take(core: Core, stream: Stream, args: Args) -> None:
    """Add what was sent to the stream: either kind of content, but always the same one."""
    text = args.optional("markdown_text")
    chunks: Any = args.structured("chunks", "invalid_chunks")
    if text is not None and chunks:
        raise Refused("markdown_text_conflict")
    mode = "markdown_text" if text is not None else "chunks" if chunks else None
    if mode is None:
        return
    if stream.mode not in ("", mode):
        raise Refused("streaming_mode_mismatch")
    given = [{"type": "markdown_text", "text": text}] if text is not None else chunks
    faults = _faults(given)
    if faults:
        raise invalid("invalid_chunks", faults)
    if sum(len(chunk["text"]) for chunk in given if chunk["type"] == "markdown_text") > limits.MARKDOWN_TEXT:
        raise Refused("msg_too_long")
    stream.mode = "markdown_text" if mode == "markdown_text" else "chunks"
    for chunk in given:
        _add(core, stream, chunk)


def _faults(chunks: Any) -> list[str]:
    if not isinstance(chunks, list):
        return ["[ERROR] must be an array [json-pointer:/chunks]"]
    return [f"{words} [json-pointer:/chunks/{n}]" for n, chunk in enumerate(chunks) for words in _chunk_faults(chunk)]


def _chunk_faults(chunk: Any) -> list[str]:
    match chunk:
        case {"type": "markdown_text", "text": str()}:
            return []
        case {"type": "plan_update", "title": str(title)}:
            return _too_long(title)
        case {"type": "task_update", "id": str(), "title": str(title), "status": status}:
            wrong = [] if status in block_rules.STATUSES else ["[ERROR] unknown status"]
            return wrong + _too_long(title, chunk.get("details"), chunk.get("output"))
        case {"type": "blocks", "blocks": blocks}:
            return block_rules.faults(blocks, "message")
    return ["[ERROR] invalid chunk"]


def _too_long(*texts: str | None) -> list[str]:
    wrong = any(text and len(text) > limits.TASK_TEXT for text in texts)
    return [f"[ERROR] must be less than {limits.TASK_TEXT + 1} characters"] if wrong else []


def _add(core: Core, stream: Stream, chunk: Json) -> None:
    if chunk["type"] == "markdown_text":
        stream.text += chunk["text"]
    elif chunk["type"] == "plan_update":
        stream.plan = chunk["title"]
    elif chunk["type"] == "blocks":
        stream.blocks = stream.blocks + forms.stored(chunk["blocks"], lambda: new_id(core))
    else:
        task = next((task for task in stream.tasks if task["id"] == chunk["id"]), None)
        if task is None:
            stream.tasks.append(dict(chunk))
        else:  # title and status replace what was there; details are added to it
            details = task.get("details", "") + chunk.get("details", "")
            task |= {**chunk, **({"details": details} if details else {})}


def _draw(core: Core, message: Message) -> None:
    """The message as people see it so far."""
    stream = message.stream
    if stream is None:
        return
    cards = [_card(task) for task in stream.tasks]
    if cards and (stream.plan or stream.display == "plan"):
        cards = [{"type": "plan", "title": stream.plan or cards[0]["title"], "tasks": cards}]
    written = [{"type": "markdown", "text": stream.text}] if stream.text else []
    message.text = stream.text
    message.blocks = [*forms.stored([*cards, *written], lambda: new_id(core)), *stream.blocks]


def _card(task: Json) -> Json:
    card: Json = {"type": "task_card", "task_id": task["id"], "title": task["title"], "status": task["status"]}
    for name in ("details", "output"):
        if task.get(name):
            words = {"type": "rich_text_section", "elements": [{"type": "text", "text": task[name]}]}
            card[name] = {"type": "rich_text", "elements": [words]}
    return card | ({"sources": task["sources"]} if task.get("sources") else {})


METHODS: Methods = {
    "chat.startStream": Method(start, "chat:write"),
    "chat.appendStream": Method(append, "chat:write"),
    "chat.stopStream": Method(stop, "chat:write"),
}
