"""Traces are opt-in: without their variables nothing is loaded, and nothing that they need holds Parley up."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agent.ports import NoMeter
from bot import tracing
from bot.meters import Meters, measuring
from bot.metrics import Metrics
from bot.settings import BadSettings, Settings
from bot.tracing import Tracing


def settings(**given: object) -> Settings:
    return Settings(_env_file=None, openai_api_key="k", openai_model="m", **given)  # type: ignore[call-arg, arg-type]


@pytest.fixture(autouse=True)
def only_these(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("given", "endpoint"),
    [
        ({}, None),
        ({"otel_exporter_otlp_endpoint": "http://c:4318/"}, "http://c:4318/v1/traces"),
        ({"otel_exporter_otlp_traces_endpoint": "http://c/in"}, "http://c/in"),
        (
            {"otel_exporter_otlp_endpoint": "http://a", "otel_exporter_otlp_traces_endpoint": "http://c/in"},
            "http://c/in",
        ),
        ({"otel_exporter_otlp_endpoint": "http://a", "otel_sdk_disabled": True}, None),
    ],
)
def test_the_standard_variables_say_where_traces_go(given: dict[str, object], endpoint: str | None) -> None:
    assert settings(**given).traces_endpoint == endpoint


async def test_without_them_there_are_only_metrics() -> None:
    metrics = Metrics()

    async with measuring(settings(), metrics) as meter:
        assert meter is metrics


def test_a_start_without_traces_loads_nothing_of_opentelemetry() -> None:
    script = "import bot.app, bot.cli, sys; print([name for name in sys.modules if 'opentelemetry' in name])"

    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "[]"


async def test_without_its_packages_the_start_ends_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bot.tracing", None)

    with pytest.raises(BadSettings, match="parley\\[tracing\\]"):
        async with measuring(settings(otel_exporter_otlp_endpoint="http://127.0.0.1:9"), Metrics()):
            pass


async def test_what_is_told_to_several_reaches_each_of_them() -> None:
    kept, metrics = InMemorySpanExporter(), Metrics()
    both = tracing.Tracing(kept)
    meter = Meters(metrics, both, NoMeter())

    with meter.doing("slack", method="auth.test") as calling:
        calling.note(outcome="away")
    meter.happened("committed")
    await both.close()

    [span] = kept.get_finished_spans()
    assert span.attributes == {"parley.method": "auth.test", "parley.outcome": "away"}
    assert (
        metrics.registry.get_sample_value("parley_slack_calls_total", {"method": "auth.test", "outcome": "away"}) == 1
    )
    assert metrics.registry.get_sample_value("parley_database_commits_total") == 1


async def test_what_a_long_lived_task_does_is_not_added_to_an_old_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = InMemorySpanExporter()
    traced = Tracing(kept)

    with traced.doing("delivery", kind="home") as old:
        pass
    with old:  # as a task does that was begun within it
        with traced.doing("slack", method="soon"):
            pass
        now = time.time_ns()
        monkeypatch.setattr(time, "time_ns", lambda: now + 3_600 * 10**9)
        with traced.doing("slack", method="later"):
            pass
        monkeypatch.undo()
    await traced.close()

    spans = {span.name: span for span in kept.get_finished_spans()}
    assert spans["slack soon"].parent == spans["delivery home"].context
    assert spans["slack later"].parent is None
    assert [link.context for link in spans["slack later"].links] == [spans["delivery home"].context]


class Stuck(SpanExporter):
    """A collector that takes a minute for everything."""

    def export(self, spans: "tuple[ReadableSpan, ...]") -> SpanExportResult:  # type: ignore[override]
        time.sleep(60)
        return SpanExportResult.SUCCESS


async def test_a_collector_that_does_not_answer_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "_CLOSE_SECONDS", 0.05)
    traced = Tracing(Stuck())
    with traced.doing("turn", of="thread"):
        pass

    began = time.monotonic()
    await traced.close()

    assert time.monotonic() - began < 30
