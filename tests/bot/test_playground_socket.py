"""Socket Mode with a real Bolt app: delivery, redelivery, reconnecting, and what people see when it fails."""

import asyncio
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext, AsyncBoltRequest, AsyncRespond, AsyncSay
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import LocalSlack
from tests.support.slack_app import actions, app_on, button, client_of, connected, form

Json = dict[str, Any]
GENERAL = "C0GENERAL"


@pytest.fixture
def app(slack: LocalSlack) -> AsyncApp:
    return app_on(slack)


def replying(app: AsyncApp) -> list[Json]:
    """The app answers every mention in its thread; what it heard."""
    heard: list[Json] = []

    @app.event("app_mention")
    async def on_mention(event: Json, body: Json, say: AsyncSay) -> None:
        heard.append(body)
        await say(text="here", thread_ts=event.get("thread_ts") or event["ts"])

    return heard


async def test_a_mention_gets_its_reply_in_the_thread(slack: LocalSlack, app: AsyncApp) -> None:
    replying(app)

    async with connected(app, slack):
        ts = slack.people["ann"].mentions(GENERAL, "hello")
        reply = (await slack.until(lambda: slack.thread(GENERAL, ts)[1:]))[0]

    assert (reply.text, reply.user) == ("here", slack.bot_user_id)


async def test_a_mention_in_a_joined_channel_is_two_events(slack: LocalSlack, app: AsyncApp) -> None:
    async with connected(app, slack):
        slack.people["ann"].mentions(GENERAL, "hello")

    mention, message = (delivery.payload for delivery in slack.deliveries)
    assert [mention["event"]["type"], message["event"]["type"]] == ["app_mention", "message"]
    assert mention["event"]["ts"] == message["event"]["ts"]
    assert mention["event_id"] != message["event_id"]
    assert message["event"]["channel_type"] == "channel"


async def test_a_mention_elsewhere_is_one_event_and_a_direct_message_is_no_mention(
    slack: LocalSlack, app: AsyncApp
) -> None:
    ann = slack.people["ann"]

    async with connected(app, slack):
        ann.mentions("C0RANDOM0", "hello")
        ann.dms(f"<@{slack.bot_user_id}> hello")

    events = [delivery.payload["event"] for delivery in slack.deliveries]
    assert [(e["type"], e.get("channel_type")) for e in events] == [("app_mention", None), ("message", "im")]


async def test_somebody_from_outside_is_known_by_their_team(slack: LocalSlack, app: AsyncApp) -> None:
    actors: list[str | None] = []

    @app.event("app_mention")
    async def on_mention(context: AsyncBoltContext) -> None:
        actors.append(context.actor_team_id)

    async with connected(app, slack):
        slack.people["eve"].mentions("C0PARTNER", "hello")
        slack.people["ann"].mentions("C0PARTNER", "hello")
        await slack.until(lambda: len(slack.delivered("app_mention")) == 2 and all(d.acked for d in slack.deliveries))

    assert actors == [slack.people["eve"].user.team_id, slack.team_id]
    assert slack.deliveries[0].payload["is_ext_shared_channel"] is True
    assert slack.deliveries[0].payload["authorizations"][0]["team_id"] == slack.team_id


async def test_a_message_with_files_is_a_file_share(slack: LocalSlack, app: AsyncApp) -> None:
    async with connected(app, slack):
        slack.people["ann"].mentions(GENERAL, "read this", files={"notes.txt": b"milk"})

    mention, message = (delivery.payload["event"] for delivery in slack.deliveries)
    assert ("subtype" in mention, message["subtype"]) == (False, "file_share")
    assert mention["files"][0]["mimetype"] == "text/plain"


async def test_the_app_hears_its_own_messages_and_changes(slack: LocalSlack, app: AsyncApp) -> None:
    client = client_of(slack)

    async with connected(app, slack):
        ts = (await client.chat_postMessage(channel=GENERAL, text="a"))["ts"]
        await client.chat_update(channel=GENERAL, ts=ts, text="b")

    posted, changed = (delivery.payload["event"] for delivery in slack.deliveries)
    assert posted["bot_id"] == "B0PARLEY0"
    assert (changed["subtype"], changed["message"]["text"]) == ("message_changed", "b")


async def test_an_edit_is_a_message_changed(slack: LocalSlack, app: AsyncApp) -> None:
    ann = slack.people["ann"]

    async with connected(app, slack):
        ts = ann.writes(GENERAL, "helo")
        ann.edits(GENERAL, ts, "hello")

    event = slack.deliveries[-1].payload["event"]
    assert (event["subtype"], event["previous_message"]["text"], event["message"]["text"]) == (
        "message_changed",
        "helo",
        "hello",
    )


