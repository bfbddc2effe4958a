"""Questions, calls and receipts as rich text. Everything that others wrote is cleaned here."""

import json

from rich.text import Text

from agent.core.questions import Option, Question
from agent.core.transcript import ToolCall
from agent.ports import ThreadKey
from bot.terminal.safe import clean, one_line, visible

_LONGEST_PREVIEW = 120


def question_text(question: Question, place: str) -> Text:
    lines = [Text(clean(question.question), "bold")]
    if head := " · ".join(filter(None, [one_line(question.header), place])):
        lines.insert(0, Text(head, "cyan"))
    if question.default:
        lines.append(Text(f"Suggested: {one_line(question.default)}", "dim"))
    return Text("\n").join(lines)


def option_texts(option: Option) -> tuple[str, str]:
    return one_line(option.label), one_line(option.description)


def proposal_text(call: ToolCall) -> Text:
    """What is to be approved, whole: someone answers for it."""
    given = json.loads(call.arguments)
    if call.name == "confirm_action":
        title, details = visible(given["action"]), visible(given.get("details") or "")
    else:
        title, details = visible(call.name), visible(json.dumps(given, indent=2, ensure_ascii=False))
    lines = [Text("Needs your approval", "yellow"), Text(title, "bold")]
    return Text("\n").join([*lines, Text(details)] if details else lines)


def concerns(thread: ThreadKey, shown: ThreadKey | None) -> bool:
    """Whether it is the thread that is shown, or a sub-agent of it."""
    return thread.model_copy(update={"call_id": "", "number": 0}) == shown


def indented(thread: ThreadKey) -> int:
    return 2 if thread.call_id else 0


def agent_text(thread: ThreadKey) -> Text:
    return Text(f"agent {thread.number + 1}")


def call_text(thread: ThreadKey, call: ToolCall) -> Text:
    """A call in one line; a sub-agent's says whose it is."""
    preview = one_line(call.arguments[:_LONGEST_PREVIEW])
    text = Text.assemble(agent_text(thread), ": ") if thread.call_id else Text()
    return text.append(one_line(call.name)).append(f" {preview}" if preview != "{}" else "", "dim")


def finished_text(thread: ThreadKey, what: Text, failed: bool) -> Text:
    mark = Text("✗ ", "red") if failed else Text("✓ ", "green")
    return Text.assemble(" " * indented(thread), mark, what, no_wrap=True, overflow="ellipsis")
