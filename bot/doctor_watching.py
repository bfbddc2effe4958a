"""What the doctor looks at of metrics and traces: whether their settings can work."""

from importlib import import_module

from bot.findings import Finding
from bot.meters import NO_PACKAGES
from bot.settings import Settings

OTHER_PORT = "Give PARLEY_METRICS_PORT another number than PARLEY_HTTP_PORT, or remove it."
INSTALL = "pip install 'parley[tracing]', in the environment that Parley runs in."


def findings(settings: Settings) -> list[Finding]:
    return [*_metrics(settings), *_traces(settings)]


def _metrics(settings: Settings) -> list[Finding]:
    port = settings.parley_metrics_port
    if not port:
        return []
    if port == settings.parley_http_port and settings.slack_signing_secret:
        said = "PARLEY_METRICS_PORT is the port of HTTP mode."
        return [Finding("metrics", "wrong", said, OTHER_PORT)]
    return [Finding("metrics", "fine", f"will be at http://{settings.parley_http_host}:{port}/metrics.")]


def _traces(settings: Settings) -> list[Finding]:
    endpoint = settings.traces_endpoint
    if endpoint is None:
        return []
    try:
        import_module("bot.tracing")  # as at the start
    except ImportError:
        return [Finding("traces", "wrong", NO_PACKAGES, INSTALL)]
    return [Finding("traces", "note", f"will be sent to {endpoint.split('?')[0]}; nothing was sent from here.")]