async def test_a_click_brings_what_the_clicker_filled_in_and_nobody_else(slack: LocalSlack, app: AsyncApp) -> None:
    clicks: list[Json] = []

    @app.action("submit")
    async def on_submit(ack: AsyncAck, body: Json) -> None:
        clicks.append(body)
        await ack()

    ann, ben = slack.people["ann"], slack.people["ben"]
    async with connected(app, slack):
        thread = ann.writes(GENERAL, "hello")
        await client_of(slack).chat_postMessage(channel=GENERAL, text="a form", blocks=form(), thread_ts=thread)
        message = slack.thread(GENERAL, thread)[1]
        ann.chooses(message, 1, "SQLite")
        ann.chooses(message, "Which regions?", "Africa", "Europe")
        ben.types(message, 1, "CockroachDB")
        outcome = await ann.clicks(message, "Submit")

    body = clicks[0]
    values = body["state"]["values"]
    assert outcome.acked
    assert values["q1/choice"]["choice"]["selected_option"]["text"]["text"] == "SQLite"
    assert [o["text"]["text"] for o in values["q2/choice"]["choice"]["selected_options"]] == ["Europe", "Africa"]
    assert values["q1/other"]["other"] == {"type": "plain_text_input", "value": None}
    assert body["user"] == {"id": ann.id, "username": "ann", "name": "ann", "team_id": slack.team_id}
    assert body["container"]["message_ts"] == body["message"]["ts"] == message.ts
    assert body["message"]["thread_ts"] == thread
    assert body["actions"][0]["block_id"] == "buttons"


async def test_a_click_that_is_not_acked_in_three_seconds_fails_and_is_not_repeated(
    slack: LocalSlack, app: AsyncApp
) -> None:
    @app.action("submit")
    async def on_submit() -> None: ...

    ann = slack.people["ann"]
    async with connected(app, slack):
        await client_of(slack).chat_postMessage(channel=GENERAL, text="a form", blocks=form())
        click = asyncio.create_task(ann.clicks(slack.messages(GENERAL)[0], "Submit"))
        await slack.until(lambda: slack.delivered("block_actions"))
        slack.clock.advance(3)
        outcome = await click
        slack.clock.advance(600)

    assert (outcome.acked, outcome.error) == (False, "not acknowledged within 3 seconds")
    assert len(slack.delivered("block_actions")) == 1


async def test_a_click_while_nothing_is_connected_fails_at_once(slack: LocalSlack) -> None:
    await client_of(slack).chat_postMessage(channel=GENERAL, text="a form", blocks=form())

    outcome = await slack.people["ann"].clicks(slack.messages(GENERAL)[0], "Submit")

    assert (outcome.acked, outcome.error) == (False, "the app is not connected")


async def test_a_button_is_there_only_for_those_it_is_meant_for(slack: LocalSlack) -> None:
    ann, ben = slack.people["ann"], slack.people["ben"]
    only_ann = [actions(button(visible_to_user_ids=[ann.id]))]
    await client_of(slack).chat_postMessage(channel=GENERAL, text="a", blocks=only_ann)

    with pytest.raises(LookupError):
        await ben.clicks(slack.messages(GENERAL)[0], "Submit")


async def test_an_event_that_is_not_acked_comes_again_until_it_is(slack: LocalSlack, app: AsyncApp) -> None:
    attempts: list[tuple[str, str]] = []

    @app.middleware
    async def fail_twice(req: AsyncBoltRequest, next: Any) -> None:
        number = req.headers.get("x-slack-retry-num", ["0"])[0]
        attempts.append((number, req.headers.get("x-slack-retry-reason", [""])[0]))
        if len(attempts) < 3:
            raise RuntimeError("not written down")
        await next()

    async with connected(app, slack):
        slack.people["ann"].writes(GENERAL, "hello")
        await slack.until(lambda: attempts)
        slack.clock.advance(3)
        await slack.until(lambda: len(slack.deliveries) == 2)
        slack.clock.advance(3 + 60)
        await slack.until(lambda: slack.deliveries[-1].acked)
        slack.clock.advance(600)

    assert attempts == [("0", ""), ("1", "timeout"), ("2", "timeout")]
    assert len({delivery.payload["event_id"] for delivery in slack.deliveries}) == 1


