"""The live view keeps nothing of a thread that only waits, however long that is."""

import asyncio

from slack_sdk.web.async_client import AsyncWebClient

from agent.core.states import State, Thinking, Waiting
from agent.ports import ThreadKey
from bot.live import LiveView
from bot.playground.server import LocalSlack
from bot.slack import Slack


async def test_a_thread_that_waits_is_not_kept(slack: LocalSlack, client: AsyncWebClient) -> None:
    view = LiveView(Slack(client), slack.clock.sleep)
    key = ThreadKey(team=slack.team_id, channel=slack.channels["general"].id, root="1700000000.000100")
    states: list[State] = [Thinking(requester="U1"), Waiting(requester="U1", replied=1)]

    for state in states:
        view.changed(key, state)

    kept = [name for name, held in vars(view).items() if isinstance(held, dict | set) and key in held]
    assert kept == []
    await asyncio.wait_for(view.close(), 5)
