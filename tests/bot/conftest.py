"""Fixtures only: a local Slack whose clock stands still, a client for its API, and Ann's page."""

from collections.abc import AsyncIterator

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.clock import Clock
from bot.playground.server import LocalSlack
from tests.support.page import Page, page
from tests.support.slack_app import client_of


@pytest.fixture
async def slack() -> AsyncIterator[LocalSlack]:
    async with LocalSlack(clock=Clock(running=False)) as slack:
        yield slack


@pytest.fixture
def client(slack: LocalSlack) -> AsyncWebClient:
    return client_of(slack)


@pytest.fixture
async def ann(slack: LocalSlack) -> AsyncIterator[Page]:
    async with page(slack.core.url, "ann") as ann:
        yield ann
