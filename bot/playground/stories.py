"""How the stories of `stories.toml` go: how one is recognised, what it says, asks and starts, and how it goes on."""

import re
import string
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_TOLD = tomllib.loads(Path(__file__).with_name("stories.toml").read_text("utf-8"))
_REPORT = Path(__file__).with_name("report.md").read_text("utf-8")
_NOT_SHOWN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_MARKUP = re.compile(r"[`*~\[\]<>|\\]|(?<!\w)_|_(?!\w)")
_LONGEST_QUOTE = 100
_AROUND_WORDS = string.punctuation + "“”„«»…"


@dataclass(frozen=True)
class Outcome:
    """What came of a call; `ended` is how, if nobody decided: skipped, cancelled, expired, failed, or not asked."""

    answers: Mapping[str, str] = field(default_factory=dict)
    approved: bool = False
    by: str = ""
    reason: str = ""
    response: str = ""
    discussion: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    ended: str = ""


NOT_ASKED = Outcome(ended="not asked")


@dataclass(frozen=True)
class Reply:
    """What the model says, and the tool it calls then; `thinks` is how many seconds it is silent before."""

    text: str
    call: tuple[str, Json] | None = None
    thinks: float = 0.6


@dataclass(frozen=True)
class Act:
    """A call that a story makes, with the words for what may come of it."""

    tool: str
    arguments: Json
    told: Json

    def then(self, outcome: Outcome) -> str:
        return _THEN[self.told["then"]](self, outcome)

    @property
    def questions(self) -> list[Json]:
        return list(self.arguments["questions"])


@dataclass(frozen=True)
class Story:
    prompt: str
    needs: tuple[frozenset[str], ...]
    known: frozenset[str]
    opening: str
    acts: tuple[Act, ...]

    def is_meant_by(self, words: Collection[str]) -> bool:
        """By its prompt, and by other words for the same; one word more, such as "not", may turn it all round."""
        return self.known.issuperset(words) and not any(group.isdisjoint(words) for group in self.needs)

    def begin(self, offered: Collection[str]) -> Reply:
        return _perform(self.opening, self.acts, offered)

    def go_on(self, act: Act, outcome: Outcome, offered: Collection[str]) -> Reply:
        if outcome.ended == "cancelled":
            return Reply("All right, I stop here. Nothing was decided, and nothing was done.")
        text = "\n\n".join(filter(None, [act.then(outcome), _overheard(outcome)]))
        return _perform(text, self.acts[self.acts.index(act) + 1 :], offered)


def recognised(text: str) -> Story | None:
    """The story that is asked for, and nothing else."""
    words = {word.strip(_AROUND_WORDS) for word in text.casefold().split()} - {""}
    return next((story for story in STORIES if story.is_meant_by(words)), None)


def of_call(tool: str, arguments: Any) -> tuple[Story, Act] | None:
    """The story that made this call."""
    made = ((story, act) for story in STORIES for act in story.acts)
    return next((pair for pair in made if (pair[1].tool, pair[1].arguments) == (tool, arguments)), None)


def report_on(task: str) -> Reply | None:
    """What a sub-agent says that was given one of the tasks."""
    for act in (act for story in STORIES for act in story.acts):
        for given, report in zip(act.arguments.get("tasks", ()), act.told.get("report", ()), strict=True):
            if given == task.strip():
                return Reply(report["text"].strip(), thinks=report["seconds"])
    return None


def outcome_of(result: Any) -> Outcome:
    """What a tool's result says, by its JSON; anything else is an error, or that nobody could be asked."""
    if isinstance(result, list):
        found = (each.get("result") for each in result if isinstance(each, dict))
        return Outcome(reports=tuple(report for report in found if isinstance(report, str)))
    if not isinstance(result, dict):
        return Outcome(ended="failed")
    texts = {name: value for name, value in result.items() if isinstance(value, str)}
    answers, discussion = result.get("answers"), result.get("discussion")
    return Outcome(
        answers={q: a for q, a in answers.items() if isinstance(a, str)} if isinstance(answers, dict) else {},
        approved=result.get("approved") is True,
        by=texts.get("decided_by", ""),
        reason=texts.get("reason", ""),
        response=texts.get("response", ""),
        discussion=tuple(each for each in discussion if isinstance(each, str)) if isinstance(discussion, list) else (),
        ended=next((how for how in ("cancelled", "skipped", "expired", "failed") if how in result), ""),
    )


def quoted(text: str) -> str:
    return f"“{in_line(text)}”"


def in_line(text: str) -> str:
    """Words of others, to stand among ours: one short line in which nothing is markup."""
    seen = "".join(" " if unicodedata.category(c) in _NOT_SHOWN else c for c in text[: 20 * _LONGEST_QUOTE])
    line = " ".join(_MARKUP.sub("", seen).split())
    return line if 0 < len(line) <= _LONGEST_QUOTE else f"{line[: _LONGEST_QUOTE - 1].rstrip()}…"


