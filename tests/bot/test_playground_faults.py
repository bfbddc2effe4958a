"""What the local Slack does when it is told to fail, and how it limits rates."""

import asyncio

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import LocalSlack
from tests.support.slack_app import refusal

GENERAL = "C0GENERAL"


@pytest.fixture
def client(client: AsyncWebClient) -> AsyncWebClient:
    client.retry_handlers.clear()
    return client


async def test_the_next_calls_fail_with_an_error_and_then_no_more(slack: LocalSlack, client: AsyncWebClient) -> None:
    slack.fail("chat.postMessage", error="fatal_error", times=2)

    for _ in range(2):
        assert (await refusal(client.chat_postMessage(channel=GENERAL, text="a")))["error"] == "fatal_error"
    await client.chat_postMessage(channel=GENERAL, text="a")

    assert len(slack.messages(GENERAL)) == 1


async def test_a_server_error_has_its_status(slack: LocalSlack, client: AsyncWebClient) -> None:
    slack.fail("*", status=503)

    with pytest.raises(SlackApiError) as raised:
        await client.auth_test()

    assert raised.value.response.status_code == 503


@pytest.mark.parametrize(("after", "posted"), [(False, 0), (True, 1)])
async def test_a_connection_is_cut_before_or_after_the_call_took_effect(
    slack: LocalSlack, client: AsyncWebClient, after: bool, posted: int
) -> None:
    slack.fail("chat.postMessage", drop=True, after=after)

    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel=GENERAL, text="a")

    assert len(slack.messages(GENERAL)) == posted
    assert slack.calls[-1].error == "dropped"


async def test_an_error_can_come_although_the_message_is_there(slack: LocalSlack, client: AsyncWebClient) -> None:
    slack.fail("chat.postMessage", status=500, after=True)

    await refusal(client.chat_postMessage(channel=GENERAL, text="a"))

    assert len(slack.messages(GENERAL)) == 1


async def test_the_clients_own_retry_obeys_retry_after(slack: LocalSlack, client: AsyncWebClient) -> None:
    client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=1))
    slack.fail("chat.postMessage", retry_after=0)

    await client.chat_postMessage(channel=GENERAL, text="a")

    assert [(call.status, call.error) for call in slack.calls] == [(429, "ratelimited"), (200, None)]
    assert len(slack.messages(GENERAL)) == 1


async def test_a_slow_call_waits_for_the_clock(slack: LocalSlack, client: AsyncWebClient) -> None:
    slack.slow("chat.postMessage", 10)
    call = asyncio.create_task(client.chat_postMessage(channel=GENERAL, text="a"))
    await slack.until(lambda: slack.clock.waiting)
    assert not call.done()

    slack.clock.advance(10)

    assert (await call)["ok"]


async def test_a_call_can_be_held_until_it_is_let_go(slack: LocalSlack, client: AsyncWebClient) -> None:
    gate = slack.hold("chat.postMessage")
    call = asyncio.create_task(client.chat_postMessage(channel=GENERAL, text="first"))
    await gate.reached()
    await client.chat_postMessage(channel=GENERAL, text="second")

    gate.open()
    await call

    assert [m.text for m in slack.messages(GENERAL)] == ["second", "first"]


async def test_the_tiers_are_off_until_they_are_switched_on(slack: LocalSlack, client: AsyncWebClient) -> None:
    for _ in range(60):
        await client.team_info()

    slack.limit_rates()
    for _ in range(50):
        await client.team_info()
    with pytest.raises(SlackApiError) as raised:
        await client.team_info()

    assert raised.value.response.status_code == 429
    assert raised.value.response.headers["Retry-After"] == "60"
    slack.clock.advance(60)
    assert (await client.team_info())["ok"]


async def test_a_channel_takes_about_one_message_a_second(slack: LocalSlack, client: AsyncWebClient) -> None:
    slack.limit_rates()
    for _ in range(5):
        await client.chat_postMessage(channel=GENERAL, text="a burst")

    assert (await refusal(client.chat_postMessage(channel=GENERAL, text="a")))["error"] == "ratelimited"
    assert (await client.chat_postMessage(channel="C0LEADS00", text="another channel"))["ok"]
    slack.clock.advance(5)
    assert (await client.chat_postMessage(channel=GENERAL, text="a"))["ok"]


async def test_one_method_can_be_limited_on_its_own(slack: LocalSlack, client: AsyncWebClient) -> None:
    slack.limit_rates(auth_test=2)

    await client.auth_test()
    await client.auth_test()

    assert (await refusal(client.auth_test()))["error"] == "ratelimited"
    assert (await client.team_info())["ok"]


async def test_limits_are_off_again_whichever_they_were(slack: LocalSlack, client: AsyncWebClient) -> None:
    slack.limit_rates(auth_test=1)
    await client.auth_test()
    slack.limit_rates(on=False)

    for _ in range(60):
        assert (await client.auth_test())["ok"]
        assert (await client.team_info())["ok"]
