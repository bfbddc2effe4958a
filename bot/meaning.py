"""What someone's words or click mean in the state that the thread is in: pure."""

from typing import Any

from agent.core.events import MessageReceived, Wait
from agent.core.questions import Ask
from agent.core.states import Acting, State
from agent.core.steps import Step
from agent.core.transcript import ToolCall
from agent.core.transitions import advance
from agent.core.values import Person
from bot.blocks import approval, form

_STOP_WORDS = frozenset({"stop", "stop.", "stop!"})


def whole_view(call: ToolCall, wait: Wait | None) -> dict[str, Any]:
    if wait == "ask":
        return form.questions_view(Ask.model_validate_json(call.arguments))
    return approval.details_view(call)


def means_stop(text: str) -> bool:
    return text.strip().casefold() in _STOP_WORDS


def is_open(state: State, call_id: str) -> bool:
    return isinstance(state, Acting) and bool(state.ask(call_id) or state.approval(call_id))


def is_answer(state: State, text: str, author: Person) -> bool:
    """Whether these words would answer something by themselves, said to nobody in particular."""
    step = advance(state, MessageReceived(text=text, author=author, addressed=False))
    return isinstance(step, Step) and isinstance(state, Acting) and getattr(step.state, "asks", ()) != state.asks
