"""The live view shows what it was not there to hear, and keeps nothing of a thread that only waits."""

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


async def test_a_view_that_missed_the_beginning_of_a_reply_shows_it(slack: LocalSlack, client: AsyncWebClient) -> None:
    ann, general = slack.people["ann"], slack.channels["general"]
    key = ThreadKey(team=slack.team_id, channel=general.id, root=ann.writes(general, "hello"))
    view = LiveView(Slack(client), asyncio.sleep)
    view.changed(key, Thinking(requester=ann.id))

    view.text(key, " see.", "Let me see.")

    await slack.until(lambda: slack.called("chat.startStream"))
    assert slack.thread(general, key.root)[-1].text == "Let me see."
    await view.close()


async def test_a_reply_is_streamed_once_no_other_process_can_be_at_it(
    slack: LocalSlack, client: AsyncWebClient
) -> None:
    ann, general = slack.people["ann"], slack.channels["general"]
    key = ThreadKey(team=slack.team_id, channel=general.id, root=ann.writes(general, "hello"))
    asked: list[bool] = []

    def may_show() -> bool:
        asked.append(True)
        return len(asked) > 2

    async def sleep(_seconds: float) -> None:
        await asyncio.sleep(0)

    view = LiveView(Slack(client, may_show=may_show), sleep)
    view.changed(key, Thinking(requester=ann.id))
    view.text(key, "Let me see.", "Let me see.")

    await slack.until(lambda: slack.called("chat.startStream"))
    assert slack.thread(general, key.root)[-1].text == "Let me see."
    await view.close()
