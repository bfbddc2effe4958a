"""`parley doctor` names what is wrong and what to do about it, and never shows a secret."""

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from slack_sdk.oauth.installation_store import Installation
from typer.testing import CliRunner

from agent.store.journal import Store
from agent.store.survey import Server, Survey
from bot import doctor, doctor_database, doctor_http, manifest
from bot.cli import app
from bot.encryption import Cipher, new_key
from bot.findings import Finding, written
from bot.oauth import OAuth
from bot.playground.core import SCOPES
from bot.playground.server import LocalSlack
from bot.settings import FOR_A_MODEL, FOR_SLACK, Settings
from tests.support.scripted_model import ScriptedModel

KEY = "sk-very-secret"


@pytest.fixture
async def slack() -> AsyncIterator[LocalSlack]:
    async with LocalSlack(scopes=manifest.scopes(manifest.read(manifest.find()))) as slack:
        yield slack


@pytest.fixture
async def model() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel() as model:
        yield model


@pytest.fixture(autouse=True)
def healthy(slack: LocalSlack, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everything as it should be; each test then spoils one thing."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    given = {
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_APP_TOKEN": slack.app_token,
        "SLACK_API_URL": slack.api_url,
        "OPENAI_API_KEY": KEY,
        "OPENAI_MODEL": "scripted",
        "OPENAI_BASE_URL": model.base_url,
        "DATABASE_URL": f"sqlite:///{tmp_path}/parley.db",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)


async def found(what: str) -> Finding:
    """What is said about one thing, after looking at everything."""
    findings = await doctor.examine()
    text = written(findings)
    assert not any(secret in text for secret in (KEY, "xoxb-local", "xapp-1-local", "xoxb-other", "pass-word"))
    assert all(finding.advice for finding in findings if finding.state == "wrong")
    [finding] = [finding for finding in findings if finding.what == what]
    return finding


@pytest.mark.parametrize(("many", "needed"), [(False, 5), (True, 7)])
async def test_many_workspaces_need_more_connections(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, many: bool, needed: int
) -> None:
    async def survey(_url: str) -> Survey:
        return Survey("PostgreSQL", "current", "0003", 1, Server("17.1", 90, 100, "on"))

    monkeypatch.setattr(doctor_database, "survey", survey)
    model.will_say("ok")
    if many:
        http(monkeypatch)

    assert (await found("database server")).said.endswith(f"; a Parley uses {needed}.")


async def test_nothing_is_wrong_when_all_is_well(model: ScriptedModel) -> None:
    model.will_say("ok")

    findings = await doctor.examine()

    assert {finding.what: finding.state for finding in findings} == {
        "settings": "fine",
        "bot token": "fine",
        "scopes": "fine",
        "app token": "fine",
        "events": "note",
        "model": "fine",
        "database": "fine",
    }
    assert written(findings).endswith("Nothing is wrong that can be seen from here.")


async def test_who_parley_is_and_where_is_said(model: ScriptedModel) -> None:
    model.will_say("ok")

    assert (await found("bot token")).said.startswith("works: Parley is @parley in ")


async def test_events_are_not_claimed_to_be_checked(model: ScriptedModel) -> None:
    model.will_say("ok")

    events = await found("events")

    assert events.said.startswith("cannot be checked from here")
    assert "Event Subscriptions" in events.advice


async def test_missing_scopes_are_named_with_how_to_get_them(model: ScriptedModel, slack: LocalSlack) -> None:
    model.will_say("ok")
    slack.core.app.scopes -= {"files:read", "usergroups:read"}

    assert await found("scopes") == Finding("scopes", "wrong", "files:read, usergroups:read missing.", doctor.REINSTALL)


async def test_more_scopes_than_needed_do_no_harm(model: ScriptedModel, slack: LocalSlack) -> None:
    model.will_say("ok")
    slack.core.app.scopes = SCOPES | {"reactions:write"}

    assert (await found("scopes")).state == "fine"


