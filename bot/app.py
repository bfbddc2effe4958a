"""The composition root: builds the agent from the settings; it wires and decides nothing."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow

from agent.core.events import Limits
from agent.dispatch.postgres import PostgresPresence
from agent.here import is_here
from agent.model.openai import OpenAIModel
from agent.ports import Meter, NoMeter, Watcher
from agent.replica import Replica
from agent.store import database
from agent.store.journal import Store
from agent.thinking import Thinker
from agent.threads import Threads
from agent.tools.ask_user_question import ASK_USER_QUESTION
from agent.tools.confirm_action import CONFIRM_ACTION
from agent.tools.registry import Toolbox
from bot.grace import Grace
from bot.http_mode import Door, SignatureCheck
from bot.inbox import Inbox
from bot.listeners import Listeners, bolt
from bot.live_views import LiveViews
from bot.meters import measuring
from bot.metrics import Exposition, Metrics
from bot.oauth import OAuth
from bot.own_tools import own_tools
from bot.pausing import Sleep
from bot.probes import Probes
from bot.reminders import Reminders
from bot.settings import BadSettings, Settings
from bot.slack import Slack
from bot.slack_clients import clients, identify, required
from bot.tokens import OneToken, Tokens
from bot.workspace import Shared
from bot.workspaces import Workspaces

log = structlog.get_logger()

Clock = Callable[[], float]


@dataclass(frozen=True)
class Parley:
    threads: Threads
    store: Store
    replica: Replica


@asynccontextmanager
async def running(
    settings: Settings,
    watcher: Watcher,
    clock: Clock = time.time,
    sleep: Sleep = asyncio.sleep,
    meter: Meter | None = None,
) -> AsyncIterator[Parley]:
    """The agent, ready; `replica.start()` lets it go on with whatever was left unfinished."""
    meter = meter or NoMeter()
    api_key, name = settings.need_model()
    toolbox = Toolbox([ASK_USER_QUESTION, CONFIRM_ACTION, *own_tools(settings.parley_tools)])
    server = database.server(settings.database_url)
    membership = PostgresPresence(server) if server else None
    store = await Store.open(settings.database_url, clock, membership, meter)
    model = OpenAIModel(
        api_key=api_key,
        model=name,
        base_url=settings.openai_base_url,
        timeout_seconds=settings.openai_timeout_seconds,
        sleep=sleep,
        meter=meter,
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
        meter=meter,
    )
    replica = Replica(store.adoption, membership, clock)
    replica.follow(adopt=threads.adopt, let_go=threads.let_go, wake=threads.wake)
    try:
        yield Parley(threads, store, replica)
    finally:
        await replica.retire()
        await threads.close()
        await model.close()
        await replica.close()
        await store.close()


@dataclass(frozen=True)
class Service:
    """Parley in Slack, but for the connection that events come by; once that is there, it can `go_on` with the rest."""

    app: AsyncApp
    flow: AsyncOAuthFlow | None
    probes: Probes
    grace: Grace
    go_on: Callable[[], Awaitable[None]]


@asynccontextmanager
async def serving(
    settings: Settings, *, oauth: OAuth | None = None, clock: Clock, sleep: Sleep, metrics: Metrics | None
) -> AsyncIterator[Service]:
    """In every workspace that installed it by `oauth`, or else in that of SLACK_BOT_TOKEN."""
    async with AsyncExitStack() as stack:
        metrics = metrics or Metrics()
        meter = await stack.enter_async_context(measuring(settings, metrics))
        client = await stack.enter_async_context(clients(settings))
        parley: Parley | None = None

        def connect(token: str, gone: Callable[[], None] = lambda: None) -> Slack:
            return Slack(client(token), sleep, gone, lambda: parley is None or parley.replica.is_current(), meter)

        tokens: Tokens | None = None if oauth else OneToken(await identify(settings, connect))
        views = LiveViews()
        parley = await stack.enter_async_context(running(settings, views, clock, sleep, meter))
        many = await stack.enter_async_context(oauth.installations(settings.database_url)) if oauth else None
        tokens = many or tokens
        assert tokens, "either one or many"

        def changed(team: str) -> None:
            parley.replica.changed(team)
            reminders.wake()

        shared = Shared(
            store=parley.store,
            threads=parley.threads,
            permissions=settings.permissions,
            due=settings.schedule,
            api_url=settings.slack_api_url,
            changed=changed,
            clock=clock,
            sleep=sleep,
        )
        workspaces = Workspaces(tokens, views, shared, connect)
        reminders = Reminders(shared.store, shared.threads, workspaces.slack, due=shared.due, clock=clock, sleep=sleep)
        inbox = Inbox(parley.store, workspaces, clock, sleep, meter)
        parley.replica.follow(adopt=inbox.adopt, let_go=inbox.let_go)
        parley.replica.follow(adopt=reminders.adopt, let_go=workspaces.let_go, shown=workspaces.refresh)
        # Closed from the last to the first: what is still said then is written down, and shown after the next start.
        for part in (workspaces, parley.threads, inbox):
            stack.push_async_callback(part.close)
        # With replicas, what whoever runs Parley leaves is adopted like everything that nobody has.
        heeding = [] if database.server(settings.database_url) else [inbox.heed()]
        for work in (reminders.run(), inbox.tidy(), *heeding):
            stack.push_async_callback(cancelled, asyncio.create_task(work))
        for begin in (workspaces.start, parley.replica.join):
            await begin()
        flow = oauth.flow(many, client(), workspaces.renew) if oauth and many else None
        shown = Exposition(metrics, parley.store.open_questions, database_url=settings.database_url, clock=clock)
        probes = Probes(parley.replica.is_current, lambda: parley.store.delivery.next_due(clock()), shown.text)
        if settings.parley_metrics_port:
            await stack.enter_async_context(probes.open(settings.parley_http_host, settings.parley_metrics_port))
        grace = Grace(settings.parley_grace_seconds)
        yield Service(bolt(client(), Listeners(inbox, workspaces)), flow, probes, grace, parley.replica.start)
        await grace.finish(parley.replica.retire, inbox.idle, parley.threads.idle, workspaces.idle)


async def serve(
    settings: Settings,
    ended: asyncio.Event,
    *,
    clock: Clock = time.time,
    sleep: Sleep = asyncio.sleep,
    metrics: Metrics | None = None,
) -> None:
    """Until `ended`. Over two sockets, since each is closed for a moment whenever Slack renews it."""
    app_token = required(settings.slack_app_token, "SLACK_APP_TOKEN")
    async with serving(settings, clock=clock, sleep=sleep, metrics=metrics) as service:
        handlers = [AsyncSocketModeHandler(service.app, app_token, ping_interval=3) for _ in range(2)]
        if is_here(settings.slack_api_url):
            for handler in handlers:
                handler.client.proxy = None
        connecting = [asyncio.create_task(handler.connect_async()) for handler in handlers]  # type: ignore[no-untyped-call]
        ending = asyncio.create_task(ended.wait())
        try:
            await service.go_on()  # whether Slack lets us connect or not
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


async def serve_http(
    settings: Settings,
    ended: asyncio.Event,
    *,
    clock: Clock = time.time,
    sleep: Sleep = asyncio.sleep,
    listening: Callable[[int], None] = lambda _port: None,
    metrics: Metrics | None = None,
) -> None:
    """Until `ended`, for whatever Slack sends to this address; whoever lets any port be taken is told which."""
    check = SignatureCheck(required(settings.slack_signing_secret, "SLACK_SIGNING_SECRET"), clock)
    oauth = OAuth.of(settings)
    if oauth is None and settings.slack_bot_token is None:
        other = "or, to be installed in many workspaces, SLACK_CLIENT_ID and SLACK_CLIENT_SECRET"
        raise BadSettings(f"SLACK_BOT_TOKEN is not set: HTTP mode needs it, {other}.")
    async with serving(settings, oauth=oauth, clock=clock, sleep=sleep, metrics=metrics) as service:
        probes = service.probes
        # With a port of its own, what is measured is not served where the whole world may come by.
        beside = [*probes.health(), *(() if settings.parley_metrics_port else probes.metrics())]
        door = Door(service.app, check, service.grace, flow=service.flow, beside=beside, draining=probes.drain)
        try:
            async with door.open(settings.parley_http_host, settings.parley_http_port) as port:
                log.info("http.listening", host=settings.parley_http_host, port=port)
                listening(port)
                await service.go_on()
                await ended.wait()
        except OSError as error:
            where = f"{settings.parley_http_host}:{settings.parley_http_port}"
            raise BadSettings(f"PARLEY_HTTP_HOST and PARLEY_HTTP_PORT: {where} cannot be used: {error}.") from error
    log.info("parley.stopped")


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
