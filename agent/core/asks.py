"""An open ask: who has answered what, and the result that the model gets when it closes."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from agent.core.questions import Ask, Question
from agent.core.values import Frozen, Person, Text

SKIPPED = (
    "The people skipped this: they declined to answer and leave the choice to you. "
    "Decide yourself, and say what you chose."
)
CANCELLED = "The people cancelled this and ended the run. Do nothing more for it unless they ask again."
EXPIRED = (
    "Nobody answered in time. Do not ask the same again now: go on with a sensible choice, or say what you still need."
)


FAILED = "The run failed before this was decided. Nobody has declined it."


class Given(Frozen):
    words: Text
    by: Person


class Remark(Frozen):
    """Something people wrote among themselves while the agent waited."""

    author: Person
    text: Text

    def __str__(self) -> str:
        return f"{self.author.name}: {self.text}" if self.author.name else self.text


class Beaten(NamedTuple):
    """An answer that came second, and the one that was first."""

    question: str
    first: Given


class Asked(Frozen):
    question: Question
    given: Given | None = None


class OpenAsk(Frozen):
    call_id: str
    asked: tuple[Asked, ...]

    @classmethod
    def of(cls, call_id: str, ask: Ask) -> "OpenAsk":
        return cls(call_id=call_id, asked=tuple(Asked(question=q.brief()) for q in ask.questions))

    @property
    def unanswered(self) -> tuple[int, ...]:
        return tuple(number for number, asked in enumerate(self.asked) if asked.given is None)

    def taking(self, answers: Mapping[int, str], by: Person) -> "tuple[OpenAsk, tuple[Beaten, ...]]":
        """Record the answers to questions that are still open; report those that came second."""
        asked, beaten = list(self.asked), []
        for number, words in answers.items():
            if first := asked[number].given:
                beaten.append(Beaten(asked[number].question.question, first))
            else:
                asked[number] = Asked(question=asked[number].question, given=Given(words=words, by=by))
        return OpenAsk(call_id=self.call_id, asked=tuple(asked)), tuple(beaten)

    def result(self, requester: str, discussion: Iterable[Remark], more: Mapping[str, str] | None = None) -> str:
        """The answers so far, keyed by question, and after them only what adds something."""
        given = {asked.question.question: asked.given for asked in self.asked if asked.given}
        content: dict[str, Any] = {"answers": {text: answer.words for text, answer in given.items()}}
        others = {text: a.by.name for text, a in given.items() if a.by.name and a.by.id != requester}
        if others:
            content["answered_by"] = others
        return as_result(content | dict(more or {}), discussion)

    def declined(self, requester: str, discussion: Iterable[Remark], how: str, words: str) -> str:
        """Skipped, cancelled or expired, in words of their own, beside what was answered before."""
        if len(self.unanswered) == len(self.asked):
            return as_result({how: words}, discussion)
        return self.result(requester, discussion, {how: words})


@dataclass(frozen=True)
class ShownAsk:
    """An ask as people are to see it: the whole questions, and who has answered what."""

    ask: Ask
    open: OpenAsk


How = Literal["answered", "response", "skipped", "cancelled", "expired", "approved", "denied", "stopped", "failed"]


class Ending(Frozen):
    """How something that waited for people ended: by whom, what was answered, and their words or reason."""

    call_id: str
    how: How
    by: Person = Person()
    asked: tuple[Asked, ...] = ()
    words: Text = ""


class OpenApproval(Frozen):
    """A call that waits for Approve or Deny: approving either runs the tool, or is itself the result."""

    call_id: str
    runs: bool = False

    def result(self, approved: bool, by: Person, discussion: Iterable[Remark], more: Mapping[str, str]) -> str:
        decided = {"decided_by": by.name} if by.name else {}
        return as_result({"approved": approved, **decided, **more}, discussion)


def as_result(content: Mapping[str, Any], discussion: Iterable[Remark]) -> str:
    talk = [str(remark) for remark in discussion]
    return json.dumps({**content, "discussion": talk} if talk else content, ensure_ascii=False)
