"""The local Slack over HTTP: requests signed as Slack signs them, retried when Slack would, and answers heeded."""

import json
from collections.abc import AsyncIterator, Callable
from urllib.parse import parse_qs

import aiohttp
import pytest
from aiohttp import web
from slack_sdk.signature import Clock as SdkClock
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.clock import Clock
from bot.playground.installs import CLIENT_ID, CLIENT_SECRET
from bot.playground.server import LocalSlack
from bot.playground.workspace import Team
from tests.support.slack_app import modal, refusal

SECRET = "local-signing-secret"
BACK = "https://app.example.com/back"


class Receiver:
    """An app that writes down what it is sent, and answers what it is told to."""

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.answer: Callable[[], web.Response] = lambda: web.Response()

    async def receive(self, request: web.Request) -> web.Response:
        self.requests.append(({name.lower(): value for name, value in request.headers.items()}, await request.read()))
        return self.answer()

    def retries(self) -> list[tuple[str, str]]:
        found = [(head.get("x-slack-retry-num", ""), head.get("x-slack-retry-reason", "")) for head, _ in self.requests]
        return found


@pytest.fixture
async def receiver() -> AsyncIterator[tuple[Receiver, str]]:
    receiver, application = Receiver(), web.Application()
    application.router.add_post("/slack/events", receiver.receive)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield receiver, f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    await runner.cleanup()


@pytest.fixture
def app(receiver: tuple[Receiver, str]) -> Receiver:
    return receiver[0]


@pytest.fixture
async def slack(receiver: tuple[Receiver, str]) -> AsyncIterator[LocalSlack]:
    clock = Clock(running=False)
    async with LocalSlack(clock=clock, request_url=receiver[1], signing_secret=SECRET) as slack:
        yield slack


async def test_an_event_is_json_that_the_sdk_finds_signed(slack: LocalSlack, app: Receiver) -> None:
    slack.people["ann"].dms("hello")
    await slack.until(lambda: all(delivery.acked for delivery in slack.deliveries) and app.requests)

    [(headers, body)] = app.requests
    clock = SdkClock()
    clock.now = slack.clock.now  # type: ignore[method-assign]
    assert SignatureVerifier(SECRET, clock).is_valid_request(body, headers)
    assert headers["content-type"] == "application/json"
    assert json.loads(body)["event"]["text"] == "hello"


