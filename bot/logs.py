"""Structured logs on standard error, without texts of conversations, prompts or secrets.

Lines to read in a terminal, and JSON for everything else.
"""

import logging
import sys
import traceback
from collections.abc import Callable, MutableMapping
from typing import Any

import structlog
from structlog.typing import Processor


def configure(level: str, on_error: Callable[[str], None] = lambda _event: None) -> None:
    """`on_error` is told the name of every event that is logged as an error."""
    number = severity(level)

    def report(_logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if method in ("error", "exception", "critical"):
            on_error(str(event.get("event")))
        return event

    # Bolt warns that it does not use SLACK_BOT_TOKEN, which it finds in the environment by itself.
    logging.getLogger("slack_bolt").setLevel(max(number, logging.ERROR))
    # It writes a traceback of whatever strangers send that is not HTTP.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    _forward(logging.getLogger("opentelemetry"))
    structlog.configure(
        processors=[
            report,
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            *(_for_people(number) if sys.stderr.isatty() else _for_programs(number)),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        # Looked up for each logger: a live display in the terminal takes standard error over for a while.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _for_people(number: int) -> list[Processor]:
    # The usual tracebacks show local variables, and so secrets.
    console = structlog.dev.ConsoleRenderer(colors=True, exception_formatter=structlog.dev.plain_traceback)
    exceptions = [] if number <= logging.DEBUG else [_name_exception]
    return [structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False), *exceptions, console]


def _for_programs(number: int) -> list[Processor]:
    exceptions = structlog.processors.format_exc_info if number <= logging.DEBUG else _name_exception
    return [structlog.processors.TimeStamper(fmt="iso"), exceptions, structlog.processors.JSONRenderer()]


def _name_exception(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Where it happened and what kind it is. Its message may quote what people or the model wrote."""
    given = event.pop("exc_info", None)
    if given and (error := given if isinstance(given, BaseException) else sys.exc_info()[1]):
        event["error"] = type(error).__name__
        frames = traceback.extract_tb(error.__traceback__)[-6:]
        event["at"] = [f"{frame.filename.rsplit('/', 3)[-1]}:{frame.lineno} {frame.name}" for frame in frames]
    return event


class _Forwarding(logging.Handler):
    """What a library logs in its own words, as an event of ours."""

    def emit(self, record: logging.LogRecord) -> None:
        structlog.get_logger().warning("tracing.trouble", said=" ".join(record.getMessage().split())[:300])


def _forward(logger: logging.Logger) -> None:
    logger.handlers, logger.propagate = [_Forwarding(logging.WARNING)], False


def severity(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]
