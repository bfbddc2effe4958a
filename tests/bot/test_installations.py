"""Installations: one for a workspace, the newest; its secrets unreadable in the tables; on both kinds of database."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import sqlalchemy as sa
from slack_sdk.oauth.installation_store import Installation

from agent.core.errors import StoreError
from agent.store import database
from bot.encryption import Cipher, new_key
from bot.installations import Installations
from bot.settings import BadSettings

SECRETS = {
    "bot_token": "xoxb-" + "secret" * 40,
    "user_token": "xoxp-secret",
    "bot_refresh_token": "xoxe-secret",
    "user_refresh_token": "xoxe-other-secret",
    "incoming_webhook_url": "https://hooks.slack.com/secret",
}


def installation(team: str, **other: Any) -> Installation:
    given = {"bot_token": f"xoxb-{team}", "bot_id": f"B-{team}", "bot_user_id": f"UB-{team}"}
    return Installation(app_id="A1", team_id=team, user_id="U1", **given | other)


@pytest.fixture
async def installations(database_url: str) -> AsyncIterator[Installations]:
    store = Installations("1.2", database_url, Cipher(new_key()))
    await store.open()
    yield store
    await store.close()


def rows(url: str) -> list[dict[str, Any]]:
    engine = database.create_engine(database.parse_url(url))
    with engine.connect() as connection:
        tables = ("slack_bots", "slack_installations")
        found = [row for name in tables for row in connection.execute(sa.text(f"SELECT * FROM {name}")).mappings()]
    engine.dispose()
    return [dict(row) for row in found]


async def test_a_workspace_is_found_by_its_team_alone(installations: Installations) -> None:
    await installations.async_save(installation("T1"))
    await installations.async_save(installation("T2", enterprise_id="E1"))

    found = await installations.find("T2")

    assert found
    assert (found.team_id, found.user_id, found.bot_id, found.token) == ("T2", "UB-T2", "B-T2", "xoxb-T2")
    assert "xoxb" not in repr(found)
    assert await installations.find("T3") is None
    assert sorted(await installations.teams()) == ["T1", "T2"]


async def test_no_secret_is_in_the_tables_in_clear_however_long_it_is(
    installations: Installations, database_url: str
) -> None:
    await installations.async_save(installation("T1", **SECRETS))

    written = str(rows(database_url))

    assert "T1" in written
    assert not [secret for secret in SECRETS.values() if secret in written]
    found = await installations.find("T1")
    assert found
    assert found.token == SECRETS["bot_token"]


async def test_a_new_installation_takes_the_place_of_the_old(installations: Installations, database_url: str) -> None:
    await installations.async_save(installation("T1", installed_at=1_700_000_000.0))
    await installations.async_save(installation("T2"))
    await installations.async_save(installation("T1", bot_token="xoxb-new"))

    found = await installations.find("T1")

    assert found
    assert found.token == "xoxb-new"
    assert len(rows(database_url)) == 4


async def test_only_the_token_that_is_gone_is_forgotten(installations: Installations) -> None:
    await installations.async_save(installation("T1"))
    await installations.async_save(installation("T2"))
    old = await installations.find("T1")
    assert old
    await installations.async_save(installation("T1", bot_token="xoxb-new"))

    await installations.forget(old)
    new = await installations.find("T1")
    assert new
    assert new.token == "xoxb-new"
    await installations.forget(new)

    assert await installations.find("T1") is None
    assert list(await installations.teams()) == ["T2"]


async def test_another_app_on_the_same_database_has_its_own(installations: Installations, database_url: str) -> None:
    await installations.async_save(installation("T1"))
    other = Installations("3.4", database_url, Cipher(new_key()))

    assert await other.find("T1") is None
    assert list(await other.teams()) == []
    await other.close()


async def test_a_check_makes_no_tables_and_encrypts_nothing_anew(database_url: str) -> None:
    old = new_key()
    first = Installations("1.2", database_url, Cipher(old))
    assert await first.check() is None
    assert await first.check() is None
    await first.open()
    await first.async_save(installation("T1", **SECRETS))
    before = rows(database_url)
    second = Installations("1.2", database_url, Cipher(f"{new_key()},{old}"))
    stranger = Installations("1.2", database_url, Cipher(new_key()))

    assert await second.check() == 1
    with pytest.raises(BadSettings, match="does not fit"):
        await stranger.check()

    assert rows(database_url) == before
    for store in (first, second, stranger):
        await store.close()


async def test_keys_change_while_replicas_run_if_each_can_read_what_the_others_write(database_url: str) -> None:
    old, new = new_key(), new_key()
    running = Installations("1.2", database_url, Cipher(old))
    await running.open()
    await running.async_save(installation("T1"))

    for keys in (f"{old},{new}", f"{new},{old}", new):
        restarted = Installations("1.2", database_url, Cipher(keys))
        await restarted.open()
        for store in (running, restarted):
            found = await store.find("T1")
            assert found
            assert found.token == "xoxb-T1"
        await running.close()
        running = restarted
    await running.close()


async def test_a_state_is_good_once(installations: Installations) -> None:
    state = await installations.states.async_issue()

    assert [await installations.states.async_consume(state) for _ in range(2)] == [True, False]
    assert not await installations.states.async_consume("made up")


async def test_states_that_nobody_came_back_with_do_not_pile_up(
    installations: Installations, database_url: str
) -> None:
    installations.states.tables.expiration_seconds = -1
    for _ in range(5):
        await installations.states.async_issue()

    engine = database.create_engine(database.parse_url(database_url))
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM slack_oauth_states")) == 1
    engine.dispose()


async def test_a_database_that_cannot_be_used_is_said_to_be_so() -> None:
    store = Installations("1.2", "postgresql://parley@127.0.0.1:9/parley", Cipher(new_key()))

    with pytest.raises(StoreError):
        await store.find("T1")
    await store.close()