async def test_a_click_is_a_form_with_its_payload(slack: LocalSlack, app: Receiver) -> None:
    client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
    button = {"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}
    posted = await client.chat_postMessage(
        channel=slack.channels["general"].id, text="?", blocks=[{"type": "actions", "elements": [button]}]
    )
    message = slack.core.workspace.message(slack.channels["general"].id, posted["ts"])
    assert message

    outcome = await slack.people["ann"].clicks(message, "Go")

    headers, body = app.requests[-1]
    assert outcome.acked
    assert headers["content-type"] == "application/x-www-form-urlencoded"
    assert json.loads(parse_qs(body.decode())["payload"][0])["actions"][0]["action_id"] == "go"


async def test_an_event_that_is_refused_is_sent_again_at_once_after_a_minute_and_after_five(
    slack: LocalSlack, app: Receiver
) -> None:
    app.answer = lambda: web.Response(status=500)
    slack.people["ann"].dms("hello")

    slack.clock.advance(0)
    await slack.until(lambda: slack.clock.advance(0) or len(app.requests) == 2)
    for seconds, count in ((60, 3), (300, 4)):
        await slack.until(lambda: not slack.core.hub._sent)
        slack.clock.advance(seconds - 1)
        assert len(app.requests) == count - 1
        slack.clock.advance(1)
        await slack.until(lambda count=count: len(app.requests) == count)
    await slack.until(lambda: slack.core.hub.given_up)

    assert app.retries() == [("", ""), ("1", "http_error"), ("2", "http_error"), ("3", "http_error")]


async def test_an_app_that_wants_no_retries_gets_none(slack: LocalSlack, app: Receiver) -> None:
    app.answer = lambda: web.Response(status=500, headers={"x-slack-no-retry": "1"})

    slack.people["ann"].dms("hello")
    await slack.until(lambda: slack.core.hub.given_up)
    slack.clock.advance(3_600)

    assert len(slack.deliveries) == 1


async def test_an_app_that_is_away_gets_the_event_when_it_is_back(slack: LocalSlack, app: Receiver) -> None:
    hub = slack.core.hub
    there, hub.request_url = hub.request_url, "http://127.0.0.1:9/"  # type: ignore[attr-defined]
    slack.people["ann"].dms("hello")
    await slack.until(lambda: slack.clock.advance(0) or len(slack.deliveries) == 2)
    await slack.until(lambda: not hub._sent)

    hub.request_url = there  # type: ignore[attr-defined]
    slack.clock.advance(60)
    await slack.until(lambda: app.requests)

    assert app.retries() == [("2", "connection_failed")]


async def test_the_answer_to_a_modal_is_heeded(slack: LocalSlack, app: Receiver) -> None:
    ann = slack.people["ann"]
    client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
    button = {"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}
    posted = await client.chat_postMessage(
        channel=slack.channels["general"].id, text="?", blocks=[{"type": "actions", "elements": [button]}]
    )
    message = slack.core.workspace.message(slack.channels["general"].id, posted["ts"])
    assert message
    await ann.clicks(message, "Go")
    trigger = json.loads(parse_qs(app.requests[-1][1].decode())["payload"][0])["trigger_id"]
    await client.views_open(trigger_id=trigger, view=modal())
    view = slack.modal(ann)
    assert view

    app.answer = lambda: web.json_response({"response_action": "errors", "errors": {"reason": "Not enough."}})
    outcome = await ann.submits(view, {"reason": "because"})

    assert outcome.errors == {"reason": "Not enough."}


async def code(slack: LocalSlack, team: str = "") -> str:
    query = f"client_id={CLIENT_ID}&scope=chat:write&state=s&redirect_uri={BACK}&team={team}"
    async with (
        aiohttp.ClientSession() as browser,
        browser.get(f"{slack.core.url}/oauth/v2/authorize?{query}", allow_redirects=False) as response,
    ):
        assert response.status == 302
        back = response.headers["Location"]
    assert back.startswith(f"{BACK}?")
    asked = parse_qs(back.partition("?")[2])
    assert asked["state"] == ["s"]
    return asked["code"][0]


def client(slack: LocalSlack) -> AsyncWebClient:
    return AsyncWebClient(base_url=slack.api_url)


async def test_a_code_is_good_for_one_token_of_the_workspace_that_was_chosen(slack: LocalSlack) -> None:
    other = slack.add_workspace(Team("T0OTHERHQ", "Other HQ", "other-hq"))
    given = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "redirect_uri": BACK}
    one = await code(slack, other.team_id)

    answer = await client(slack).oauth_v2_access(code=one, **given)

    assert answer["team"]["id"] == other.team_id
    assert (await client(slack).auth_test(token=answer["access_token"]))["user_id"] == other.bot_user_id
    assert (await refusal(client(slack).oauth_v2_access(code=one, **given)))["error"] == "invalid_code"


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"client_id": "other"}, "invalid_client_id"),
        ({"client_secret": "other"}, "bad_client_secret"),
        ({"redirect_uri": "https://elsewhere.example.com"}, "bad_redirect_uri"),
        ({"code": "other"}, "invalid_code"),
    ],
)
async def test_a_wrong_exchange_is_refused_by_its_name(slack: LocalSlack, wrong: dict[str, str], error: str) -> None:
    given = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "redirect_uri": BACK, "code": await code(slack)}

    assert (await refusal(client(slack).oauth_v2_access(**given | wrong)))["error"] == error


async def test_a_code_is_good_for_ten_minutes(slack: LocalSlack) -> None:
    given = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "redirect_uri": BACK, "code": await code(slack)}
    slack.clock.advance(600)

    assert (await refusal(client(slack).oauth_v2_access(**given)))["error"] == "invalid_code"


async def test_a_token_that_was_given_back_is_refused_and_the_app_is_told(slack: LocalSlack, app: Receiver) -> None:
    await client(slack).auth_revoke(token=slack.bot_token)
    await slack.until(lambda: app.requests)

    assert json.loads(app.requests[0][1])["event"]["type"] == "tokens_revoked"
    assert (await refusal(client(slack).auth_test(token=slack.bot_token)))["error"] == "account_inactive"
