"""The composition root: builds the agent from the settings; it wires and decides nothing."""

import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from agent.core.events import Limits
from agent.model.openai import OpenAIModel
from agent.ports import Watcher
from agent.store.journal import Store
from agent.thinking import Thinker
from agent.threads import Threads
from agent.tools.ask_user_question import ASK_USER_QUESTION
from agent.tools.confirm_action import CONFIRM_ACTION
from agent.tools.registry import Tool, Toolbox
from bot.settings import BadSettings, Settings


@dataclass(frozen=True)
class Parley:
    threads: Threads
    store: Store


@asynccontextmanager
async def running(settings: Settings, watcher: Watcher) -> AsyncIterator[Parley]:
    """The agent, ready; `threads.start()` lets it go on with whatever it had left unfinished."""
    toolbox = Toolbox([ASK_USER_QUESTION, CONFIRM_ACTION, *own_tools(settings.parley_tools)])
    store = await Store.open(settings.database_url)
    model = OpenAIModel(
        api_key=settings.openai_api_key.get_secret_value(),
        model=settings.openai_model,
        base_url=settings.openai_base_url,
        timeout_seconds=settings.openai_timeout_seconds,
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
