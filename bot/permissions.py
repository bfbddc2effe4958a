"""Who may start a run, answer, and approve: rules as people write them, decided here and nowhere else."""

from dataclasses import dataclass
from typing import Literal

from bot.people import Member

What = Literal["start", "answer", "approve"]

_NO = {
    "start": "Sorry, you may not start runs here.",
    "answer": "Sorry, you may not answer this.",
    "approve": "Sorry, you may not decide this.",
}


@dataclass(frozen=True)
class Rule:
    """`anyone`, `requester` (whoever asked for the run), or ids of people and user groups, separated by commas."""

    text: str = "anyone"

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(part.strip() for part in self.text.split(",")) - {"", "anyone", "requester"}

    @property
    def groups(self) -> frozenset[str]:
        return frozenset(name for name in self.ids if name.startswith("S"))

    def allows(self, user: str, requester: str, groups: frozenset[str]) -> bool:
        parts = {part.strip() for part in self.text.split(",")}
        return "anyone" in parts or ("requester" in parts and user == requester) or bool(self.ids & {user, *groups})


@dataclass(frozen=True)
class Permissions:
    start: Rule = Rule()
    answer: Rule = Rule()
    approve: Rule = Rule()
    guests: bool = False
    externals: bool = False

    def rule(self, what: What) -> Rule:
        return {"start": self.start, "answer": self.answer, "approve": self.approve}[what]

    def refusal(self, what: What, member: Member, requester: str, groups: frozenset[str]) -> str | None:
        """The sentence for someone who may not; None for someone who may."""
        if member.id in self.rule(what).ids or groups & self.rule(what).ids:
            return None  # named on purpose, whoever they are
        if not member.known:
            return "Sorry, I could not find out who you are. Please try again."
        if member.external and not self.externals:
            return "Sorry, people from other organisations cannot do that here."
        if member.guest and not self.guests:
            return "Sorry, guests cannot do that here."
        return None if self.rule(what).allows(member.id, requester, groups) else _NO[what]