@pytest.mark.parametrize(
    ("name", "what", "advice"),
    [
        ("SLACK_BOT_TOKEN", "bot token", doctor.GET_BOT_TOKEN),
        ("SLACK_APP_TOKEN", "app token", doctor.GET_APP_TOKEN),
    ],
)
@pytest.mark.parametrize(
    ("token", "said"),
    [("", "{} is not set."), ("xoxb-other", "{} is refused by Slack: invalid_auth.")],
)
async def test_a_token_that_is_missing_or_refused_is_named_with_where_to_get_it(
    name: str, what: str, advice: str, token: str, said: str, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.will_say("ok")
    monkeypatch.setenv(name, token)

    assert await found(what) == Finding(what, "wrong", said.format(name), advice)


async def test_tokens_that_were_swapped_are_each_called_another_kind(
    model: ScriptedModel, slack: LocalSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.will_say("ok")
    monkeypatch.setenv("SLACK_BOT_TOKEN", slack.app_token)
    monkeypatch.setenv("SLACK_APP_TOKEN", slack.bot_token)

    findings = {finding.what: finding.said for finding in await doctor.examine()}

    assert findings["bot token"].endswith("not_allowed_token_type. It is another kind of token.")
    assert findings["app token"].endswith("not_allowed_token_type. It is another kind of token.")


async def test_a_slack_that_cannot_be_reached_is_no_fault_of_the_token(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.will_say("ok")
    monkeypatch.setenv("SLACK_API_URL", "http://127.0.0.1:9/api/")

    token = await found("bot token")

    assert token.said.startswith("could not be checked: Slack gave no answer")
    assert "SLACK_API_URL" in token.advice


async def test_a_slack_that_limits_its_calls_is_no_fault_of_the_token(model: ScriptedModel, slack: LocalSlack) -> None:
    model.will_say("ok")
    slack.fail("auth.test", error="ratelimited", status=429)

    assert (await found("bot token")).said.startswith("could not be checked")


async def test_the_model_is_asked_one_short_question_with_a_tool(model: ScriptedModel) -> None:
    model.will_say("ok")

    assert (await found("model")).said == "scripted answers."
    [request] = model.requests
    assert len(request["messages"]) == 1
    assert request["tools"]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "The model's server refused the key: please check OPENAI_API_KEY."),
        (404, "There is no model scripted: check OPENAI_MODEL and OPENAI_BASE_URL."),
        (500, "The model's server is having trouble: please try again in a few minutes."),
    ],
)
async def test_a_model_that_does_not_answer_is_told_in_plain_words_after_one_try(
    status: int, said: str, model: ScriptedModel
) -> None:
    model.will_fail(status, message=f"Incorrect API key provided: {KEY}")

    assert await found("model") == Finding("model", "wrong", said, doctor.CHECK_MODEL)


async def test_a_database_that_another_parley_uses_is_fine(model: ScriptedModel, tmp_path: Path) -> None:
    model.will_say("ok")
    await (await Store.open(f"sqlite:///{tmp_path}/parley.db")).close()

    with held_elsewhere(tmp_path / "parley.db.lock"):
        database = await found("database")

    said = "is in use by another Parley, as it is while one runs (SQLite, version 0003)."
    assert database == Finding("database", "note", said)


