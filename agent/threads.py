"""The agent's one door: front ends record what people do here, and read what waits for them."""

import asyncio
from dataclasses import dataclass, replace
from typing import Protocol

import structlog

from agent import prompts
from agent.core.asks import ShownAsk
from agent.core.events import Event, Limits, MessageReceived, ModelReplied
from agent.core.questions import Ask
from agent.core.states import Acting, Failed, Idle, State
from agent.core.steps import Refused
from agent.core.transcript import ToolCall
from agent.dispatch.local import LocalDispatch
from agent.ports import Conversation, Recorded, ThreadKey, Watcher
from agent.thinking import Thinker
from agent.tools.registry import Toolbox, ToolError
from agent.tools.spawn_agents import spawn_agents
from agent.turn import Turn

log = structlog.get_logger()


class Journal(Protocol):
    async def append(self, key: ThreadKey, event: Event, received: str = "") -> Recorded | Refused: ...

    async def state(self, key: ThreadKey) -> State: ...

    async def conversation(self, key: ThreadKey) -> Conversation: ...

    async def event(self, key: ThreadKey, seq: int) -> Event: ...

    async def unfinished(self) -> list[ThreadKey]: ...


@dataclass(frozen=True)
class Pending:
    """Everything in a thread that waits for people."""

    asks: tuple[ShownAsk, ...] = ()
    approvals: tuple[ToolCall, ...] = ()


class Threads:
    """The thinker is given `spawn_agents` here, since sub-agents are threads too."""

    def __init__(
        self, journal: Journal, thinker: Thinker, watcher: Watcher, *, sub_agents_at_once: int, sub_agent_calls: int
    ) -> None:
        self._journal = journal
        self._watcher = watcher
        spawn = spawn_agents(self._run_sub_agent, sub_agents_at_once)
        self._thinker = replace(thinker, toolbox=Toolbox([*thinker.toolbox.tools, spawn]))
        self._sub_thinker = replace(
            thinker,
            toolbox=self._thinker.toolbox.for_sub_agents(),
            system=prompts.SUB_AGENT,
            limits=Limits(model_calls=sub_agent_calls),
        )
        self._dispatch = LocalDispatch(self._turn)
        self._recording: set[asyncio.Task[Recorded | Refused]] = set()

    async def start(self) -> None:
        """Go on with whatever was unfinished."""
        for key in await self._journal.unfinished():
            try:
                state = await self._journal.state(key)
                self._dispatch.learn(key, state)
                self._watcher.changed(key, state)
            except ValueError:  # one row that cannot be read must not keep all others from going on
                log.exception("thread.unreadable", thread=key.model_dump())

    async def close(self) -> None:
        await self._dispatch.close()
        await asyncio.gather(*self._recording, return_exceptions=True)

    async def record(self, key: ThreadKey, event: Event, received: str = "") -> Recorded | Refused:
        """Write down what happened; when this returns it is on disk, and the agent has been woken.

        With `received`, whatever came in under that key is dealt with by the same transaction.
        """
        recording = asyncio.create_task(self._record(key, event, received))
        self._recording.add(recording)
        recording.add_done_callback(self._recording.discard)
        # Whoever waits may give up, but what is written down must wake the agent all the same.
        return await asyncio.shield(recording)

    async def _record(self, key: ThreadKey, event: Event, received: str) -> Recorded | Refused:
        recorded = await self._journal.append(key, event, received)
        if isinstance(recorded, Recorded):
            self._dispatch.learn(key, recorded.state)
            self._watcher.changed(key, recorded.state)
        return recorded

    async def settled(self, key: ThreadKey) -> State:
        """Wait until the thread is paused or finished."""
        await self._dispatch.settled(key)
        return await self._journal.state(key)

    async def pending(self, key: ThreadKey) -> Pending:
        state = await self._journal.state(key)
        if not isinstance(state, Acting) or not state.waits_for_people:
            return Pending()
        reply = await self._journal.event(key, state.replied)
        assert isinstance(reply, ModelReplied), "the state names the row of the reply"
        calls = {call.id: call for call in reply.calls}
        return Pending(
            tuple(ShownAsk(Ask.model_validate_json(calls[ask.call_id].arguments), ask) for ask in state.asks),
            tuple(calls[approval.call_id] for approval in state.approvals),
        )

    def _turn(self, key: ThreadKey, state: State) -> Turn:
        thinker = self._sub_thinker if key.call_id else self._thinker
        return Turn(key, state, thinker=thinker, journal=self._journal, record=self.record, watcher=self._watcher)

    async def _run_sub_agent(self, key: ThreadKey, task: str) -> str:
        """Start it, or go on with it after a restart; its last words are the result."""
        state = await self._journal.state(key)
        if state.seq == 0:
            await self.record(key, MessageReceived(text=task))
        else:
            self._dispatch.learn(key, state)
        try:
            state = await self.settled(key)
        except asyncio.CancelledError:
            await self._dispatch.cancel(key)
            raise
        match state:
            case Idle():
                return await self._last_words(key)
            case Failed():
                return f"The sub-agent failed: {state.shown}"
            case _:
                raise ToolError("The sub-agent was stopped before it had a result.")

    async def _last_words(self, key: ThreadKey) -> str:
        placed = (await self._journal.conversation(key)).placed
        return str(placed[-1].message["content"])
