"""How an ask or an approval ended, and the sentence that people read about it."""

from agent.core.asks import Ending, How

_OF_ASKS: dict[How, str] = {
    "answered": "",
    "skipped": "Skipped by {by}: the agent decides.",
    "response": "Answered in words by {by}:",
    "cancelled": "Cancelled by {by}.",
    "expired": "Expired: nobody answered in time.",
    "stopped": "Stopped by {by}.",
    "failed": "Closed: the run failed.",
}
_OF_APPROVALS: dict[How, str] = {
    "approved": "Approved by {by}.",
    "denied": "Denied by {by}.",
    "response": "Not approved. {by} wrote instead:",
    "cancelled": "Cancelled by {by}. It was not done.",
    "expired": "Expired: nobody decided in time. It was not done.",
    "stopped": "Stopped by {by}. It was not done.",
    "failed": "Closed: the run failed. It was not done.",
}


def of_ask(how: How, by: str) -> str:
    """ "" where the answers say it."""
    return _OF_ASKS[how].format(by=by)


def of_approval(how: How, by: str) -> str:
    return _OF_APPROVALS[how].format(by=by)


def words_of(ending: Ending) -> str:
    """The reason given for a denial, or what was said instead of an answer."""
    return ending.words if ending.how in ("denied", "response") else ""
