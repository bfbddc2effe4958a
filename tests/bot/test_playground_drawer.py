"""The page's drawer: what goes to and fro, what shall go wrong, and time that passes."""

from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncAck
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.api import METHODS
from bot.playground.server import LocalSlack
from tests.support.page import Page
from tests.support.slack_app import app_on, connected, form

Json = dict[str, Any]
GENERAL = "C0GENERAL"


async def test_the_log_is_shown_to_those_who_watch_in_the_order_of_things(
    slack: LocalSlack, client: AsyncWebClient, ann: Page
) -> None:
    async with connected(app_on(slack), slack):
        await client.auth_test()
        slack.people["ann"].writes(GENERAL, "hello")
        await slack.until(lambda: all(delivery.acked for delivery in slack.deliveries))
        assert ann.messages("log") == []
        await ann.ask("watch", on=True)

    rows = sorted(ann.messages("log"), key=lambda row: row["number"])
    call, event = (next(row for row in rows if row["name"] == name) for name in ("auth.test", "message"))
    assert call["number"] < event["number"]
    assert (call["kind"], call["ok"], call["json"]["answer"]["team"]) == ("call", True, "Local HQ")
    assert (event["kind"], event["ok"], event["note"]) == ("event", True, "")
    assert event["json"]["payload"]["event"]["text"] == "hello"
    await ann.ask("watch", on=False)
    assert ann.messages("log") == []


async def test_what_is_not_acknowledged_is_unsure_and_then_late(slack: LocalSlack, ann: Page) -> None:
    app = app_on(slack)

    @app.middleware
    async def deaf() -> None:
        """Bolt acknowledges nothing that does not get past this."""

    await ann.ask("watch", on=True)
    async with connected(app, slack):
        slack.people["ann"].writes(GENERAL, "hello")
        rows = await ann.until(lambda _: [row for row in ann.messages("log") if row["kind"] == "event"])
        assert rows[0]["ok"] is None
        slack.clock.advance(4)
        number = rows[0]["number"]
        late = await ann.until(lambda table: table[f"log/{number}"]["ok"] is False and table[f"log/{number}"])
        again = await ann.until(lambda _: [row for row in ann.messages("log") if row["note"].startswith("attempt 2")])

    assert late["note"] == "not acknowledged in time"
    assert again[0]["name"] == "message"


async def test_an_event_is_delivered_again(slack: LocalSlack, ann: Page) -> None:
    async with connected(app_on(slack), slack):
        slack.people["ann"].writes(GENERAL, "hello")
        done = await ann.ask("redeliver", number=slack.deliveries[0].number)
        assert len(slack.delivered("message")) == 2
    missing = await ann.ask("redeliver", number=10_000)

    assert done["error"] == ""
    assert missing["error"] == "Only an event that is still in the list can be delivered again."


@pytest.mark.parametrize(
    ("how", "shown"), [("error", "no_text"), ("500", "500"), ("429", "429"), ("cut", "cut"), ("after", "after")]
)
async def test_a_call_fails_as_it_was_planned_and_once(
    slack: LocalSlack, client: AsyncWebClient, ann: Page, how: str, shown: str
) -> None:
    client.retry_handlers.clear()
    await ann.ask("fail", method="chat.postMessage", how=how, error="no_text")
    assert ann.table["trouble"]["faults"] == [{"method": "chat.postMessage", "what": shown, "times": 1}]

    with pytest.raises((SlackApiError, aiohttp.ClientError)):
        await client.chat_postMessage(channel=GENERAL, text="hello")

    assert bool(slack.messages(GENERAL)) == (how == "after")
    await ann.until(lambda table: table["trouble"]["faults"] == [])
    await client.chat_postMessage(channel=GENERAL, text="hello")


async def test_trouble_can_be_made_and_healed(slack: LocalSlack, ann: Page) -> None:
    await ann.ask("slow", method="*", seconds=2, times=3)
    await ann.ask("limit", on=True)
    assert ann.table["trouble"]["faults"] == [{"method": "*", "what": "slow, 2 s", "times": 3}]
    assert ann.table["trouble"]["rates"] is True

    await ann.ask("heal")
    await ann.ask("limit", on=False)

    assert ann.table["trouble"] == {"faults": [], "rates": False, "ahead": 0}


@pytest.mark.parametrize(
    ("act", "fields"),
    [
        ("fail", {"method": "chat.fly", "how": "500"}),
        ("fail", {"method": "chat.update", "how": "slowly"}),
        ("fail", {"method": "chat.update", "how": "500", "times": 0}),
        ("slow", {"method": "*", "seconds": float("nan")}),
        ("pass", {"seconds": -5}),
        ("pass", {"seconds": float("inf")}),
        ("pass", {"seconds": "an hour"}),
        ("limit", {"on": "yes"}),
        ("send", {"payload": {"type": "message"}}),
        ("send", {"payload": {"type": "block_actions", "event": {}}}),
        ("send", {"payload": []}),
        ("compose", {"surface": {"view": "V1"}, "block_id": "a", "action_id": "b"}),
    ],
)
async def test_what_the_drawer_cannot_do_it_says(slack: LocalSlack, ann: Page, act: str, fields: Json) -> None:
    assert (await ann.ask(act, **fields))["error"].endswith(".")
    assert ann.table["trouble"] == {"faults": [], "rates": False, "ahead": 0}


async def test_time_passes_for_everybody(slack: LocalSlack, ann: Page) -> None:
    before = slack.clock.now()

    await ann.ask("pass", seconds=86_400)

    assert slack.clock.now() == before + 86_400
    assert ann.table["trouble"]["ahead"] == 86_400


async def test_connections_are_cut_or_asked_to_renew_and_the_page_sees_it(slack: LocalSlack, ann: Page) -> None:
    async with connected(app_on(slack), slack, times=2):
        await ann.until(lambda table: table["app"]["connected"] == 2)
        await ann.ask("drop")
        assert any(frame.get("set", {}).get("app", {}).get("connected") == 0 for frame in ann.frames)
        await ann.until(lambda table: table["app"]["connected"] == 2)
        await ann.ask("disconnect")
        await ann.until(lambda table: table["app"]["connected"] == 2)


async def test_a_payload_is_composed_changed_and_sent(slack: LocalSlack, client: AsyncWebClient, ann: Page) -> None:
    app, heard = app_on(slack), list[Json]()

    @app.action("submit")
    async def on_click(ack: AsyncAck, body: Json) -> None:
        await ack()
        heard.append(body)

    ts = (await client.chat_postMessage(channel=GENERAL, text="a form", blocks=form()))["ts"]
    surface = {"channel": GENERAL, "ts": ts}
    async with connected(app, slack):
        composed = await ann.ask("compose", surface=surface, block_id="buttons", action_id="submit")
        assert slack.delivered("block_actions") == []
        payload = composed["result"]["payload"]
        payload["user"]["id"] = "U0MALLORY"
        sent = await ann.ask("send", payload=payload)

    assert sent["result"] == {"answer": {}}
    assert heard[0]["user"]["id"] == "U0MALLORY"
    assert (await ann.ask("send", payload=payload))["error"] == "The app is not connected."


async def test_every_method_is_named(ann: Page) -> None:
    assert (await ann.ask("methods"))["result"] == {"methods": sorted(METHODS)}
