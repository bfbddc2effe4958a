"""Structured logs on standard error, without texts of conversations, prompts or secrets."""

import logging
import sys
import traceback
from collections.abc import MutableMapping
from typing import Any

import structlog


def configure(level: str) -> None:
    number = severity(level)
    to_terminal = sys.stderr.isatty()
    # Bolt warns that it does not use SLACK_BOT_TOKEN, which it finds in the environment by itself.
    logging.getLogger("slack_bolt").setLevel(max(number, logging.ERROR))
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info if number <= logging.DEBUG else _name_exception,
            structlog.dev.ConsoleRenderer() if to_terminal else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        # Looked up for each logger: a live display in the terminal takes standard error over for a while.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _name_exception(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Where it happened and what kind it is. Its message may quote what people or the model wrote."""
    if event.pop("exc_info", None) and (error := sys.exc_info()[1]):
        event["error"] = type(error).__name__
        frames = traceback.extract_tb(error.__traceback__)[-6:]
        event["at"] = [f"{frame.filename.rsplit('/', 3)[-1]}:{frame.lineno} {frame.name}" for frame in frames]
    return event


def severity(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]
