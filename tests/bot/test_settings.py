"""Settings: a missing or wrong value stops the start with one sentence that names it."""

import subprocess
import sys
from pathlib import Path

import pytest

from bot.settings import BadSettings, Settings, read_settings

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def only_these(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_MODEL", "a-model")


def test_with_a_key_and_a_model_everything_else_has_a_default() -> None:
    settings = read_settings()

    assert settings.database_url == "sqlite:///parley.db"
    assert settings.openai_base_url is None


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("OPENAI_API_KEY", "sk-ключ", "OPENAI_API_KEY is wrong: a key has only ASCII characters."),
        ("OPENAI_BASE_URL", "localhost:1", "OPENAI_BASE_URL is wrong: it must start with http:// or https://."),
        ("OPENAI_BASE_URL", "http://[::1/v1", "OPENAI_BASE_URL is wrong: it is not a URL."),
        ("PARLEY_MODEL_CALLS", "1", "PARLEY_MODEL_CALLS is wrong: Input should be greater than or equal to 2."),
        ("PARLEY_PUBLIC_URL", "http://example.com", "PARLEY_PUBLIC_URL is wrong: it must start with https://."),
        ("PARLEY_LOG_LEVEL", "loud", "PARLEY_LOG_LEVEL is wrong: Input should be 'debug', "),
    ],
)
def test_a_wrong_value_is_named_in_one_sentence(
    name: str, value: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(BadSettings) as bad:
        read_settings()

    assert str(bad.value).startswith(sentence)
    assert "sk-" not in str(bad.value)


@pytest.mark.parametrize(
    ("missing", "sentences"),
    [
        (["OPENAI_API_KEY"], "OPENAI_API_KEY is not set: The key for the model's API."),
        (["OPENAI_MODEL"], "OPENAI_MODEL is not set: The model's name, as its API knows it."),
        (
            ["OPENAI_API_KEY", "OPENAI_MODEL"],
            "OPENAI_API_KEY is not set: The key for the model's API. "
            "OPENAI_MODEL is not set: The model's name, as its API knows it.",
        ),
    ],
)
def test_without_a_model_it_is_said_wherever_one_is_needed(
    missing: list[str], sentences: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in missing:
        monkeypatch.setenv(name, "")

    settings = read_settings()

    with pytest.raises(BadSettings) as bad:
        settings.need_model()
    assert str(bad.value) == sentences
    assert settings.missing("OPENAI_API_KEY", "OPENAI_MODEL") == missing


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"SLACK_BOT_TOKEN": "xoxb-1"}, "parley: SLACK_APP_TOKEN is not set: README.md says how to get it.\n"),
        ({"SLACK_APP_TOKEN": "xapp-1"}, "parley: SLACK_BOT_TOKEN is not set: README.md says how to get it.\n"),
        (
            {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1", "OPENAI_MODEL": ""},
            "parley: OPENAI_MODEL is not set: The model's name, as its API knows it.\n",
        ),
    ],
)
def test_what_is_half_set_is_never_run_in_slack(
    variables: dict[str, str], sentence: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    ended = subprocess.run([sys.executable, "-m", "bot", "run"], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(sentence)
    assert ended.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_secret_is_not_shown_when_settings_are_printed() -> None:
    assert "sk-test" not in repr(read_settings())


def test_a_file_called_env_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_MODEL")
    (tmp_path / ".env").write_text("OPENAI_MODEL=from-file\n")

    assert read_settings().openai_model == "from-file"


def test_every_setting_is_in_the_sample() -> None:
    sample = (ROOT / ".env.sample").read_text()

    named = [line.lstrip("# ").split("=")[0] for line in sample.splitlines() if "=" in line]
    assert sorted(named) == sorted(name.upper() for name in Settings.model_fields)


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"OPENAI_API_KEY": ""}, "parley: OPENAI_API_KEY is not set: The key for the model's API.\n"),
        ({"DATABASE_URL": "mysql://x"}, "parley: DATABASE_URL starts with mysql://"),
        ({"PARLEY_TOOLS": "no.such:thing"}, "parley: PARLEY_TOOLS (no.such:thing) cannot be loaded"),
        ({"PARLEY_TOOLS": "os:path"}, "parley: PARLEY_TOOLS (os:path) is not a Toolbox.\n"),
    ],
)
def test_a_start_that_cannot_be_ends_with_one_sentence_and_no_traceback(
    variables: dict[str, str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    ended = subprocess.run(
        [sys.executable, "-m", "bot", "chat"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )

    assert ended.returncode == 1
    assert ended.stderr.startswith(sentence)
    assert ended.stderr.count("\n") == 1
