"""Names of buttons, inputs and modals, and what Slack carries for us: encoder and decoder side by side."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, unquote

from agent.core.errors import AgentError

# action ids: which listener
SUBMIT = "ask.submit"
SKIP = "ask.skip"
CANCEL = "ask.cancel"
SHOW_QUESTIONS = "ask.details"
CHOICE = "choice"
OTHER = "other"
APPROVE = "approval.approve"
DENY = "approval.deny"
SHOW_DETAILS = "approval.details"
REASON = "reason"
OPEN_QUESTION = "home.question"

# Slack reports a click on a link, too, and whatever is in an input; neither asks for anything.
SILENT = frozenset({CHOICE, OTHER, REASON, OPEN_QUESTION})

# callback id: which modal
DETAILS = "details"


def reason_block(call_id: str) -> str:
    """The block of the input for why something is denied."""
    return f"reason/{_quoted(call_id)}"


Part = Literal["choice", "other"]
_LONGEST_ID = 255


class UnknownId(AgentError):
    """A button, an input or a modal that is none of ours, or of a version of us that is gone."""

    shown = "I do not know that button. Please use the newest message in the thread."


@dataclass(frozen=True)
class QuestionRef:
    """One question of an open form. A new revision empties its inputs."""

    call_id: str
    number: int
    revision: int = 0

    def to_block_id(self, part: Part) -> str:
        block_id = f"question/{_quoted(self.call_id)}/{self.number}/{self.revision}/{part}"
        if len(block_id) > _LONGEST_ID:
            raise UnknownId(f"{len(block_id)} characters are too many for a block id")
        return block_id

    @classmethod
    def from_block_id(cls, block_id: str) -> "tuple[QuestionRef, Part]":
        match block_id.split("/"):
            case ["question", call_id, number, revision, "choice" | "other" as part] if (
                _is_number(number) and _is_number(revision) and _quoted(unquoted := _unquoted(call_id)) == call_id
            ):
                return cls(unquoted, int(number), int(revision)), part
        raise UnknownId(f"not the block id of a question: {block_id[:_LONGEST_ID]!r}")


def _is_number(text: str) -> bool:
    """In the one spelling that we write: no sign, no leading zero, no other script's digits."""
    return text.isascii() and text.isdecimal() and len(text) < 10 and str(int(text)) == text


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def _unquoted(text: str) -> str:
    return unquote(text, errors="replace")
