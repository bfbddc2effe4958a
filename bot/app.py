"""The composition root: builds the agent from the settings; it wires and decides nothing."""

import asyncio
import importlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import structlog
from pydantic import SecretStr
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from agent.core.events import Limits
from agent.model.openai import OpenAIModel
from agent.ports import Watcher
from agent.store.journal import Store
from agent.thinking import Thinker
from agent.threads import Threads
from agent.tools.ask_user_question import ASK_USER_QUESTION
from agent.tools.confirm_action import CONFIRM_ACTION
from agent.tools.registry import Tool, Toolbox
from bot.background import Background
from bot.cards import Cards
from bot.files import Files
from bot.home import Home
from bot.inbox import Inbox
from bot.intake import Intake
from bot.listeners import Listeners
from bot.live import LiveView
from bot.pausing import Sleep
from bot.people import People
from bot.reminders import Reminders
from bot.settings import BadSettings, Settings
from bot.slack import Slack, SlackAway, SlackRefused

log = structlog.get_logger()

Clock = Callable[[], float]


@dataclass(frozen=True)
class Parley:
    threads: Threads
    store: Store


@asynccontextmanager
async def running(settings: Settings, watcher: Watcher, sleep: Sleep = asyncio.sleep) -> AsyncIterator[Parley]:
    """The agent, ready; `threads.start()` lets it go on with whatever it had left unfinished."""
    toolbox = Toolbox([ASK_USER_QUESTION, CONFIRM_ACTION, *own_tools(settings.parley_tools)])
    store = await Store.open(settings.database_url)
    model = OpenAIModel(
        api_key=settings.openai_api_key.get_secret_value(),
        model=settings.openai_model,
        base_url=settings.openai_base_url,
        timeout_seconds=settings.openai_timeout_seconds,
        sleep=sleep,
    )
    thinker = Thinker(
        model=model,
        toolbox=toolbox,
        limits=Limits(model_calls=settings.parley_model_calls, asks=settings.parley_asks),
        context_tokens=settings.openai_context_tokens,
    )
    threads = Threads(
        store,
        thinker,
        watcher,
        sub_agents_at_once=settings.parley_sub_agents,
        sub_agent_calls=settings.parley_sub_agent_calls,
    )
    try:
        yield Parley(threads, store)
    finally:
        await threads.close()
        await model.close()
        await store.close()


@asynccontextmanager
async def serving(
    settings: Settings, *, clock: Clock = time.time, sleep: Sleep = asyncio.sleep
) -> AsyncIterator[AsyncApp]:
    """Parley in Slack: everything but the connection that events come by."""
    token = required(settings.slack_bot_token, "SLACK_BOT_TOKEN")
    async with AsyncExitStack() as stack:
        # Given none, the client would connect anew for every call.
        session = await stack.enter_async_context(aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)))
        client = AsyncWebClient(token=token, base_url=settings.slack_api_url, session=session, retry_handlers=[])
        slack = Slack(client, sleep)
        me = await identify(slack)
        live = LiveView(slack, sleep)
        parley = await stack.enter_async_context(running(settings, live, sleep))
        people, permissions = People(slack), settings.permissions
        home = Home(parley.store, slack, people, permissions, workspace_url=me.url, sleep=sleep)
        due = settings.schedule
        reminders = Reminders(parley.store, parley.threads, slack, due=due, clock=clock, sleep=sleep)

        def changed() -> None:
            home.refresh()
            reminders.wake()

        cards = Cards(
            parley.store,
            slack,
            live=live,
            due=due,
            me=me,
            changed=changed,
            clock=clock,
            sleep=sleep,
        )
        live.follow(cards.show, cards.behind)
        files = Files(slack, people, token=token, api_url=settings.slack_api_url, bot_user_id=me.user_id)
        background = Background()
        intake = Intake(
            store=parley.store,
            threads=parley.threads,
            slack=slack,
            people=people,
            permissions=permissions,
            files=files,
            open_home=home.open,
            background=background,
        )
        inbox = Inbox(parley.store, intake, clock, sleep)
        # Closed from the last to the first: what is still said then is written down, and shown after the next start.
        for part in (background, live, cards, parley.threads, inbox):
            stack.push_async_callback(part.close)
        for work in (home.run(), reminders.run(), inbox.tidy()):
            stack.push_async_callback(cancelled, asyncio.create_task(work))
        app = AsyncApp(client=client, authorize=me.authorizing(token), logger=logging.getLogger("slack_bolt"))
        Listeners(inbox, me.user_id, me.team_id).register(app)
        await cards.start(me.team_id)
        await inbox.start()
        await parley.threads.start()
        yield app


async def serve(
    settings: Settings, ended: asyncio.Event, *, clock: Clock = time.time, sleep: Sleep = asyncio.sleep
) -> None:
    """Until `ended`. Over two sockets, since each is closed for a moment whenever Slack renews it."""
    app_token = required(settings.slack_app_token, "SLACK_APP_TOKEN")
    async with serving(settings, clock=clock, sleep=sleep) as app:
        handlers = [AsyncSocketModeHandler(app, app_token, ping_interval=3) for _ in range(2)]
        connecting = [asyncio.create_task(handler.connect_async()) for handler in handlers]  # type: ignore[no-untyped-call]
        try:
            ending = asyncio.create_task(ended.wait())
            await asyncio.wait({ending, *connecting}, return_when=asyncio.FIRST_COMPLETED)
            if not ended.is_set():
                log.info("slack.connected", sockets=len(handlers))
            await ending
        finally:
            for task in (ending, *connecting):
                await cancelled(task)
            for handler in handlers:
                await handler.close_async()  # type: ignore[no-untyped-call]
    log.info("parley.stopped")


@dataclass(frozen=True)
class Identity:
    """Who we are in Slack, by the token that we were given."""

    team_id: str
    user_id: str
    bot_id: str
    url: str

    def authorizing(self, token: str) -> Callable[..., Awaitable[AuthorizeResult]]:
        """Known once and for all: Bolt would ask Slack at the first event, and drop the event if that fails."""
        known = AuthorizeResult(
            enterprise_id=None, team_id=self.team_id, bot_user_id=self.user_id, bot_id=self.bot_id, bot_token=token
        )

        async def authorize(**_request: object) -> AuthorizeResult:
            return known

        return authorize


async def identify(slack: Slack) -> Identity:
    try:
        answer = await slack.call("auth.test")
    except SlackRefused as refused:
        raise BadSettings(f"SLACK_BOT_TOKEN is refused by Slack: {refused.error}.") from refused
    except SlackAway as away:
        raise BadSettings(f"SLACK_API_URL cannot be reached ({away}).") from away
    named = (answer["team_id"], answer["user_id"], answer.get("bot_id") or "", answer.get("url") or "")
    return Identity(*map(str, named))


def required(secret: SecretStr | None, name: str) -> str:
    if secret is None:
        raise BadSettings(f"{name} is not set: README.md says how to get it.")
    return secret.get_secret_value()


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def own_tools(path: str) -> tuple[Tool, ...]:
    """The tools of the toolbox at `module:attribute`."""
    if not path:
        return ()
    module, _, attribute = path.partition(":")
    try:
        toolbox = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadSettings(f"PARLEY_TOOLS ({path}) cannot be loaded: {error}.") from error
    if not isinstance(toolbox, Toolbox):
        raise BadSettings(f"PARLEY_TOOLS ({path}) is not a Toolbox.")
    return toolbox.tools
