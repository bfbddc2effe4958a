"""Imports point one way: bot -> agent -> agent/core."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = {"agent.core", "pydantic", "pydantic_core"}
PORTS = CORE | {"agent.ports"}
AGENT = PORTS | {"agent.prompts", "agent.tools", "agent.thinking", "agent.turn", "structlog"}

# The longest matching prefix decides what a module may import beside the standard library.
ALLOWED = {
    "agent.core": CORE,
    "agent.ports": CORE,
    "agent.prompts": set(),
    "agent.tools": PORTS | {"agent.tools"},
    "agent.thinking": AGENT,
    "agent.turn": AGENT,
    "agent.threads": AGENT | {"agent.dispatch"},
    "agent.dispatch": PORTS,
    "agent.model": PORTS | {"openai", "httpx2", "structlog"},
    "agent.store": PORTS | {"agent.store", "sqlalchemy", "alembic", "filelock"},
    # Where everything is put together, and the commands.
    "bot.app": {"agent", "bot", "aiohttp", "pydantic", "structlog", "slack_bolt", "slack_sdk"},
    "bot.cli": {"agent.core", "bot", "typer"},
    "bot.doctor": {"agent", "bot", "slack_sdk", "rich", "structlog", "pydantic"},
    # What meets people: no model, no driver, and of Slack's SDK only what each names here.
    "bot": PORTS | {"agent.threads", "agent.store.journal", "bot", "structlog"},
    "bot.files": PORTS | {"bot", "aiohttp", "structlog"},
    "bot.listeners": {"bot", "slack_bolt"},
    "bot.logs": {"structlog"},
    "bot.manifest": {"yaml"},
    "bot.settings": {"bot", "pydantic", "pydantic_settings"},
    "bot.slack": {"agent.core", "bot.pausing", "aiohttp", "slack_sdk", "structlog"},
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
    "bot.playground": {"aiohttp", "bot.playground", "bot.blocks.limits"},
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
