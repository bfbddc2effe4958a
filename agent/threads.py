"""The agent's one door: front ends record what people do here, and read what waits for them."""

import asyncio
from collections.abc import Collection, Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar
from weakref import WeakValueDictionary

import structlog

from agent import prompts
from agent.core.asks import ShownAsk
from agent.core.errors import StoreError, UnreadableThread
from agent.core.events import Event, Limits, MessageReceived, ModelReplied
from agent.core.questions import Ask
from agent.core.states import Acting, Failed, Idle, State
from agent.core.steps import Refused
from agent.core.transcript import ToolCall
from agent.dispatch.local import LocalDispatch
from agent.ports import Conversation, Meter, NoMeter, Recorded, ThreadKey, Watcher
from agent.thinking import Thinker
from agent.tools.registry import Toolbox, ToolError
from agent.tools.spawn_agents import spawn_agents
from agent.turn import Turn

log = structlog.get_logger()

T = TypeVar("T")


class Journal(Protocol):
    async def append(self, key: ThreadKey, event: Event, received: str = "") -> Recorded | Refused: ...

    async def state(self, key: ThreadKey) -> State: ...

    async def conversation(self, key: ThreadKey) -> Conversation: ...

    async def event(self, key: ThreadKey, seq: int) -> Event: ...

    async def held(self, key: ThreadKey) -> State | None: ...

    async def take(self, key: ThreadKey) -> State | None: ...

    @property
    def adoption(self) -> "LeftThreads": ...


class LeftThreads(Protocol):
    async def threads(self, dead: Collection[int]) -> list[ThreadKey]: ...

    def is_news(self, key: ThreadKey) -> bool: ...


@dataclass(frozen=True)
class Pending:
    """Everything in a thread that waits for people."""

    asks: tuple[ShownAsk, ...] = ()
    approvals: tuple[ToolCall, ...] = ()


class Newest:
    """The last row that was told of a thread; kept only while something is on its way that may be older."""

    seq = -1