async def test_slack_gives_up_after_three_retries(slack: LocalSlack, app: AsyncApp) -> None:
    @app.middleware
    async def fail() -> None:
        raise RuntimeError("never written down")

    async with connected(app, slack):
        slack.people["ann"].writes(GENERAL, "hello")
        slack.clock.advance(3_600)

    assert [delivery.attempt for delivery in slack.deliveries] == [0, 1, 2, 3]
    assert len(slack.core.hub.given_up) == 1


async def test_events_wait_until_somebody_connects(slack: LocalSlack, app: AsyncApp) -> None:
    heard = replying(app)
    ts = slack.people["ann"].mentions(GENERAL, "hello")
    slack.clock.advance(60)

    async with connected(app, slack):
        await slack.until(lambda: slack.thread(GENERAL, ts)[1:])

    assert len(heard) == 1
    assert [delivery.attempt for delivery in slack.delivered("app_mention")] == [1]


async def test_an_event_can_come_twice(slack: LocalSlack, app: AsyncApp) -> None:
    heard = replying(app)
    slack.duplicate_next("app_mention")

    async with connected(app, slack):
        ts = slack.people["ann"].mentions(GENERAL, "hello")
        await slack.until(lambda: len(slack.thread(GENERAL, ts)) == 3)
        slack.redeliver(slack.delivered("app_mention")[0])
        await slack.until(lambda: len(slack.thread(GENERAL, ts)) == 4)

    assert len({body["event_id"] for body in heard}) == 1


async def test_events_can_be_held_back_and_come_in_another_order(slack: LocalSlack, app: AsyncApp) -> None:
    ann = slack.people["ann"]

    async with connected(app, slack):
        slack.hold_events()
        ann.writes(GENERAL, "one")
        ann.writes(GENERAL, "two")
        assert slack.deliveries == []
        slack.release_events(reverse=True)

    assert [delivery.payload["event"]["text"] for delivery in slack.deliveries] == ["two", "one"]


async def test_the_app_reconnects_when_it_is_asked_to(slack: LocalSlack, app: AsyncApp) -> None:
    replying(app)

    async with connected(app, slack):
        slack.disconnect("refresh_requested")
        await slack.connected()
        ts = slack.people["ann"].mentions(GENERAL, "hello")
        await slack.until(lambda: slack.thread(GENERAL, ts)[1:])

    assert len(slack.called("apps.connections.open")) == 2


async def test_the_app_reconnects_after_a_cut_connection_and_misses_nothing(slack: LocalSlack, app: AsyncApp) -> None:
    replying(app)

    async with connected(app, slack):
        slack.drop_sockets()
        ts = slack.people["ann"].mentions(GENERAL, "hello")
        await slack.connected()
        await slack.until(lambda: slack.thread(GENERAL, ts)[1:])

    assert len(slack.thread(GENERAL, ts)) == 2


async def test_with_two_connections_each_event_goes_to_one_of_them(slack: LocalSlack, app: AsyncApp) -> None:
    replying(app)

    async with connected(app, slack, times=2):
        threads = [slack.people["ann"].mentions(GENERAL, "hello") for _ in range(4)]
        await slack.until(lambda: all(slack.thread(GENERAL, ts)[1:] for ts in threads))
        slack.disconnect("warning")

    assert [len(slack.thread(GENERAL, ts)) for ts in threads] == [2, 2, 2, 2]


async def test_opening_app_home_and_pressing_stop_are_events(slack: LocalSlack, app: AsyncApp) -> None:
    ann = slack.people["ann"]
    client = client_of(slack)

    async with connected(app, slack):
        ann.opens_home()
        ts = ann.writes(GENERAL, "work")
        with pytest.raises(LookupError):
            ann.stops(GENERAL, ts)
        await client.agents_sessions_setStatus(channel_id=GENERAL, thread_ts=ts, status="processing")
        ann.stops(GENERAL, ts)

    opened, stopped = slack.delivered("app_home_opened")[0], slack.delivered("agent_session_stopped")[0]
    assert (opened.payload["event"]["user"], opened.payload["event"]["tab"]) == (ann.id, "home")
    assert stopped.payload["event"]["thread_ts"] == ts
    assert stopped.payload["event"]["streaming_message_ts"] == []


