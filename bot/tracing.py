"""OpenTelemetry traces: spans with names, numbers and outcomes in them, and no text. Loaded only if they are wanted."""

import asyncio
import hashlib
import threading
import time
from collections.abc import Mapping
from contextvars import Token
from importlib.metadata import version
from typing import Any

from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter

from agent.ports import Fact, Occurrence, ThreadKey, What
from bot.metrics import outcome_of

_CLOSE_SECONDS = 2.0
_NEWEST_SECONDS = 60
_ERRORS = frozenset({"failed", "away"})
_KINDS: dict[What, trace.SpanKind] = {
    "model": trace.SpanKind.CLIENT,
    "slack": trace.SpanKind.CLIENT,
    "delivery": trace.SpanKind.CONSUMER,
}
# Whichever fact a span is told apart by; the rest are attributes only.
_NAMED_BY = {"model": "model", "tool": "tool", "slack": "method", "delivery": "kind"}
# As OpenTelemetry's conventions for generative AI call them.
_CONVENTIONS = {
    "model": "gen_ai.request.model",
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "completion_tokens": "gen_ai.usage.output_tokens",
    "tool": "gen_ai.tool.name",
}


class Traced:
    """Something under way: a span, and what is done within it are its children."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span
        self._outcome = ""
        self._token: Token[context.Context] | None = None

    def note(self, **facts: Fact) -> None:
        self._outcome = str(facts.get("outcome") or self._outcome)
        self._span.set_attributes(_attributes(facts))

    def __enter__(self) -> "Traced":
        self._token = context.attach(trace.set_span_in_context(self._span))
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.note(outcome=self._outcome or outcome_of(kind))
        if self._outcome in _ERRORS:
            self._span.set_status(trace.StatusCode.ERROR)  # without a description: that may quote anyone
        if self._token:
            context.detach(self._token)
        self._span.end()


class Tracing:
    def __init__(self, exporter: SpanExporter) -> None:
        resource = Resource.create()
        if str(resource.attributes.get(SERVICE_NAME, "")).startswith("unknown_service"):
            resource = resource.merge(Resource({SERVICE_NAME: "parley"}))
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("parley", version("parley"))

    @classmethod
    def to(cls, endpoint: str) -> "Tracing":
        return cls(OTLPSpanExporter(endpoint=endpoint))

    def doing(self, what: What, *, since: float | None = None, **facts: Fact) -> Traced:
        of = facts.get(_NAMED_BY.get(what, ""), "")
        parent, links = _place(is_root=what == "turn" and facts.get("of") == "thread")
        span = self._tracer.start_span(
            f"{what} {of}".strip(),
            parent,
            _KINDS.get(what, trace.SpanKind.INTERNAL),
            _attributes(facts),
            links,
            time.time_ns() - int((time.perf_counter() - since) * 1e9) if since is not None else None,
        )
        return Traced(span)

    def happened(self, what: Occurrence, **facts: Fact) -> None:
        """Not a span: it takes no time."""

    async def close(self) -> None:
        """Send what is left, unless that takes too long; nothing of Parley's waits for it."""
        closing = threading.Thread(target=self._provider.shutdown, daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, _CLOSE_SECONDS)


def _place(*, is_root: bool) -> tuple[context.Context, list[trace.Link]]:
    """Within what is under way; but a turn outlives whatever began it, and some tasks live on for days."""
    current = trace.get_current_span()
    if not current.get_span_context().is_valid:
        return context.get_current(), []
    ended = current.end_time if isinstance(current, ReadableSpan) else None
    if is_root or (ended and time.time_ns() - ended > _NEWEST_SECONDS * 1e9):
        return context.Context(), [trace.Link(current.get_span_context())]
    return context.get_current(), []


def _attributes(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {_CONVENTIONS.get(name, f"parley.{name}"): _opaque(fact) for name, fact in facts.items()}


def _opaque(fact: Fact) -> str | int | float | bool:
    """A thread can be told from others, and not be found by what is said of it here."""
    return hashlib.sha256(fact.to_json().encode()).hexdigest()[:16] if isinstance(fact, ThreadKey) else fact