class Threads:
    """The thinker is given `spawn_agents` here, since sub-agents are threads too."""

    def __init__(
        self,
        journal: Journal,
        thinker: Thinker,
        watcher: Watcher,
        *,
        sub_agents_at_once: int,
        sub_agent_calls: int,
        meter: Meter | None = None,
    ) -> None:
        self._journal = journal
        self._watcher = watcher
        self._meter = meter or NoMeter()
        spawn = spawn_agents(self._run_sub_agent, sub_agents_at_once)
        self._thinker = replace(thinker, toolbox=Toolbox([*thinker.toolbox.tools, spawn]))
        self._sub_thinker = replace(
            thinker,
            toolbox=self._thinker.toolbox.for_sub_agents(),
            system=prompts.SUB_AGENT,
            limits=Limits(model_calls=sub_agent_calls),
        )
        self._dispatch = LocalDispatch(self._turn)
        self._recording: set[asyncio.Task[Any]] = set()
        self._waking: set[asyncio.Task[Any]] = set()
        self._unread: set[ThreadKey] = set()  # those that one of these tasks is still to look at
        self._newest: WeakValueDictionary[ThreadKey, Newest] = WeakValueDictionary()
        self._epoch = 0  # one more whenever everything was let go of

    async def adopt(self, dead: Collection[int]) -> None:
        """Go on with what processes that have ended left unfinished, or not wholly shown."""
        for key in await self._journal.adoption.threads(dead):
            try:
                await self._go_on(key)
            except StoreError:  # it is ours by now, so no other sweep will bring it back
                self.wake(key)

    def wake(self, key: ThreadKey) -> None:
        """Someone else may have moved the thread on: do what there is to do now."""
        if key not in self._unread:
            self._unread.add(key)
            _keep(self._waking, self._wake(key))

    async def tell_again(self, key: ThreadKey) -> None:
        """Someone watches only from now on: tell what the thread is doing, as of one that was just taken over."""
        newest = self._newest_of(key)
        state = await self._held(key)
        if state and state.seq >= newest.seq:
            newest.seq = state.seq
            self._watcher.adopted(key, state)

    async def let_go(self) -> None:
        """None of the threads belongs to this process any more."""
        self._epoch += 1
        for task in self._waking:
            task.cancel()
        self._unread.clear()
        await self._dispatch.let_go()

    async def idle(self) -> None:
        """Wait until no turn runs here."""
        await self._dispatch.idle()

    async def close(self) -> None:
        await self._dispatch.close()
        await asyncio.gather(*self._recording, return_exceptions=True)  # which may wake threads
        await self.let_go()
        await asyncio.gather(*self._waking, return_exceptions=True)

    async def record(self, key: ThreadKey, event: Event, received: str = "") -> Recorded | Refused:
        """Write down what happened; when this returns it is on disk, and the agent has been woken.

        With `received`, whatever came in under that key is dealt with by the same transaction.
        """
        recording = _keep(self._recording, self._record(key, event, received))
        # Whoever waits may give up, but what is written down must wake the agent all the same.
        return await asyncio.shield(recording)

    async def _record(self, key: ThreadKey, event: Event, received: str) -> Recorded | Refused:
        epoch, newest = self._epoch, self._newest_of(key)
        try:
            recorded = await self._journal.append(key, event, received)
        except StoreError:
            self.wake(key)  # it may be written down all the same, with only the answer lost
            raise
        if not isinstance(recorded, Recorded) or recorded.held == "theirs":
            return recorded
        if epoch != self._epoch:
            self.wake(key)  # it was ours when this was written, and may be anyone's now
        else:
            self._move_on(key, recorded.state, newest)
        return recorded

    async def _wake(self, key: ThreadKey) -> None:
        """Until the database says what there is to do: nothing else would."""
        pause = 0.1
        while True:
            self._unread.discard(key)
            with suppress(StoreError):
                return await self._go_on(key)
            if key in self._unread:
                return  # by another of these tasks
            self._unread.add(key)
            await asyncio.sleep(pause)
            pause = min(pause * 2, 10)

    async def _go_on(self, key: ThreadKey) -> None:
        """Do what there is to do in the thread, if it belongs to us."""
        epoch, newest = self._epoch, self._newest_of(key)
        state = await self._held(key)
        if state and epoch == self._epoch:
            self._move_on(key, state, newest)

    async def _held(self, key: ThreadKey) -> State | None:
        try:
            return await self._journal.held(key)
        except UnreadableThread:  # one that cannot be read must not keep all others from going on
            log.exception("thread.unreadable", thread=key.model_dump())
            return None

    def _newest_of(self, key: ThreadKey) -> Newest:
        """To be held on to while a state of the thread is fetched."""
        return self._newest.setdefault(key, Newest())

    def _move_on(self, key: ThreadKey, state: State, newest: Newest) -> None:
        """The thread is in this state, unless a later one was fetched sooner: the database's threads race."""
        if state.seq >= newest.seq:
            newest.seq = state.seq
            self._dispatch.learn(key, state)
            (self._watcher.adopted if self._journal.adoption.is_news(key) else self._watcher.changed)(key, state)

    async def settled(self, key: ThreadKey) -> State:
        """Wait until the thread is paused or finished."""
        return await self._dispatch.settled(key) or await self._journal.state(key)

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
        return Turn(
            key,
            state,
            thinker=thinker,
            journal=self._journal,
            record=self.record,
            watcher=self._watcher,
            meter=self._meter,
        )

    async def _run_sub_agent(self, key: ThreadKey, task: str) -> str:
        """Start it, or go on with it after a restart; its last words are the result."""
        state = await self._journal.take(key)
        if state is None:
            raise ToolError("The conversation is another process's now.")
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


def _keep(tasks: set[asyncio.Task[Any]], work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """A task that nobody else may hold on to."""
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task
