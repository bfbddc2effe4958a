"""HTTP mode: only what Slack signed, and signed lately, is let in; it is acked once written down, and counts once."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest
from structlog.testing import capture_logs

from agent.core.errors import StoreError
from agent.store.delivery import Delivery
from bot.app import serve_http
from bot.playground.http_delivery import HttpHub, signature
from bot.settings import BadSettings
from tests.support import scripted_model
from tests.support.slack_world import SIGNING_SECRET, SlackWorld

pytestmark = pytest.mark.parametrize("slack_world", ["http"], indirect=True)

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}
CHALLENGE = json.dumps({"type": "url_verification", "challenge": "abc"})
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@pytest.fixture
async def browser() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


def hub(world: SlackWorld) -> HttpHub:
    assert isinstance(world.slack.core.hub, HttpHub)
    return world.slack.core.hub


async def send(world: SlackWorld, body: bytes | str, kind: str = JSON, **headers: str) -> tuple[int, str]:
    """As Slack would, but for what the headers say."""
    text = body.encode() if isinstance(body, str) else body
    given = {"Content-Type": kind, **{name.replace("_", "-"): value for name, value in headers.items()}}
    status, answer, _ = await hub(world).send(text, given)
    return status, answer


def mention(world: SlackWorld, ts: str = "1700000000.000100") -> dict[str, Any]:
    event = {"type": "app_mention", "user": world.person().id, "channel": world.general.id, "ts": ts}
    event["text"] = f"<@{world.slack.bot_user_id}> ship it"
    return {"type": "event_callback", "team_id": world.slack.team_id, "event_id": "Ev1", "event": event}


async def test_a_request_url_is_verified_with_its_challenge(slack_world: SlackWorld) -> None:
    world = await slack_world.start()

    status, answer = await send(world, json.dumps({"type": "url_verification", "challenge": "abc", "token": "x"}))

    assert status == 200
    assert "abc" in answer


@pytest.mark.parametrize(
    "signed",
    [
        {"X_Slack_Signature": "v0=" + "0" * 64},
        {"X_Slack_Signature": signature("another secret", "1700000000", b"{}")},
        {"X_Slack_Signature": ""},
        {"X_Slack_Signature": "v0=ключ"},
        {"X_Slack_Request_Timestamp": ""},
        {"X_Slack_Request_Timestamp": "soon"},
        {"X_Slack_Request_Timestamp": "nan"},
        {"X_Slack_Request_Timestamp": "9" * 5_000},
    ],
)
async def test_a_forged_signature_is_refused_and_nothing_is_written_down(
    slack_world: SlackWorld, signed: dict[str, str]
) -> None:
    world = await slack_world.start()

    status, answer = await send(world, json.dumps(mention(world)), **signed)

    assert status == 401
    assert SIGNING_SECRET not in answer
    assert world.inbox() == []


@pytest.mark.parametrize(("seconds", "status"), [(-301, 401), (301, 401), (-290, 200), (290, 200)])
async def test_a_signature_is_good_for_five_minutes(slack_world: SlackWorld, seconds: int, status: int) -> None:
    world = await slack_world.start()
    body = json.dumps({"type": "url_verification", "challenge": "abc"}).encode()
    timestamp = str(int(world.slack.clock.now()) + seconds)

    signed = {"X_Slack_Request_Timestamp": timestamp, "X_Slack_Signature": signature(SIGNING_SECRET, timestamp, body)}

    assert (await send(world, body, **signed))[0] == status


async def test_a_signature_does_not_fit_another_body(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    body = json.dumps(mention(world)).encode()
    timestamp = str(int(world.slack.clock.now()))

    status, _ = await send(
        world,
        body.replace(b"ship it", b"sink it"),
        X_Slack_Request_Timestamp=timestamp,
        X_Slack_Signature=signature(SIGNING_SECRET, timestamp, body),
    )

    assert status == 401


async def test_a_body_that_is_too_large_is_refused(slack_world: SlackWorld) -> None:
    world = await slack_world.start()

    assert (await send(world, b" " * 1_000_001))[0] == 413
    assert (await send(world, b" " * 900_000 + json.dumps(mention(world, "")).encode()))[0] == 200


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("{}", "text/plain", 415),
        ("<xml/>", "application/xml", 415),
        ("{", JSON, 400),
        ("", JSON, 400),
        ("[]", JSON, 400),
        ('"words"', JSON, 400),
        ("{}", JSON, 400),
        ("[" * 100_000, JSON, 400),
        (b"\xff\xfe", JSON, 401),
        ('{"type": "event_callback", "event": "words"}', JSON, 400),
        ('{"type": "event_callback", "event": {"type": "message"}, "authorizations": "words"}', JSON, 400),
        ("payload={", FORM, 400),
        ("payload=%5B%5D", FORM, 400),
        ("words", FORM, 400),
        ("other=1", FORM, 400),
    ],
)
async def test_what_slack_would_not_send_is_refused_in_one_line(
    slack_world: SlackWorld, body: bytes | str, kind: str, status: int
) -> None:
    world = await slack_world.start()

    got, answer = await send(world, body, kind)

    assert got == status
    assert answer.count("\n") == 1
    assert "Traceback" not in answer


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "block_actions", "actions": "words", "user": [], "team": 1, "channel": None, "message": "words"},
        {"type": "view_submission", "view": "words", "user": "words"},
        {"type": "event_callback", "event": {"type": {"type": []}}, "authorizations": [{}]},
        {"type": "event_callback", "event": {"type": "message", "channel": 5, "user": []}, "team_id": []},
        {"type": "event_callback", "event": {"type": "reaction_added", "user": "U1"}, "team_id": "T0L0CALHQ"},
        {"type": "unheard_of"},
    ],
)
async def test_a_payload_of_another_shape_does_no_harm(slack_world: SlackWorld, payload: dict[str, Any]) -> None:
    world = await slack_world.start()
    form = urlencode({"payload": json.dumps(payload)})

    for body, kind in ((json.dumps(payload), JSON), (form, FORM)):
        status, answer = await send(world, body, kind)
        assert status in (200, 400, 404)
        assert "Traceback" not in answer

    world.model.will_say("Still here.")
    ts = world.person().mentions(world.general, "hello?")
    await world.says("Still here.", ts)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 404), ("GET", "/slack/events", 405), ("POST", "/healthz", 405), ("GET", "/slack/install", 404)],
)
async def test_other_paths_and_methods_are_refused_in_one_line(
    slack_world: SlackWorld, browser: aiohttp.ClientSession, method: str, path: str, status: int
) -> None:
    world = await slack_world.start()

    async with browser.request(method, f"{world.url}{path}") as response:
        assert response.status == status
        assert (await response.text()).count("\n") == 1


async def test_an_event_that_is_replayed_is_acked_and_changes_nothing(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")
    ts = world.person().mentions(world.general, "ship it")
    await world.says("Shipped.", ts)
    await world.at_rest()
    before = world.inbox()

    payload = world.slack.delivered("app_mention")[0].payload
    body, timestamp = json.dumps(payload).encode(), str(int(world.slack.clock.now()))
    signed = {"X_Slack_Request_Timestamp": timestamp, "X_Slack_Signature": signature(SIGNING_SECRET, timestamp, body)}
    assert [(await send(world, body, **signed))[0] for _ in range(3)] == [200, 200, 200]
    await world.at_rest()

    assert world.inbox() == before
    assert len(world.model.requests) == 1
    assert len(world.replies(ts)) == 1


async def test_a_click_that_is_replayed_is_acked_and_changes_nothing(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person()
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")
    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ann.chooses(form, 1, "Production")
    await ann.clicks(form, "Submit")
    await world.says("Shipped.", ts)
    await world.at_rest()
    before = world.inbox()

    world.slack.redeliver(world.slack.delivered("block_actions")[0])
    await world.slack.until(lambda: [d.acked for d in world.slack.delivered("block_actions")] == [True, True])
    await world.at_rest()

    assert world.inbox() == before
    assert len(world.model.requests) == 2
    assert world.slack.ephemerals(ann) == []


async def test_what_could_not_be_written_down_is_not_acked_and_taken_when_slack_tries_again(
    slack_world: SlackWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")
    usual, failures = Delivery.accept, 1

    async def sometimes(self: Delivery, key: str, body: str) -> bool:
        nonlocal failures
        if failures:
            failures -= 1
            raise StoreError("The database cannot be used now (OperationalError).")
        return await usual(self, key, body)

    monkeypatch.setattr(Delivery, "accept", sometimes)
    ts = world.person().mentions(world.general, "ship it")

    await world.says("Shipped.", ts)
    await world.slack.until(lambda: [d.acked for d in world.slack.deliveries if d.attempt] == [True])
    assert len(world.model.requests) == 1


async def test_an_ack_that_is_late_leads_to_a_second_delivery_that_changes_nothing(
    slack_world: SlackWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")
    usual, gate, held = Delivery.accept, asyncio.Event(), asyncio.Event()

    async def slowly(self: Delivery, key: str, body: str) -> bool:
        accepted = await usual(self, key, body)
        held.set()
        await gate.wait()
        return accepted

    monkeypatch.setattr(Delivery, "accept", slowly)
    world.slack.hold_events()
    ts = world.person().mentions(world.general, "ship it")
    world.slack.release_events()
    await held.wait()
    world.slack.clock.advance(3.1)
    await world.slack.until(lambda: [d for d in world.slack.deliveries if d.attempt == 1])
    gate.set()

    await world.says("Shipped.", ts)
    await world.at_rest()
    assert len(world.replies(ts)) == 1
    assert len(world.model.requests) == 1


async def test_it_says_whether_it_is_up_and_ready(
    slack_world: SlackWorld, browser: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await slack_world.start()

    async def get(path: str) -> tuple[int, str]:
        async with browser.get(f"{world.url}{path}") as response:
            return response.status, await response.text()

    assert await get("/healthz") == (200, "up\n")
    assert await get("/readyz") == (200, "ready\n")

    async def away(_self: Delivery, _now: float) -> float | None:
        raise StoreError("The database cannot be used now (OperationalError).")

    monkeypatch.setattr(Delivery, "next_due", away)
    assert await get("/readyz") == (503, "database\n")
    assert await get("/healthz") == (200, "up\n")


class Held:
    """What comes in is written down only when the gate is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.gate, self.coming = asyncio.Event(), asyncio.Semaphore(0)
        usual, held = Delivery.accept, self

        async def slowly(self: Delivery, key: str, body: str) -> bool:
            held.coming.release()
            await held.gate.wait()
            return await usual(self, key, body)

        monkeypatch.setattr(Delivery, "accept", slowly)


