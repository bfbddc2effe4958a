"""Fixtures only. Every test here runs in one event loop, so that they can share one browser."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from bot.playground.server import LocalSlack
from tests.browser.sheet import Sheet
from tests.support.browser import Playground, Tab, chromium, opened
from tests.support.slack_world import SlackWorld
from tests.support.story_world import StoryWorld

NewTab = Callable[..., Awaitable[Tab]]


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def browser() -> AsyncIterator[Browser]:
    program = chromium()
    if program is None:
        pytest.skip("no chromium on this machine: no browser to look at the page with")
    async with opened(program) as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def visit(browser: Browser) -> AsyncIterator[NewTab]:
    """Opens tabs at an address; at the end, none may have had anything to complain about.

    To be asked for after whatever serves the page, so that the tabs are closed while it still does.
    """
    tabs: list[Tab] = []

    async def open_tab(url: str, person: str = "ann", place: str = "C0GENERAL", **looks: Any) -> Tab:
        looks = {"viewport": {"width": 1280, "height": 800}, **looks}
        context = await browser.new_context(locale="en-GB", timezone_id="UTC", **looks)
        tabs.append(Tab(await context.new_page(), url))
        await tabs[-1].comes(person, place)
        return tabs[-1]

    yield open_tab
    for tab in tabs:
        await tab.page.context.close()
    assert [complaint for tab in tabs for complaint in tab.complaints] == []


@pytest_asyncio.fixture(loop_scope="session")
async def playground(tmp_path: Path) -> AsyncIterator[Playground]:
    playground = Playground(tmp_path)
    await playground.start()
    yield playground
    await playground.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def new_tab(playground: Playground, visit: NewTab) -> NewTab:
    """Opens tabs at the playground, wherever it is by then."""

    async def open_tab(*who_and_where: str, **looks: Any) -> Tab:
        return await visit(playground.url, *who_and_where, **looks)

    return open_tab


@pytest_asyncio.fixture(loop_scope="session")
async def slack(browser: Browser) -> AsyncIterator[LocalSlack]:
    """The local Slack alone: Parley is not there."""
    async with LocalSlack() as slack:
        yield slack


@pytest_asyncio.fixture(loop_scope="session")
async def stories(browser: Browser, tmp_path: Path) -> AsyncIterator[StoryWorld]:
    """What the playground is made of, in this process, so that a test can see behind the page."""
    async with StoryWorld(tmp_path) as world:
        await world.start(parley_working_hours="0-24")
        yield world


@pytest_asyncio.fixture(loop_scope="session")
async def come(stories: StoryWorld, visit: NewTab) -> NewTab:
    """Opens tabs there."""

    async def open_tab(*who_and_where: str, **looks: Any) -> Tab:
        return await visit(stories.slack.core.url, *who_and_where, **looks)

    return open_tab


@pytest_asyncio.fixture(loop_scope="session")
async def scripted(browser: Browser, tmp_path: Path) -> AsyncIterator[SlackWorld]:
    """Parley with a model that says what the test wants."""
    async with SlackWorld(f"sqlite:///{tmp_path}/parley.db") as world:
        yield world


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def sheet(browser: Browser) -> AsyncIterator[Sheet]:
    async with LocalSlack() as slack:
        context = await browser.new_context(locale="en-GB", timezone_id="UTC")
        tab = Tab(await context.new_page(), slack.core.url)
        await tab.comes()
        sheet = Sheet(tab.page)
        await sheet.begin()
        yield sheet
        await context.close()
        assert tab.complaints == []
