"""The workspace outlives its process, and time passes when it is told to."""

import json

from bot.playground.clock import Clock
from bot.playground.server import LocalSlack
from tests.support.slack_app import app_on, client_of, connected, form, section

GENERAL = "C0GENERAL"


async def test_everything_is_there_again_after_it_was_written_down() -> None:
    async with LocalSlack() as slack:
        ann, client = slack.people["ann"], client_of(slack)
        ts = ann.writes(GENERAL, "hello", files={"notes.txt": b"milk"})
        await client.chat_postMessage(channel=GENERAL, text="a form", blocks=form(), thread_ts=ts)
        ann.chooses(slack.thread(GENERAL, ts)[1], 1, "SQLite")
        await client.chat_startStream(
            channel=GENERAL,
            thread_ts=ts,
            markdown_text="writing",
            recipient_user_id=ann.id,
            recipient_team_id=slack.team_id,
        )
        await client.views_publish(user_id=ann.id, view={"type": "home", "blocks": [section("home")]})
        await client.agents_sessions_setStatus(channel_id=GENERAL, thread_ts=ts, status="processing")
        state = json.loads(json.dumps(slack.dump()))

    async with LocalSlack(state=state) as again:
        assert again.core.workspace == slack.core.workspace
        assert again.thread(GENERAL, ts) == slack.thread(GENERAL, ts)
        assert again.people["ann"].writes(GENERAL, "later") > ts


async def test_an_event_nobody_took_is_delivered_after_a_restart() -> None:
    async with LocalSlack() as slack:
        slack.people["ann"].writes(GENERAL, "is anybody there?")
        state = json.loads(json.dumps(slack.dump()))

    async with LocalSlack(state=state) as again, connected(app_on(again), again):
        await again.until(lambda: again.deliveries and again.deliveries[0].acked)

    assert again.deliveries[0].payload["event"]["text"] == "is anybody there?"
    assert again.core.workspace.waiting == {}


def test_what_is_due_happens_in_its_order_and_at_its_time() -> None:
    clock, seen = Clock(running=False, start=0), list[tuple[str, float]]()
    clock.after(2, lambda: seen.append(("second", clock.now())))
    clock.after(1, lambda: seen.append(("first", clock.now())))
    clock.after(5, lambda: seen.append(("too late", clock.now())))
    clock.after(1.5, lambda: seen.append(("cancelled", clock.now()))).cancel()

    clock.advance(3)

    assert seen == [("first", 1), ("second", 2)]
    assert clock.now() == 3


async def test_a_running_clock_moves_by_itself() -> None:
    clock = Clock()

    await clock.sleep(0.01)

    assert clock.now() > 0
    clock.close()