async def test_what_is_being_answered_is_finished_before_it_stops_and_nobody_new_is_let_in(
    slack_world: SlackWorld, browser: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, ended = slack_world, asyncio.Event()
    serving = asyncio.create_task(serve_http(world.settings, ended, listening=world.listening))
    await world.slack.connected()
    held = Held(monkeypatch)
    world.model.answers_with(lambda _body: scripted_model.say("Too late to be seen."))
    await asyncio.gather(*(send(world, CHALLENGE) for _ in range(2)))  # so many connections are open now
    first = asyncio.create_task(send(world, json.dumps(mention(world))))
    await held.coming.acquire()

    async def readiness() -> str:
        async with browser.get(f"{world.url}/readyz") as response:
            return await response.text()

    assert await readiness() == "ready\n"
    ended.set()
    while await readiness() != "draining\n":
        pass
    with pytest.raises(aiohttp.ClientConnectorError):
        await send_anew(world)
    second = asyncio.create_task(send(world, json.dumps(mention(world, "1700000000.000200"))))
    await held.coming.acquire()
    held.gate.set()

    assert [status for status, _ in await asyncio.gather(first, second)] == [200, 200]
    await asyncio.wait_for(serving, 10)
    place = f"said/{world.slack.team_id}/{world.general.id}"
    assert sorted(world.inbox()) == [f"{place}/1700000000.000100", f"{place}/1700000000.000200"]


async def send_anew(world: SlackWorld) -> None:
    """Over a new connection."""
    async with aiohttp.ClientSession() as session, session.get(f"{world.url}/healthz"):
        pass


async def test_a_stranger_who_never_sends_a_body_does_not_keep_it_from_stopping(slack_world: SlackWorld) -> None:
    world, ended = slack_world, asyncio.Event()
    serving = asyncio.create_task(serve_http(world.settings, ended, listening=world.listening))
    await world.slack.connected()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(world.url.rpartition(":")[2]))
    asked = ["POST /slack/events HTTP/1.1", "Host: x", "Content-Length: 9", "Expect: 100-continue"]
    signed = ["X-Slack-Request-Timestamp: 1", "X-Slack-Signature: v0=0"]
    writer.write("".join(f"{line}\r\n" for line in [*asked, *signed, ""]).encode())
    assert b"100 Continue" in await reader.readline()  # it waits for the body

    with capture_logs() as logs:
        ended.set()
        await asyncio.wait_for(serving, 10)

    assert [line for line in logs if line["event"] == "http.not_drained"] == []
    writer.close()


