"""Runs one thread: asks the model and runs tools until the journal says that it is paused or finished."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol, TypeVar

import structlog

from agent.core.errors import StoreError
from agent.core.events import Event, ModelReplied, ToolFinished, ToolsStarted, TurnFailed
from agent.core.states import InTurn, RunningTools, State, Thinking
from agent.core.steps import Refused
from agent.core.transcript import ToolCall
from agent.ports import Conversation, Meter, Recorded, ThreadKey, Watcher
from agent.thinking import Thinker
from agent.tools.registry import ToolError

log = structlog.get_logger()

CUT_OFF = (
    "Parley was restarted while this tool was at work: whether it took effect is unknown. "
    "Check before you call it again."
)
NOT_RUN = "Parley lost its database for a moment and has not run this tool. Call it again if it is still needed."

_CLEAN_UP_SECONDS = 1.0

T = TypeVar("T")
Record = Callable[[ThreadKey, Event], Awaitable[Recorded | Refused]]


class Journal(Protocol):
    async def conversation(self, key: ThreadKey) -> Conversation: ...

    async def event(self, key: ThreadKey, seq: int) -> Event: ...


class Turn:
    """What runs is always what the newest known state calls for: a new state starts tasks, or cancels them."""

    def __init__(
        self,
        key: ThreadKey,
        state: State,
        *,
        thinker: Thinker,
        journal: Journal,
        record: Record,
        watcher: Watcher,
        meter: Meter,
    ) -> None:
        self._key = key
        self._state = state
        self._thinker = thinker
        self._journal = journal
        self._record = record
        self._watcher = watcher
        self._meter = meter
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._running: set[str] = set()
        self._turn = state.turn

    @property
    def state(self) -> State:
        return self._state

    def learn(self, state: State) -> None:
        """The thread has moved on, by this turn's doing or by someone else's."""
        if state.seq > self._state.seq:
            self._state = state
            self._news.set()

    async def run(self) -> None:
        of = "sub_agent" if self._key.call_id else "thread"
        with self._meter.doing("turn", of=of, thread=self._key) as turn:
            await self._run()
            turn.note(outcome=self._state.kind)

    async def _run(self) -> None:
        try:
            while True:
                self._news.clear()
                await self._match_state()
                if not self._tasks:
                    return
                await self._something_happened()
        finally:
            await self._cancel()

    async def _match_state(self) -> None:
        state = self._state
        if not isinstance(state, InTurn) or state.turn != self._turn:
            await self._cancel()
            state = self._state
            self._turn = state.turn
            self._running.clear()
        match state:
            case Thinking():
                self._start([f"reply {state.replies} {state.summary}"], self._think)
            case RunningTools():
                cut_off = [t.call_id for t in state.tools if t.started and t.call_id not in self._running]
                fresh = [t.call_id for t in state.tools if not t.started and t.call_id not in self._running]
                self._start(cut_off, partial(self._report, state, cut_off, CUT_OFF))
                self._start(fresh, partial(self._act, state, fresh))

    def _start(self, names: list[str], work: Callable[[], Awaitable[None]]) -> None:
        if not self._running.issuperset(names):
            self._running.update(names)
            self._tasks.add(asyncio.create_task(self._guarded(work)))

    async def _something_happened(self) -> None:
        news = asyncio.create_task(self._news.wait())
        try:
            done, _ = await asyncio.wait({news, *self._tasks}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()
        self._tasks -= done

    async def _cancel(self) -> None:
        if not self._tasks:
            return  # without giving way to others: between seeing no work and ending, no news may come
        for task in self._tasks:
            task.cancel()
        # A tool that is slow to clean up must not hold up a stop; its result would be refused anyway.
        await asyncio.wait(self._tasks, timeout=_CLEAN_UP_SECONDS)
        self._tasks.clear()

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            await self._say_failed("Something I was waiting for was called off, and I had to stop.")
        except Exception:  # the outermost loop: whatever went wrong, people are told
            incident = uuid.uuid4().hex[:8]
            log.exception("turn.failed", incident=incident, thread=self._key.model_dump())
            await self._say_failed(f"Something went wrong on my side, and I had to stop. (incident {incident})")

    async def _say_failed(self, shown: str) -> None:
        """Until it is written down: whatever went wrong, nothing else would wake the thread."""
        wait = 1
        while True:
            try:
                await self._write(TurnFailed(turn=self._turn, shown=shown))
            except Exception:  # something worse than a database that is away
                log.exception("turn.lost", thread=self._key.model_dump(), retry_in=wait)
            else:
                return
            await asyncio.sleep(wait)
            wait = min(wait * 2, 60)

    async def _write(self, event: Event) -> Recorded | Refused:
        """Until it is written down. One that was already, the answer being lost, is refused and the thread woken."""
        return await self._patiently(lambda: self._record(self._key, event))

    async def _patiently(self, work: Callable[[], Awaitable[T]]) -> T:
        """A database that is away for a while must not end a run."""
        wait = 0.1
        while True:
            try:
                return await work()
            except StoreError as error:
                log.warning("turn.held_up", thread=self._key.model_dump(), error=str(error), retry_in=wait)
            await asyncio.sleep(wait)
            wait = min(wait * 2, 10)

    async def _think(self) -> None:
        conversation = await self._patiently(lambda: self._journal.conversation(self._key))
        if not isinstance(conversation.state, Thinking):
            self.learn(conversation.state)
            return
        event = await self._thinker.think(conversation.state, conversation, self)
        await self._write(event)

    def text(self, delta: str, so_far: str) -> None:
        self._watcher.text(self._key, delta, so_far)

    def restarted(self) -> None:
        self._watcher.restarted(self._key)

    async def _report(self, state: RunningTools, call_ids: Sequence[str], content: str) -> None:
        for call_id in call_ids:
            await self._write(ToolFinished(turn=state.turn, call_id=call_id, content=content))

    async def _act(self, state: RunningTools, call_ids: list[str]) -> None:
        reply = await self._patiently(lambda: self._journal.event(self._key, state.replied))
        assert isinstance(reply, ModelReplied), "the state names the row of the reply"
        calls = [call for call in reply.calls if call.id in call_ids]
        once = tuple(call.id for call in calls if not self._thinker.toolbox.repeatable(call))
        if once:
            try:
                started = await self._record(self._key, ToolsStarted(turn=state.turn, call_ids=once))
            except StoreError:  # whether that is written down is unknown, and what may not run twice runs only if it is
                await self._report(state, once, NOT_RUN)
                calls = [call for call in calls if call.id not in once]
            else:
                if isinstance(started, Refused):
                    return
        async with asyncio.TaskGroup() as group:
            for call in calls:
                group.create_task(self._run_tool(reply, call))

    async def _run_tool(self, reply: ModelReplied, call: ToolCall) -> None:
        self._watcher.tool_started(self._key, call)
        with self._meter.doing("tool", tool=self._thinker.toolbox.known_name(call)) as running:
            content, failed = await self._outcome(reply, call)
            running.note(outcome="failed" if failed else "ok")
        self._watcher.tool_finished(self._key, call, failed)
        content = _cut(content, self._thinker.longest_result(len(reply.calls)))
        await self._write(ToolFinished(turn=reply.turn, call_id=call.id, content=content))

    async def _outcome(self, reply: ModelReplied, call: ToolCall) -> tuple[str, bool]:
        """What the tool gave or said of its failure, and whether it failed."""
        try:
            approved = reply.waits.get(call.id) == "approve"  # it would not be here if it still waited
            return await self._thinker.toolbox.run(self._key, call, approved=approved), False
        except ToolError as error:
            return f"Error: {error}", True
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            return "Error: Something this tool was waiting for was called off.", True
        except Exception as error:  # noqa: BLE001 (a tool is anyone's code; its failure is the model's to handle)
            log.warning("tool.failed", tool=call.name, error=type(error).__name__, thread=self._key.model_dump())
            return f"Error: {type(error).__name__}: {error}", True


def _is_cancelled() -> bool:
    """Whether it is this task that was cancelled, and not something that it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _cut(content: str, longest: int) -> str:
    if len(content) <= longest:
        return content
    return f"{content[:longest]}\n(cut off: {len(content)} characters in all)"
