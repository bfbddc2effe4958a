"""What the Web API answers when it refuses."""

from typing import Any


class Refused(Exception):
    """A call that Slack turns down: the error's name and whatever else stands in the answer."""

    def __init__(self, error: str, **answer: Any) -> None:
        super().__init__(error)
        self.error = error
        self.answer = answer


def invalid(error: str, faults: list[str]) -> Refused:
    """A refusal that says, fault by fault, what is wrong."""
    return Refused(error, response_metadata={"messages": faults})