async def test_finishing_what_is_being_answered_takes_no_longer_than_the_grace(
    slack_world: SlackWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, ended = slack_world, asyncio.Event()
    settings = world.settings.model_copy(update={"parley_grace_seconds": 0.05})
    serving = asyncio.create_task(serve_http(settings, ended, listening=world.listening))
    await world.slack.connected()
    held = Held(monkeypatch)
    answering = asyncio.create_task(send(world, json.dumps(mention(world))))
    await held.coming.acquire()

    with capture_logs() as logs:
        ended.set()
        await asyncio.wait_for(serving, 2.5)  # of which the drain alone would take three, if it were let

    assert [line["left"] for line in logs if line["event"] == "http.not_drained"] == [1]
    with pytest.raises(aiohttp.ClientError):
        await answering


MANY = {
    "slack_client_id": "1.2",
    "slack_client_secret": "secret",
    "parley_public_url": "https://parley.example.com",
    "parley_encryption_key": "secret",
}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"slack_signing_secret": None}, "SLACK_SIGNING_SECRET is not set: README.md says how to get it."),
        ({"slack_bot_token": None}, "SLACK_BOT_TOKEN is not set: HTTP mode needs it, or,"),
        (MANY | {"slack_client_id": None}, "SLACK_CLIENT_ID is not set: it is on the app's Basic Information page"),
        (MANY | {"slack_client_secret": None}, "SLACK_CLIENT_SECRET is not set: it is on the app's Basic Information"),
        (MANY | {"parley_public_url": None}, "PARLEY_PUBLIC_URL is not set: Slack sends people back there"),
        (MANY | {"parley_encryption_key": None}, "PARLEY_ENCRYPTION_KEY is not set: make one with `parley secret`."),
        (MANY, "PARLEY_ENCRYPTION_KEY is wrong: make one with `parley secret`."),
        ({"parley_http_host": "192.0.2.1"}, "PARLEY_HTTP_HOST and PARLEY_HTTP_PORT: 192.0.2.1:0 cannot be used"),
    ],
)
async def test_what_it_lacks_stops_the_start_with_its_name(
    slack_world: SlackWorld, settings: dict[str, str | None], told: str
) -> None:
    with pytest.raises(BadSettings) as bad:
        await slack_world.start(**settings)

    assert str(bad.value).startswith(told)