def _perform(text: str, acts: tuple[Act, ...], offered: Collection[str]) -> Reply:
    """Up to the next call that can be made; others are told as if nobody could be asked."""
    for act in acts:
        if act.tool in offered:
            return Reply(text, (act.tool, act.arguments))
        text = f"{text}\n\n{act.then(NOT_ASKED)}"
    return Reply(text)


def _overheard(outcome: Outcome) -> str:
    if not outcome.discussion:
        return ""
    return f"I also read what you said to each other meanwhile, such as {quoted(outcome.discussion[-1])}."


def _labels(question: Json) -> list[str]:
    return [option["label"] for option in question.get("options", ())]


def _given(outcome: Outcome, question: Json) -> str:
    """What people answered: known labels as they are, their own words quoted; "" if they did not."""
    rest, picked = outcome.answers.get(question["question"], ""), []
    for label in _labels(question):
        if rest == label or rest.startswith(f"{label}, "):
            picked.append(label)
            rest = rest[len(label) :].removeprefix(", ")
    return ", ".join([*picked, quoted(rest)] if rest.strip() else picked)


def _undecided(outcome: Outcome) -> str:
    """Why the choice is the model's own, in a sentence."""
    if outcome.response:
        return f"You wrote {quoted(outcome.response)} instead. I keep to that; where a choice was open, I made it."
    return {
        "": "Not all of it was answered, so the rest is my suggestion.",
        "skipped": "You left it to me, so I chose.",
        "expired": "Nobody answered in time, so I go on with my suggestion; say so if it should be another.",
    }.get(outcome.ended, "I could not ask you here, so I go on with my suggestion; say so if it should be another.")


def _choice(act: Act, outcome: Outcome) -> str:
    """One question was asked: what follows from the option that was chosen, or from words of their own."""
    [question], follows = act.questions, act.told["follows"]
    given = _given(outcome, question)
    chosen: str = given or question["default"]
    label = next((label for label in _labels(question) if chosen.startswith(label)), "other")
    lead = [] if given else [_undecided(outcome)]
    return "\n\n".join([*lead, act.told["decided"].format(chosen), follows[label].strip()])


def _plan(act: Act, outcome: Outcome) -> str:
    """Four questions were asked: the plan has all the answers in it, and says which are the model's own."""
    date, first, channels, promise = act.questions
    said = {q["header"]: _given(outcome, q) or _own(act, q) for q in (promise, date, first, channels)}
    when = next((label for label in _labels(date) if said[date["header"]].startswith(label)), "other")
    whole = all(_given(outcome, question) for question in act.questions)
    lead = act.told["decided"] if whole else _undecided(outcome)
    facts = "\n".join(f"- **{header}:** {words}" for header, words in said.items())
    return "\n\n".join([lead, facts, act.told["follows"][when].strip()])


def _own(act: Act, question: Json) -> str:
    return f"{_labels(question)[0]} (my suggestion)" if "options" in question else str(act.told["promise"])


def _approval(act: Act, outcome: Outcome) -> str:
    if outcome.approved:
        thanks = f"Approved by {in_line(outcome.by)}, thank you." if outcome.by else "Approved, thank you."
        return f"**{thanks}** {act.told['approved'].strip()}"
    words = outcome.reason or outcome.response
    if words:
        heard = f"I take {quoted(words)} with me: once that has changed, ask me again, and I will ask you again."
    elif outcome.ended:
        heard = "Nobody said yes, and silence is not an approval. Ask me again when one of you has a minute for it."
    else:
        heard = "If there is something to save from it first, tell me what, and I will start with that."
    return f"{act.told['denied']} {heard}"


def _summary(act: Act, outcome: Outcome) -> str:
    """Sub-agents were started: what they found, and whether all of them did."""
    known = {report["text"].strip() for report in act.told["report"]}
    back = len(known.intersection(report.strip() for report in outcome.reports))
    lead = "decided" if back == len(known) else "alone" if outcome is NOT_ASKED else "partly"
    said = [lead, "summary", *(["wondered"] if lead == "decided" else [])]
    return "\n\n".join(act.told[name].strip() for name in said)


_THEN: dict[str, Callable[[Act, Outcome], str]] = {
    "choice": _choice,
    "plan": _plan,
    "approval": _approval,
    "summary": _summary,
}


def _story(told: Json) -> Story:
    acts = tuple(Act(act["tool"], act["arguments"], act) for act in told.get("act", ()))
    needs = tuple(frozenset(words.split()) for words in told["needs"])
    known = frozenset(f"{_TOLD['polite']} {told['beside']}".split()).union(*needs)
    return Story(told["prompt"], needs, known, told["opening"].strip() or _REPORT.strip(), acts)


STORIES = tuple(_story(told) for told in _TOLD["story"])
