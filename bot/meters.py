"""Who measures: Prometheus' numbers always, and OpenTelemetry's traces if its variables are set."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager

from agent.ports import Doing, Fact, Meter, Occurrence, What
from bot.metrics import Metrics
from bot.settings import BadSettings, Settings

NO_PACKAGES = (
    "OTEL_EXPORTER_OTLP_ENDPOINT asks for traces, but the packages for them are missing: "
    "install parley[tracing], or remove the setting."
)


class _AllDoing:
    def __init__(self, each: Sequence[AbstractContextManager[Doing]]) -> None:
        self._each, self._stack = each, ExitStack()
        self._doing: list[Doing] = []

    def note(self, **facts: Fact) -> None:
        for doing in self._doing:
            doing.note(**facts)

    def __enter__(self) -> "_AllDoing":
        self._doing = [self._stack.enter_context(one) for one in self._each]
        return self

    def __exit__(self, *failure: object) -> None:
        self._stack.__exit__(*failure)  # type: ignore[arg-type]


class Meters:
    """Several, as one."""

    def __init__(self, *meters: Meter) -> None:
        self._meters = meters

    def doing(self, what: What, *, since: float | None = None, **facts: Fact) -> _AllDoing:
        return _AllDoing([meter.doing(what, since=since, **facts) for meter in self._meters])

    def happened(self, what: Occurrence, **facts: Fact) -> None:
        for meter in self._meters:
            meter.happened(what, **facts)


@asynccontextmanager
async def measuring(settings: Settings, metrics: Metrics) -> AsyncIterator[Meter]:
    endpoint = settings.traces_endpoint
    if endpoint is None:
        yield metrics
        return
    try:
        # Loaded only when there is something to trace: it costs a tenth of a second, and need not be installed.
        from bot.tracing import Tracing
    except ImportError as error:
        raise BadSettings(NO_PACKAGES) from error
    tracing = Tracing.to(endpoint)
    try:
        yield Meters(metrics, tracing)
    finally:
        await tracing.close()
