"""`spawn_agents`: sub-agents that work on parts of a task at the same time, and may not ask."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import Field

from agent.core.errors import StoreError
from agent.core.questions import NotBlank
from agent.core.schema import json_schema
from agent.core.values import Frozen
from agent.ports import ThreadKey
from agent.tools.registry import Invocation, Tool, ToolError

RunSubAgent = Callable[[ThreadKey, str], Awaitable[str]]


class Work(Frozen):
    tasks: Annotated[tuple[NotBlank, ...], Field(min_length=1, max_length=8)] = Field(
        description="One self-contained instruction each: a sub-agent sees nothing of this conversation."
    )


def spawn_agents(run: RunSubAgent, at_once: int) -> Tool:
    """Repeatable: each sub-agent has a journal of its own, so after a crash it goes on where it was."""
    places = asyncio.Semaphore(at_once)

    async def one(key: ThreadKey, task: str) -> dict[str, str]:
        async with places:
            try:
                return {"task": task, "result": await run(key, task)}
            except (ToolError, StoreError) as error:  # the others go on
                return {"task": task, "result": f"Error: {error}"}

    async def run_all(invocation: Invocation) -> str:
        tasks = Work.model_validate(invocation.arguments).tasks
        keys = [
            invocation.thread.model_copy(update={"call_id": invocation.call.id, "number": number})
            for number in range(len(tasks))
        ]
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(one(key, task)) for key, task in zip(keys, tasks, strict=True)]
        return json.dumps([task.result() for task in running], ensure_ascii=False)

    return Tool(
        name="spawn_agents",
        description=(
            "Let up to eight sub-agents work in parallel on independent parts of the task, and wait for all of "
            "them. They have your tools, but they cannot ask people and cannot start agents themselves."
        ),
        parameters=json_schema(Work),
        run=run_all,
        check=Work.model_validate,
        repeatable=True,
        parent_only="A sub-agent cannot start further agents. Do the work yourself.",
    )
