"""Which workspaces Parley serves follows what is installed, and whatever goes wrong with one is tried again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from slack_sdk.oauth.installation_store import Installation
from slack_sdk.web.async_client import AsyncWebClient

from agent.core.events import MessageReceived
from agent.core.states import Idle
from agent.ports import ThreadKey
from bot.app import Parley, running
from bot.encryption import Cipher, new_key
from bot.installations import Installations
from bot.live_views import LiveViews
from bot.playground.server import LocalSlack
from bot.settings import Settings
from bot.slack import Slack
from bot.workspace import Shared
from bot.workspaces import Workspaces


@dataclass
class Place:
    """Workspaces on a database of their own; each of `failures` is raised once where a client is made."""

    parley: Parley
    views: LiveViews
    tokens: Installations
    client: AsyncWebClient
    failures: list[Exception] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def connect(self, _token: str, _gone: Callable[[], None]) -> Slack:
        if self.failures:
            raise self.failures.pop()
        return Slack(self.client)

    async def install(self, team: str, token: str = "xoxb-1") -> None:
        given = {"app_id": "A1", "user_id": "U1", "bot_id": "B1", "bot_user_id": "UB1"}
        await self.tokens.async_save(Installation(team_id=team, bot_token=token, **given))

    async def adoptable(self) -> set[str]:
        """The teams of which unfinished threads would be taken over."""
        return {key.team for key in await self.parley.store.adoption.threads({0})}


@pytest.fixture
async def place(tmp_path: Path, client: AsyncWebClient) -> AsyncIterator[Place]:
    url, views = f"sqlite:///{tmp_path}/parley.db", LiveViews()
    settings = Settings(_env_file=None, openai_api_key="k", openai_model="m", database_url=url)  # type: ignore[call-arg, arg-type]
    tokens = Installations("1.2", url, Cipher(new_key()))
    async with running(settings, views) as parley:
        await tokens.open()
        yield Place(parley, views, tokens, client)
        await tokens.close()


@pytest.fixture
async def workspaces(place: Place, slack: LocalSlack) -> AsyncIterator[Workspaces]:
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    shared = Shared(
        store=place.parley.store,
        threads=place.parley.threads,
        permissions=settings.permissions,
        due=settings.schedule,
        api_url=slack.api_url,
        changed=place.changed.append,
        clock=slack.clock.now,
        sleep=slack.clock.sleep,
    )
    workspaces = Workspaces(place.tokens, place.views, shared, place.connect)
    await workspaces.start()
    yield workspaces
    await workspaces.close()


async def unfinished(place: Place, team: str) -> ThreadKey:
    key = ThreadKey(team=team, channel="C1", root="1700000000.000100")
    await place.parley.store.append(key, MessageReceived(text="hello"))
    return key


async def test_what_was_installed_elsewhere_is_served_once_it_is_seen(place: Place, workspaces: Workspaces) -> None:
    for team in ("T1", "T2"):
        await unfinished(place, team)
    await place.install("T1")

    before = await place.adoptable()
    await workspaces.look()

    assert (before, await place.adoptable()) == (set(), {"T1"})


async def test_what_is_seen_no_more_is_left_and_dropped(
    place: Place, workspaces: Workspaces, slack: LocalSlack
) -> None:
    await place.install(slack.team_id, slack.bot_token)
    await workspaces.look()
    assert await workspaces.of(slack.team_id)
    me = await place.tokens.find(slack.team_id)
    assert me
    await unfinished(place, slack.team_id)

    await place.tokens.forget(me)
    await workspaces.look()

    assert await place.adoptable() == set()
    assert place.views.by_team == {}


async def test_what_is_built_for_something_that_came_here_is_served(
    place: Place, workspaces: Workspaces, slack: LocalSlack
) -> None:
    await place.install(slack.team_id, slack.bot_token)

    assert await workspaces.of(slack.team_id)
    await unfinished(place, slack.team_id)

    assert await place.adoptable() == {slack.team_id}


async def test_what_is_served_again_is_told_once_since_something_may_have_come_due_there(
    place: Place, workspaces: Workspaces, slack: LocalSlack
) -> None:
    for _ in range(2):
        await place.install(slack.team_id, slack.bot_token)
        await workspaces.look()
        assert await workspaces.of(slack.team_id)
        me = await place.tokens.find(slack.team_id)
        assert me
        await place.tokens.forget(me)
        await workspaces.look()

    assert place.changed == [slack.team_id, slack.team_id]


async def test_it_looks_again_every_minute(place: Place, workspaces: Workspaces, slack: LocalSlack) -> None:
    await unfinished(place, "T1")
    await place.install("T1")
    await slack.until(lambda: slack.clock.waiting)

    slack.clock.advance(60)

    async with asyncio.timeout(5):
        while not await place.adoptable():
            pass


async def test_one_that_could_not_be_built_for_whatever_reason_is_tried_again(
    place: Place, workspaces: Workspaces, slack: LocalSlack
) -> None:
    await place.install(slack.team_id, slack.bot_token)
    place.failures = [RuntimeError("nobody expected this")]

    place.views.changed(await unfinished(place, slack.team_id), Idle())
    await slack.until(lambda: not place.failures)
    slack.clock.advance(30)

    await slack.until(lambda: place.views.by_team)
