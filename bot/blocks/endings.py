"""How an ask or an approval ended: the words above its receipt, by which it is known at a glance."""

from collections.abc import Collection

from agent.core.asks import Ending, How
from agent.core.values import Person
from bot.blocks.parts import called

_OF_ASKS: dict[How, str] = {
    "answered": "✓ Answered",
    "skipped": "→ Skipped by {by}: the agent decides",
    "response": "✓ Answered in words by {by}",
    "cancelled": "✕ Not answered",  # a message of its own says who stopped it all
    "expired": "✕ Expired: nobody answered in time",
    "stopped": "✕ Not answered",
    "failed": "✕ Closed: the run failed",
}
_OF_APPROVALS: dict[How, str] = {
    "approved": "✓ Approved by {by}",
    "denied": "✕ Denied by {by}",
    "response": "✕ Not approved: {by} wrote instead",
    "cancelled": "✕ Not decided: it was not done",
    "expired": "✕ Expired: nobody decided in time, and it was not done",
    "stopped": "✕ Not decided: it was not done",
    "failed": "✕ Closed: the run failed, and it was not done",
}


def of_ask(ending: Ending, answered_by: Collection[Person]) -> str:
    """Where several people answered, each answer says whose it is."""
    if ending.how == "answered" and len(answered_by) == 1:
        return f"✓ Answered by {called(*answered_by)}"
    if ending.how in ("cancelled", "stopped") and answered_by:
        return "✕ Not all answered"
    return _OF_ASKS[ending.how].format(by=called(ending.by))


def of_approval(ending: Ending) -> str:
    return _OF_APPROVALS[ending.how].format(by=called(ending.by))


def words_of(ending: Ending) -> str:
    """The reason given for a denial, or what was said instead of an answer."""
    return ending.words if ending.how in ("denied", "response") else ""