async def test_a_response_url_answers_privately_replaces_and_deletes(slack: LocalSlack, app: AsyncApp) -> None:
    responds: list[AsyncRespond] = []

    @app.action("submit")
    async def on_submit(ack: AsyncAck, respond: AsyncRespond) -> None:
        await ack()
        responds.append(respond)
        await respond(text="only you")

    ann = slack.people["ann"]
    async with connected(app, slack):
        await client_of(slack).chat_postMessage(channel=GENERAL, text="a form", blocks=form())
        await ann.clicks(slack.messages(GENERAL)[0], "Submit")
        await slack.until(lambda: slack.ephemerals(ann))
        await responds[0](text="closed", replace_original=True)
        assert [m.text for m in slack.messages(GENERAL)] == ["closed"]
        await responds[0](text="", delete_original=True)
        assert slack.messages(GENERAL) == []
        for _ in range(2):
            await responds[0](text="more")
        used = await responds[0](text="a sixth time")

    assert (used.status_code, '"used_url"' in used.body) == (404, True)


async def test_a_response_url_is_good_for_half_an_hour(slack: LocalSlack, app: AsyncApp) -> None:
    responds: list[AsyncRespond] = []

    @app.action("submit")
    async def on_submit(ack: AsyncAck, respond: AsyncRespond) -> None:
        responds.append(respond)
        await ack()

    async with connected(app, slack):
        await client_of(slack).chat_postMessage(channel=GENERAL, text="a form", blocks=form())
        await slack.people["ann"].clicks(slack.messages(GENERAL)[0], "Submit")
        slack.clock.advance(30 * 60)
        late = await responds[0](text="late")

    assert (late.status_code, '"expired_url"' in late.body) == (404, True)


async def test_an_event_the_app_has_not_subscribed_to_is_not_sent() -> None:
    async with LocalSlack(events=["message.im"]) as slack:
        app = AsyncApp(client=AsyncWebClient(token=slack.bot_token, base_url=slack.api_url))
        async with connected(app, slack):
            slack.people["ann"].mentions(GENERAL, "hello")

        assert slack.deliveries == []


async def test_an_eleventh_connection_is_one_too_many(slack: LocalSlack) -> None:
    client = client_of(slack)
    async with aiohttp.ClientSession() as session:
        sockets = []
        for _ in range(11):
            url = (await client.apps_connections_open(app_token=slack.app_token))["url"]
            sockets.append(await session.ws_connect(url))
        greetings = [await socket.receive_json() for socket in sockets]
        for socket in sockets:
            await socket.close()

    assert [greeting["type"] for greeting in greetings] == ["hello"] * 10 + ["disconnect"]
    assert (greetings[9]["num_connections"], greetings[10]["reason"]) == (10, "too_many_websockets")


async def test_a_ticket_opens_one_connection(slack: LocalSlack) -> None:
    url = (await client_of(slack).apps_connections_open(app_token=slack.app_token))["url"]
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(url):
            pass
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(url)


async def test_a_connection_that_stays_after_a_warning_is_closed_ten_seconds_later(slack: LocalSlack) -> None:
    url = (await client_of(slack).apps_connections_open(app_token=slack.app_token))["url"]
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as socket:
        await socket.receive_json()
        slack.disconnect("warning")
        assert (await socket.receive_json())["reason"] == "warning"
        slack.clock.advance(10)

        assert (await socket.receive()).type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR)


async def test_a_click_on_a_private_message_has_no_message_but_a_response_url(slack: LocalSlack, app: AsyncApp) -> None:
    clicks: list[Json] = []

    @app.action("submit")
    async def on_submit(ack: AsyncAck, body: Json, respond: AsyncRespond) -> None:
        clicks.append(body)
        await ack()
        await respond(text="gone", replace_original=True)

    ann, ben = slack.people["ann"], slack.people["ben"]
    async with connected(app, slack):
        await client_of(slack).chat_postEphemeral(channel=GENERAL, user=ann.id, text="a", blocks=form())
        shown = slack.ephemerals(ann)[0]
        with pytest.raises(LookupError):
            await ben.clicks(shown, "Submit")
        await ann.clicks(shown, "Submit")
        await slack.until(lambda: shown.text == "gone")

    assert clicks[0]["container"]["is_ephemeral"] is True
    assert "message" not in clicks[0]


async def test_people_write_only_where_they_are(slack: LocalSlack) -> None:
    with pytest.raises(LookupError):
        slack.people["eve"].writes(GENERAL, "hello")
    with pytest.raises(LookupError):
        slack.people["ann"].writes(GENERAL, "hello", thread_ts="1.0")


async def test_waiting_for_what_does_not_come_says_what_did(slack: LocalSlack) -> None:
    await client_of(slack).auth_test()

    with pytest.raises(TimeoutError, match=r"auth\.test ok"):
        await slack.until(lambda: slack.messages(GENERAL), seconds=0.01)
