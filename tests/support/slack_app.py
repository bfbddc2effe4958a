"""A real Bolt app on the local Slack, and small blocks for it to show."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import LocalSlack

Json = dict[str, Any]


def client_of(slack: LocalSlack) -> AsyncWebClient:
    return AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)


def app_on(slack: LocalSlack) -> AsyncApp:
    """An app that takes every message event and does nothing with it."""
    app = AsyncApp(client=client_of(slack))

    @app.event("message")
    async def on_message() -> None: ...

    return app


@asynccontextmanager
async def connected(app: AsyncApp, slack: LocalSlack, *, times: int = 1) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for _ in range(times):
            handler = AsyncSocketModeHandler(app, slack.app_token, ping_interval=0.05)
            stack.push_async_callback(handler.close_async)
            await handler.connect_async()
        await slack.connected(times)
        yield


async def refusal(call: Awaitable[object]) -> Json:
    """The answer to a call that must be refused."""
    try:
        await call
    except SlackApiError as error:
        answer: Json = error.response.data
        return answer
    raise AssertionError("it was not refused")


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def section(text: str = "words") -> Json:
    return {"type": "section", "text": mrkdwn(text)}


def option(text: str = "Yes", value: str = "0") -> Json:
    return {"text": plain(text), "value": value}


def radio(*texts: str) -> Json:
    options = [option(text, str(number)) for number, text in enumerate(texts)]
    return {"type": "radio_buttons", "action_id": "choice", "options": options}


def boxes(*texts: str) -> Json:
    return {**radio(*texts), "type": "checkboxes"}


def typed(**more: Any) -> Json:
    return {"type": "plain_text_input", "action_id": "other", **more}


def asking(element: Json, block_id: str = "q1") -> Json:
    return {"type": "input", "block_id": block_id, "optional": True, "label": plain("Your choice"), "element": element}


def button(text: str = "Submit", action_id: str = "submit", **more: Any) -> Json:
    return {"type": "button", "action_id": action_id, "text": plain(text), **more}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "block_id": "buttons", "elements": list(elements)}


def form() -> list[Json]:
    return [
        section("Which database?"),
        asking(radio("Postgres", "SQLite"), "q1/choice"),
        asking(typed(), "q1/other"),
        section("Which regions?"),
        asking(boxes("Europe", "Asia", "Africa"), "q2/choice"),
        actions(button()),
    ]


def modal(*blocks: Json, **more: Any) -> Json:
    given = list(blocks) or [{**asking(typed(), "reason"), "optional": False}]
    return {
        "type": "modal",
        "callback_id": "why",
        "title": plain("Why"),
        "submit": plain("Send"),
        "blocks": given,
        **more,
    }
