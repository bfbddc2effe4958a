"""Imports point one way: bot -> agent -> agent/core."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = {"agent.core", "pydantic", "pydantic_core"}
PORTS = CORE | {"agent.ports", "agent.signals"}
AGENT = PORTS | {"agent.prompts", "agent.tools", "agent.thinking", "agent.turn", "structlog"}

# The longest matching prefix decides what a module may import beside the standard library.
ALLOWED = {
    "agent.core": CORE,
    "agent.here": set(),
    "agent.ports": CORE,
    "agent.signals": {"agent.ports"},
    "agent.prompts": set(),
    "agent.tools": PORTS | {"agent.tools"},
    "agent.thinking": AGENT,
    "agent.turn": AGENT,
    "agent.threads": AGENT | {"agent.dispatch"},
    "agent.dispatch": PORTS,
    "agent.dispatch.postgres": PORTS | {"psycopg", "structlog"},
    "agent.replica": PORTS | {"structlog"},
    "agent.model": PORTS | {"agent.here", "agent.model", "openai", "httpx2", "structlog"},
    "agent.store": PORTS | {"agent.store", "sqlalchemy", "alembic", "filelock"},
    # Where everything is put together, and the commands.
    "bot.app": {"agent", "bot", "structlog", "slack_bolt"},
    "bot.cli": {"agent.core", "bot", "typer"},
    "bot.play": {"bot", "aiohttp", "pydantic"},
    "bot.doctor": {"agent", "bot", "slack_sdk", "rich", "structlog", "pydantic"},
    # What meets people: no model, no driver, and of Slack's SDK only what each names here.
    "bot": PORTS | {"agent.threads", "agent.store.journal", "bot", "structlog"},
    "bot.metrics": PORTS | {"agent.store.open_questions", "prometheus_client"},
    "bot.meters": PORTS | {"bot.metrics", "bot.settings", "bot.tracing"},
    "bot.tracing": PORTS | {"bot.metrics", "opentelemetry"},
    "bot.probes": {"agent.core", "bot.settings", "aiohttp", "prometheus_client", "structlog"},
    "bot.doctor_database": {"agent.core", "agent.store.journal", "agent.store.survey", "bot.findings"},
    "bot.doctor_watching": {"bot"},
    "bot.questions": {"agent.core", "agent.store.open_questions", "agent.store.outside", "bot.received"},
    "bot.own_tools": {"agent.tools", "bot.settings"},
    "bot.encryption": {"bot.settings", "cryptography"},
    "bot.installations": {"agent.core", "agent.store.database", "bot", "slack_sdk", "sqlalchemy"},
    "bot.oauth": {"bot", "slack_bolt", "slack_sdk", "structlog"},
    "bot.http_mode": {"agent.core", "bot", "aiohttp", "slack_bolt", "slack_sdk", "structlog"},
    "bot.files": PORTS | {"bot", "aiohttp", "structlog"},
    "bot.listeners": {"agent.core", "bot", "slack_bolt", "slack_sdk", "structlog"},
    "bot.logs": {"structlog"},
    "bot.manifest": {"yaml"},
    "bot.settings": {"bot", "pydantic", "pydantic_settings"},
    "bot.slack_clients": {"agent.here", "bot", "aiohttp", "pydantic", "slack_sdk"},
    "bot.slack": PORTS | {"bot.pausing", "aiohttp", "slack_sdk", "structlog"},
    "bot.terminal": {"agent.core", "agent.ports", "agent.threads", "bot", "rich", "questionary", "prompt_toolkit"},
    # Pure: from payloads to values, and from values to blocks.
    "bot.ids": PORTS,
    "bot.inbound": PORTS | {"bot.ids", "bot.received", "bot.blocks"},
    "bot.received": PORTS | {"bot.ids"},
    "bot.blocks": PORTS | {"bot.ids", "bot.blocks"},
    "bot.showing": PORTS | {"bot.blocks"},
    "bot.permissions": {"bot.people"},
    "bot.schedule": set(),
    "bot.pausing": set(),
    "bot.meaning": PORTS | {"bot.blocks"},
    # A Slack of our own knows nothing of Parley.
    "bot.playground": {"aiohttp", "agent.here", "bot.playground", "bot.blocks.limits"},
}
NOT_IN_CORE = {"asyncio", "time", "datetime", "logging", "os", "pathlib", "socket", "subprocess", "threading", "random"}


def modules() -> list[tuple[str, Path]]:
    files = [*(ROOT / "agent").rglob("*.py"), *(ROOT / "bot").rglob("*.py")]
    return [
        (".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), file)
        for file in sorted(files)
    ]


def imported(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def within(name: str, prefixes: set[str]) -> bool:
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)


@pytest.mark.parametrize(("name", "file"), modules(), ids=[name for name, _ in modules()])
def test_a_module_imports_only_what_its_layer_may(name: str, file: Path) -> None:
    layer = max((prefix for prefix in ALLOWED if within(name, {prefix})), key=len, default=None)
    if layer is None:
        assert imported(file) == set()
        return
    others = {module for module in imported(file) if module.split(".")[0] not in sys.stdlib_module_names}

    assert {module for module in others if not within(module, ALLOWED[layer])} == set()


@pytest.mark.parametrize("file", [file for name, file in modules() if within(name, {"agent.core"})])
def test_the_core_has_no_clock_no_io_and_no_tasks(file: Path) -> None:
    assert not {module for module in imported(file) if module.split(".")[0] in NOT_IN_CORE}


def test_the_environment_is_read_in_one_place() -> None:
    reading = [name for name, file in modules() if re.search(r"os\.environ|getenv", file.read_text())]

    assert reading == []  # pydantic-settings reads it, in bot/settings.py


def test_the_map_of_the_playground_names_every_module() -> None:
    package = ROOT / "bot" / "playground"
    names = {file.stem for file in package.glob("*.py")} - {"__init__"}
    words = set(re.findall(r"\w+", (package / "__init__.py").read_text()))

    assert names - words == set()