@pytest.mark.parametrize(
    "url", ["sqlite:////no/such/directory/parley.db", "mysql://x", "postgresql://parley:pass-word@127.0.0.1:9/parley"]
)
async def test_a_database_that_cannot_be_opened_names_its_variable(
    url: str, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.will_say("ok")
    monkeypatch.setenv("DATABASE_URL", url)

    database = await found("database")

    assert database.state == "wrong"
    assert database.said.startswith("DATABASE_URL")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PARLEY_WHO_MAY_ANSWER", "U012ABCDEF, @ann", "PARLEY_WHO_MAY_ANSWER names @ann: people are named by ids"),
        ("PARLEY_TOOLS", "no.such:thing", "PARLEY_TOOLS (no.such:thing) cannot be loaded"),
    ],
)
async def test_a_setting_that_cannot_work_is_named(
    name: str, value: str, said: str, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.will_say("ok")
    monkeypatch.setenv(name, value)

    settings = await found("settings")

    assert settings.state == "wrong"
    assert settings.said.startswith(said)


async def test_without_settings_nothing_else_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_MODEL")

    settings, rest = await doctor.examine()

    assert settings.said == "OPENAI_MODEL is not set: The model's name, as its API knows it."
    assert rest.said == "was not looked at: it needs the settings."


def test_the_command_fails_if_anything_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_MODEL")

    ended = CliRunner().invoke(app, ["doctor"])

    assert ended.exit_code == 1
    assert ended.stdout.startswith("✗ settings  OPENAI_MODEL is not set")
    assert ended.stdout.endswith("\n1 problem found.\n")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([], "OPENAI_API_KEY, OPENAI_MODEL, SLACK_BOT_TOKEN, SLACK_APP_TOKEN"),
        (["OPENAI_API_KEY"], "OPENAI_MODEL, SLACK_BOT_TOKEN, SLACK_APP_TOKEN"),
    ],
)
def test_where_nothing_is_filled_in_yet_nothing_is_wrong(
    given: list[str], wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in {*FOR_A_MODEL, *FOR_SLACK} - set(given):
        monkeypatch.delenv(name)

    ended = CliRunner().invoke(app, ["doctor"])

    assert ended.exit_code == 0
    assert ended.stdout == (
        "· settings  `parley run` starts the playground, which needs none.\n"
        f"            → For Slack, fill in {wanted} in .env.\n"
        "\nNothing is wrong that can be seen from here.\n"
    )


HTTP = {
    "SLACK_SIGNING_SECRET": "very-secret-signing",
    "SLACK_CLIENT_ID": "1.2",
    "SLACK_CLIENT_SECRET": "very-secret-client",
    "PARLEY_PUBLIC_URL": "https://parley.example.com",
    "PARLEY_ENCRYPTION_KEY": new_key(),
}


def http(monkeypatch: pytest.MonkeyPatch, **other: str) -> None:
    """HTTP mode in many workspaces, but for these."""
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"):
        monkeypatch.delenv(name)
    for name, value in (HTTP | other).items():
        monkeypatch.setenv(name, value)


async def test_http_mode_needs_neither_token(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    model.will_say("ok")
    http(monkeypatch)

    findings = {finding.what: finding for finding in await doctor.examine()}

    assert "wrong" not in {finding.state for finding in findings.values()}
    assert findings["installing"].said == "begins at https://parley.example.com/slack/install."
    assert findings["installations"].said == "there are none: their tables are made at the start."
    assert not [secret for secret in HTTP.values() if "secret" in secret and secret in written([*findings.values()])]


async def test_http_mode_in_one_workspace_needs_its_token(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.will_say("ok")
    monkeypatch.delenv("SLACK_APP_TOKEN")
    monkeypatch.setenv("SLACK_SIGNING_SECRET", "very-secret-signing")

    states = {finding.what: finding.state for finding in await doctor.examine()}

    assert (states["bot token"], states["app token"], states["installing"]) == ("fine", "note", "note")


@pytest.mark.parametrize(
    ("name", "value", "what", "said"),
    [
        ("SLACK_SIGNING_SECRET", "", "signing secret", "SLACK_SIGNING_SECRET is not set."),
        ("SLACK_CLIENT_ID", "", "installing", "SLACK_CLIENT_ID is not set: it is on the app's Basic Information page"),
        ("SLACK_CLIENT_SECRET", "", "installing", "SLACK_CLIENT_SECRET is not set: it is on the app's Basic"),
        ("PARLEY_PUBLIC_URL", "", "installing", "PARLEY_PUBLIC_URL is not set: Slack sends people back there"),
        ("PARLEY_PUBLIC_URL", "http://localhost:3000", "installing", "PARLEY_PUBLIC_URL is not https"),
        ("PARLEY_ENCRYPTION_KEY", "", "installing", "PARLEY_ENCRYPTION_KEY is not set: make one with `parley secret`."),
        (
            "PARLEY_ENCRYPTION_KEY",
            "abc",
            "installing",
            "PARLEY_ENCRYPTION_KEY is wrong: make one with `parley secret`.",
        ),
    ],
)
async def test_a_setting_of_http_mode_that_is_missing_or_wrong_is_named(
    name: str, value: str, what: str, said: str, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.will_say("ok")
    http(monkeypatch, **{name: value})

    finding = await found(what)

    assert finding.state == "wrong"
    assert finding.said.startswith(said)


async def test_tokens_that_the_key_does_not_fit_are_found(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model.will_say("ok")
    http(monkeypatch)
    oauth = OAuth("1.2", "", "", Cipher(new_key()))
    async with oauth.installations(f"sqlite:///{tmp_path}/parley.db") as store:
        await store.async_save(Installation(team_id="T1", user_id="U1", app_id="A1", bot_token="xoxb-1", bot_id="B1"))

    finding = await found("installations")

    assert finding.said.startswith("PARLEY_ENCRYPTION_KEY does not fit the tokens in the database")
    assert finding.advice == doctor_http.RESTORE


async def test_tokens_are_left_as_they_are_when_a_new_key_is_tried(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model.will_say("ok")
    old = Cipher(key := new_key())
    http(monkeypatch, PARLEY_ENCRYPTION_KEY=f"{new_key()},{key}")
    async with OAuth(HTTP["SLACK_CLIENT_ID"], "", "", old).installations(f"sqlite:///{tmp_path}/parley.db") as store:
        await store.async_save(Installation(team_id="T1", user_id="U1", app_id="A1", bot_token="xoxb-1", bot_id="B1"))

        finding = await found("installations")
        running = await store.find("T1")

    assert finding.said == "can be read: 1 workspace."
    assert running
    assert running.token == "xoxb-1"


@contextmanager
def held_elsewhere(lock: Path) -> Iterator[None]:
    """The lock of a database, held by another process."""
    script = (
        f"from filelock import FileLock; lock = FileLock({str(lock)!r}); lock.acquire(); "
        "print('held', flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        yield
        holder.communicate(b"\n")
