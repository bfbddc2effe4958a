"""What the doctor says of the database, of metrics and of traces; it changes nothing that it only looks at."""

import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from agent.store.journal import Store
from agent.store.survey import Server, Survey, survey
from bot import doctor_database, doctor_watching
from bot.findings import Finding
from bot.settings import Settings
from tests.support.replicas import Process


async def at_version(url: str, version: str) -> None:
    store = await Store.open(url)
    await store._run(lambda c: c.execute(sa.text(f"UPDATE alembic_version SET version_num = '{version}'")))
    await store.close()


async def about(what: str, url: str) -> Finding:
    [finding] = [finding for finding in await doctor_database.findings(url) if finding.what == what]
    return finding


async def test_one_that_is_new_is_made_and_its_kind_and_version_are_said(database_url: str) -> None:
    finding = await about("database", database_url)

    kind = "SQLite" if database_url.startswith("sqlite") else "PostgreSQL"
    assert (finding.state, finding.said) == ("fine", f"opens: {kind}, and its tables are up to date (version 0003).")
    assert (await survey(database_url)).standing == "current"


async def test_an_older_one_is_said_to_be_migrated_at_the_start_and_left_as_it_is(database_url: str) -> None:
    await at_version(database_url, "0001")

    finding = await about("database", database_url)

    assert finding.state == "note"
    assert finding.said == "is of version 0001: it will be migrated to 0003 at the next start."
    assert (await survey(database_url)).version == "0001"


async def test_a_newer_one_is_wrong(database_url: str) -> None:
    await at_version(database_url, "9999")

    finding = await about("database", database_url)

    assert (finding.state, finding.advice) == ("wrong", doctor_database.USE_NEWER)


async def test_one_that_a_parley_runs_on_is_told_from_one_that_is_free(database_url: str) -> None:
    parley = await Process(database_url).start()
    try:
        during = await about("database", database_url)
    finally:
        await parley.stop()
    after = await survey(database_url)

    assert during.said.startswith("is in use by another Parley")
    assert after.users == 0


async def test_of_a_server_its_version_and_free_connections_are_said(database_url: str) -> None:
    found = (await survey(database_url)).server
    if database_url.startswith("sqlite"):
        assert found is None
        return

    finding = await about("database server", database_url)

    assert found
    assert 0 < found.free < found.allowed
    assert finding.state == "fine"
    assert finding.said.startswith(f"PostgreSQL {found.version} has ")


async def test_a_server_that_may_lose_what_was_acked_is_wrong(database_url: str) -> None:
    if database_url.startswith("sqlite"):
        pytest.skip("SQLite has no such setting: Parley sets its own")
    await (await Store.open(database_url)).close()

    finding = await about("database server", f"{database_url}&options=-csynchronous_commit%3Doff")

    assert (finding.state, finding.advice) == ("wrong", doctor_database.SAFE_COMMIT)


@pytest.mark.parametrize(("free", "in_use", "state"), [(5, False, "fine"), (4, False, "wrong"), (4, True, "fine")])
async def test_too_few_connections_are_wrong_unless_parley_has_its_own_already(
    free: int, in_use: bool, state: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def found(_url: str) -> Survey:
        return Survey("PostgreSQL", "current", "0003", int(in_use), Server("17.1", free, 100, "on"))

    monkeypatch.setattr(doctor_database, "survey", found)

    assert (await about("database server", f"sqlite:///{tmp_path}/parley.db")).state == state


def settings(**given: object) -> Settings:
    return Settings(_env_file=None, openai_api_key="k", openai_model="m", **given)  # type: ignore[call-arg, arg-type]


@pytest.fixture(autouse=True)
def only_these(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def test_without_metrics_and_traces_nothing_is_said_of_them() -> None:
    assert doctor_watching.findings(settings()) == []


def test_where_they_will_be_is_said() -> None:
    given = {"parley_metrics_port": 9464, "otel_exporter_otlp_endpoint": "http://collector:4318"}

    metrics, traces = doctor_watching.findings(settings(**given))

    assert (metrics.state, metrics.said) == ("fine", "will be at http://127.0.0.1:9464/metrics.")
    assert traces.said.startswith("will be sent to http://collector:4318/v1/traces;")


def test_metrics_cannot_have_the_port_of_http_mode() -> None:
    [finding] = doctor_watching.findings(settings(parley_metrics_port=3_000, slack_signing_secret="s"))

    assert (finding.state, finding.advice) == ("wrong", doctor_watching.OTHER_PORT)


def test_traces_without_their_packages_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bot.tracing", None)

    [finding] = doctor_watching.findings(settings(otel_exporter_otlp_endpoint="http://c:4318"))

    assert (finding.state, finding.advice) == ("wrong", doctor_watching.INSTALL)
