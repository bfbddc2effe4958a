"""What Prometheus reads of Parley: numbers only, with labels of which there are few and none is about anyone."""

import asyncio
import platform
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, ProcessCollector, generate_latest

from agent.core.errors import StoreError
from agent.ports import Fact, Occurrence, What
from agent.store.open_questions import Open

_CLICKS = frozenset({"submitted", "skipped", "cancelled", "decided"})
_QUICK = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SLOW = (0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
_KEPT_SECONDS = 5.0
_COUNT_SECONDS = 2.0

Ended = Callable[[float, Mapping[str, Any]], None]


class Timed:
    """Something under way; its facts are complete, and handed on, when it ends."""

    def __init__(self, ended: Ended, began: float, facts: dict[str, Any]) -> None:
        self._ended, self._began, self._facts = ended, began, facts

    def note(self, **facts: Fact) -> None:
        self._facts.update(facts)

    def __enter__(self) -> "Timed":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if "outcome" not in self._facts:
            self._facts["outcome"] = outcome_of(kind)
        self._ended(time.perf_counter() - self._began, self._facts)


def outcome_of(kind: type[BaseException] | None) -> str:
    if kind is None:
        return "ok"
    return "cancelled" if issubclass(kind, asyncio.CancelledError) else "failed"


class Metrics:
    """In a registry of its own: two of them in one process know nothing of each other."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.build = Info("parley_build", "Which Parley this is, and on what.", registry=registry)
        self._open = Gauge("parley_open_questions", "What waits for people.", ["kind"], registry=registry)
        self._oldest = Gauge(
            "parley_oldest_question_age_seconds", "How long the oldest of it has waited.", ["kind"], registry=registry
        )
        self._database = Gauge("parley_database_up", "Whether the last count of it succeeded.", registry=registry)
        self._running = Gauge("parley_turns_running", "Turns under way.", ["of"], registry=registry)
        self._turns = Counter("parley_turns", "Turns by how they ended.", ["of", "outcome"], registry=registry)
        self._clicks = Histogram(
            "parley_click_seconds",
            "From when a click came in until it is recorded or refused; an owner elsewhere is woken after that.",
            buckets=_QUICK,
            registry=registry,
        )
        self._model = Histogram(
            "parley_model_call_seconds",
            "Model calls, with all their attempts.",
            ["outcome"],
            buckets=_SLOW,
            registry=registry,
        )
        self._attempts = Counter("parley_model_attempts", "Requests to the model's server.", registry=registry)
        self._tokens = Counter("parley_model_tokens", "Tokens, where its server tells.", ["kind"], registry=registry)
        self._tools = Histogram(
            "parley_tool_seconds", "Runs of tools.", ["tool", "outcome"], buckets=_SLOW, registry=registry
        )
        self._calls = Counter("parley_slack_calls", "Calls of Slack's API.", ["method", "outcome"], registry=registry)
        self._call_seconds = Histogram(
            "parley_slack_call_seconds", "How long they took.", buckets=_QUICK, registry=registry
        )
        self._limited = Counter(
            "parley_slack_limited_seconds", "Time waited because Slack limits rates.", registry=registry
        )
        self._deliveries = Counter(
            "parley_deliveries", "What Slack delivered, and whether again.", ["kind", "again"], registry=registry
        )
        self._errors = Counter(
            "parley_errors", "Errors that were not expected, by the event in the log.", ["event"], registry=registry
        )
        self._commits = Counter("parley_database_commits", "Transactions that wrote.", registry=registry)
        self._endings: dict[What, Ended] = {
            "turn": self._turn_ended,
            "model": self._model_ended,
            "tool": lambda seconds, facts: self._tools.labels(facts["tool"], facts["outcome"]).observe(seconds),
            "slack": self._call_ended,
        }

    def doing(self, what: What, *, since: float | None = None, **facts: Fact) -> Timed:
        if what == "turn":
            self._running.labels(facts["of"]).inc()
        ended = self._delivery_ended(since) if what == "delivery" else self._endings[what]
        return Timed(ended, time.perf_counter() if since is None else since, facts)

    def happened(self, what: Occurrence, **facts: Fact) -> None:
        match what:
            case "committed":
                self._commits.inc()
            case "limited":
                self._limited.inc(float(str(facts["seconds"])))
            case "received":
                self._deliveries.labels(facts["kind"], "no" if facts["new"] else "yes").inc()

    def error(self, event: str) -> None:
        """Something was logged as an error; events have fixed names."""
        self._errors.labels(event).inc()

    def show_open(self, found: Sequence[Open] | None, now: float) -> None:
        """None if it could not be counted: then nothing is claimed."""
        self._database.set(found is not None)
        self._open.clear()
        self._oldest.clear()
        if found is None:
            return
        by_kind = {one.kind: one for one in found}
        for kind in ("question", "approval"):
            one = by_kind.get(kind)
            self._open.labels(kind).set(one.count if one else 0)
            self._oldest.labels(kind).set(max(0.0, now - one.oldest) if one else 0)

    def _turn_ended(self, _seconds: float, facts: Mapping[str, Any]) -> None:
        self._running.labels(facts["of"]).dec()
        self._turns.labels(facts["of"], facts["outcome"]).inc()

    def _model_ended(self, seconds: float, facts: Mapping[str, Any]) -> None:
        self._model.labels(facts["outcome"]).observe(seconds)
        self._attempts.inc(facts.get("attempts", 0))
        for kind in ("prompt", "completion"):
            self._tokens.labels(kind).inc(facts.get(f"{kind}_tokens", 0))

    def _call_ended(self, seconds: float, facts: Mapping[str, Any]) -> None:
        self._calls.labels(facts["method"], facts["outcome"]).inc()
        self._call_seconds.observe(seconds)

    def _delivery_ended(self, since: float | None) -> Ended:
        """Of one that was left over from before a restart, it is not known here when it came."""

        def ended(seconds: float, facts: Mapping[str, Any]) -> None:
            if since is not None and facts["kind"] in _CLICKS and facts["outcome"] == "ok":
                self._clicks.observe(seconds)

        return ended


class Exposition:
    """The text that Prometheus reads. What is open is counted when it is asked for, at most every few seconds."""

    def __init__(
        self,
        metrics: Metrics,
        count: Callable[[], Awaitable[Sequence[Open]]],
        *,
        database_url: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._metrics, self._count, self._clock = metrics, count, clock
        self._counted = float("-inf")
        self._counting = asyncio.Lock()
        database = "sqlite" if database_url.startswith("sqlite") else "postgresql"
        metrics.build.info({"version": version("parley"), "python": platform.python_version(), "database": database})

    async def text(self) -> bytes:
        async with self._counting:
            if self._clock() - self._counted >= _KEPT_SECONDS:
                self._metrics.show_open(await self._found(), self._clock())
                self._counted = self._clock()
        return generate_latest(self._metrics.registry)

    async def _found(self) -> Sequence[Open] | None:
        try:
            return await asyncio.wait_for(self._count(), _COUNT_SECONDS)
        except (StoreError, TimeoutError):
            return None
