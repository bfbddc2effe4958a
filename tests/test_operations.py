"""What OPERATIONS.md says is true: its commands, settings, metrics and paths exist, and its numbers fit the code."""

import re
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import generate_latest
from typer.main import get_command
from typer.testing import CliRunner

from bot import http_mode, oauth
from bot.cli import app
from bot.metrics import Metrics
from bot.settings import Settings
from tests.test_readme import README

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "OPERATIONS.md").read_text()


def block(language: str) -> str:
    [found] = re.findall(rf"```{language}\n(.*?)```", GUIDE, flags=re.DOTALL)
    return str(found)


def commands() -> list[list[str]]:
    """Every `parley …` that it names, without what is a value."""
    which = r"(?:^|[`/ ])parley ((?:run|doctor|manifest|secret|questions|chat|playground)\b[^`\n#|]*)"
    named = [words.strip() for words in re.findall(which, GUIDE, flags=re.MULTILINE)]
    return [words.split() for words in dict.fromkeys(named)]


def test_the_readme_links_to_it() -> None:
    assert "(OPERATIONS.md)" in README


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_and_option_it_names_exists(words: list[str]) -> None:
    command: Any = get_command(app)
    for word in words:
        if word in getattr(command, "commands", {}):
            command = command.commands[word]
        elif word.startswith("--"):
            assert word in [name for option in command.params for name in option.opts], words


def test_some_commands_are_named() -> None:
    assert {words[0] for words in commands()} >= {"run", "doctor", "manifest", "secret", "questions"}


def test_every_setting_it_names_exists() -> None:
    named = set(re.findall(r"\b((?:PARLEY|OPENAI|SLACK|DATABASE|OTEL)_[A-Z_]+)\b", GUIDE))

    assert {name.lower() for name in named} - set(Settings.model_fields) == set()
    assert len(named) > 10


def test_every_metric_it_names_exists_and_every_one_of_ours_is_named() -> None:
    text = generate_latest(Metrics().registry).decode()
    ours = {name for name in re.findall(r"# TYPE (parley_\w+)", text) if not name.endswith("_created")}
    named = {name.removesuffix("_bucket").removesuffix("_count") for name in re.findall(r"\bparley_\w+", GUIDE)}

    assert named == ours


def test_the_rules_for_alarms_can_be_read() -> None:
    [group] = yaml.safe_load(block("yaml"))["groups"]

    assert all(rule["alert"].startswith("Parley") and "parley" in rule["expr"] for rule in group["rules"])


def test_the_service_is_given_longer_to_stop_than_it_takes() -> None:
    unit = ConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(block("ini"))

    assert unit["Service"]["ExecStart"].endswith("/bin/parley run")
    assert unit["Service"]["Restart"] == "always"
    assert float(unit["Service"]["TimeoutStopSec"]) > Settings.model_fields["parley_grace_seconds"].default + 2
    assert "`PARLEY_GRACE_SECONDS` (8)" in GUIDE
    assert Settings.model_fields["parley_grace_seconds"].default == 8


def test_the_proxy_passes_on_all_that_slack_needs_and_nothing_else() -> None:
    passed = re.findall(r"location (\S+) \{\s+proxy_pass http://127.0.0.1:(\d+);", block("nginx"))

    assert passed == [("/slack/", str(Settings.model_fields["parley_http_port"].default))]
    assert all(path.startswith("/slack/") for path in (http_mode.EVENTS, oauth.INSTALL, oauth.REDIRECT))


def test_what_it_says_of_the_environment_is_so_for_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/none.db")

    ended = CliRunner().invoke(app, ["questions"])

    assert "There is no database" in str(ended.exception)
