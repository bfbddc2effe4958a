"""What the agent is doing with a tool, in words that follow its name: "Parley is running search…"."""

import json

from agent.core.transcript import ToolCall
from bot.blocks import escape

THINKING = "is thinking…"
DELEGATING = "has sub-agents at work…"
_LONGEST_NAME = 40


def running(call: ToolCall, *, sub_agent: bool = False) -> str:
    """The arguments are the model's: nothing of them is shown, and they may be anything."""
    if call.name == "spawn_agents":
        return _delegating(call.arguments)
    name = escape.inline(call.name[:_LONGEST_NAME])
    return f"has a sub-agent running {name}…" if sub_agent else f"is running {name}…"


def _delegating(arguments: str) -> str:
    try:
        tasks = json.loads(arguments)["tasks"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return DELEGATING
    count = len(tasks) if isinstance(tasks, list) else 0
    return f"has {count} sub-agents at work…" if count > 1 else DELEGATING
