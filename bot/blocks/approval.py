"""The card that asks for approval: what is to be done, to the letter, and Approve / Deny; and what it becomes."""

import json
from dataclasses import dataclass
from typing import Any

from agent.core.asks import Ending
from agent.core.transcript import ToolCall
from bot import ids
from bot.blocks import endings, escape, fit, limits
from bot.blocks.parts import (
    Block,
    Prose,
    Rendered,
    actions,
    button,
    heading,
    lay_out,
    modal,
    plain_text,
    section,
    set_off,
    spoken,
)

_LONGEST_ON_CARD = 1_500
_MOST_LINES = 25


@dataclass(frozen=True)
class _Proposal:
    title: str
    details: str


def card(call: ToolCall) -> Rendered:
    proposal = _proposal(call)
    blocks, whole = _shown(proposal)
    more = [] if whole else [button("See everything", ids.SHOW_DETAILS, call.id)]
    buttons = actions(
        button("Approve", ids.APPROVE, call.id, style="primary"),
        button("Deny", ids.DENY, call.id, style="danger"),
        *more,
    )
    text = spoken(["Approve or deny?", proposal.title, *filter(None, [proposal.details])])
    return Rendered(text, [section("*Needs your approval*"), *blocks, _reason(call), buttons])


def title(call: ToolCall) -> str:
    """What is to be decided, in a line."""
    return _proposal(call).title


def closed(call: ToolCall, ending: Ending) -> Rendered:
    proposal = _proposal(call)
    blocks, whole = _shown(proposal)
    if not whole:
        blocks.append(actions(button("See everything", ids.SHOW_DETAILS, call.id)))
    outcome, words = endings.of_approval(ending), endings.words_of(ending)
    laid_out = lay_out(set_off([heading(outcome, words), *blocks]))
    return Rendered(spoken([f"{outcome} {escape.inline(words)}".strip(), proposal.title]), laid_out.blocks)


def details_view(call: ToolCall) -> Block:
    """A modal with everything, as far as a view can hold it."""
    proposal = _proposal(call)
    items = [Prose((text,), literal=True) for text in (proposal.title, proposal.details) if text]
    return modal(ids.DETAILS, "Everything", items)


def _reason(call: ToolCall) -> Block:
    """An input for why not, which may be left empty."""
    field = {
        "type": "plain_text_input",
        "action_id": ids.REASON,
        "multiline": True,
        "max_length": limits.INPUT_TEXT,
    }
    return {
        "type": "input",
        "block_id": ids.reason_block(call.id),
        "optional": True,
        "label": plain_text("If you deny it: why? The agent will read this."),
        "element": field,
    }


def _proposal(call: ToolCall) -> _Proposal:
    given = json.loads(call.arguments)
    if call.name == "confirm_action" and isinstance(given, dict):
        return _Proposal(_lines(given.get("action", "")), _lines(given.get("details") or ""))
    listed = given.items() if isinstance(given, dict) else [("arguments", given)]
    return _Proposal(f"Run {escape.visible(call.name)}", "\n".join(_argument(key, value) for key, value in listed))


def _argument(key: str, value: Any) -> str:
    """One line, or lines that each carry a mark: no value can pass itself off as another argument."""
    name = _one_line(key)
    if isinstance(value, str) and "\n" in value:
        return "\n".join([f"{name}:", *(f"│ {_one_line(line)}" for line in value.split("\n"))])
    if isinstance(value, dict | list) and value:
        written = json.dumps(value, ensure_ascii=False, indent=2).split("\n")
        return "\n".join([f"{name}:", *(f"│ {_one_line(line)}" for line in written)])
    return f"{name}: {_one_line(value if isinstance(value, str) else json.dumps(value))}"


def _one_line(text: str) -> str:
    return escape.visible(text).replace("\n", "\\n")


def _lines(text: Any) -> str:
    words = text if isinstance(text, str) else json.dumps(text)
    return "\n".join(escape.visible(line) for line in words.split("\n"))


def _shown(proposal: _Proposal) -> tuple[list[Block], bool]:
    """As much as a card should hold, and whether that is all of it."""
    blocks, whole = [], True
    for text in filter(None, (proposal.title, proposal.details)):
        lines = text.split("\n")
        head = "\n".join(lines[:_MOST_LINES]) + ("\n…" if len(lines) > _MOST_LINES else "")
        short = fit.cut(head, _LONGEST_ON_CARD)
        whole = whole and short == text
        blocks += lay_out([Prose((short,), literal=True)]).blocks
    return blocks, whole
