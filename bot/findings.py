"""What the doctor found, and how people read it."""

from dataclasses import dataclass
from typing import Literal

_MARKS = {"fine": "✓", "wrong": "✗", "note": "·"}


@dataclass(frozen=True)
class Finding:
    """What was looked at, how it is, and what to do about it."""

    what: str
    state: Literal["fine", "wrong", "note"]
    said: str
    advice: str = ""


def written(findings: list[Finding]) -> str:
    """As people read it, a line for each, and under it what to do."""
    width = max(len(finding.what) for finding in findings)
    lines = []
    for finding in findings:
        lines.append(f"{_MARKS[finding.state]} {finding.what:<{width}}  {finding.said}")
        if finding.advice:
            lines.append(f"  {'':<{width}}  → {finding.advice}")
    wrong = sum(finding.state == "wrong" for finding in findings)
    problems = "1 problem" if wrong == 1 else f"{wrong} problems"
    return "\n".join([*lines, "", f"{problems} found." if wrong else "Nothing is wrong that can be seen from here."])
