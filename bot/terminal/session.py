"""The session: lets the agent work, asks what it wants to know, takes the next message, over and over."""

import asyncio
from typing import Any

from agent.core.asks import ShownAsk
from agent.core.events import (
    ActionDecided,
    AnswersGiven,
    AskSkipped,
    Event,
    MessageReceived,
    ModelReplied,
    StopRequested,
)
from agent.core.states import Failed, Idle, InTurn, State, Stopped
from agent.core.steps import Refused
from agent.core.transcript import ToolCall
from agent.ports import Recorded, ThreadKey
from bot.app import Parley
from bot.terminal.front import Front, Interrupt, Leave, Skip

_COME_BACK = "This conversation is kept as it is: `parley chat --resume` goes on with it."


class Session:
    """Ctrl-C stops whatever runs or is asked; with nothing to stop it leaves."""

    def __init__(self, parley: Parley, key: ThreadKey, front: Front) -> None:
        self._threads = parley.threads
        self._store = parley.store
        self._key = key
        self._view, self._prompts = front
        self._pressed = asyncio.Event()

    def interrupt(self) -> None:
        """SIGINT."""
        if not self._prompts.interrupt():
            self._pressed.set()

    async def run(self, *, resumed: bool) -> None:
        try:
            await (self._recall() if resumed else self._greet())
            while True:
                await self._step()
        except Leave:
            self._view.close()
            if isinstance(await self._store.state(self._key), InTurn):
                self._view.note(_COME_BACK)

    async def _step(self) -> None:
        state = await self._settled()
        pending = await self._threads.pending(self._key)
        try:
            if pending.asks:
                await self._ask(pending.asks[0])
            elif pending.approvals:
                await self._propose(pending.approvals[0])
            else:
                await self._show_end(state)
                await self._converse()
        except Interrupt:
            if isinstance(await self._record(StopRequested()), Refused):
                raise Leave from None

    async def _greet(self) -> None:
        self._view.greet()

    async def _recall(self) -> None:
        """Where one was: what was said last, what the agent said since, what is answered already."""
        events = await self._store.events(self._key)
        said = next(event.text for event in reversed(events) if isinstance(event, MessageReceived))
        self._view.recall(said)
        self._view.changed(self._key, await self._store.state(self._key))
        pending = await self._threads.pending(self._key)
        replied = next((event for event in reversed(events) if isinstance(event, ModelReplied)), None)
        if (pending.asks or pending.approvals) and replied and replied.text:
            self._view.say(replied.text)
        for asked in (asked for ask in pending.asks for asked in ask.open.asked):
            if asked.given:
                self._view.receipt(f"{asked.question.question} → {asked.given.words}")

    async def _settled(self) -> State:
        """Wait for the agent; Ctrl-C stops it, and a second one does not wait for that."""
        self._pressed.clear()
        settled = asyncio.ensure_future(self._threads.settled(self._key))
        try:
            if await self._pressed_before(settled):
                await self._record(StopRequested())
                if await self._pressed_before(settled):
                    raise Leave
            return await settled
        finally:
            settled.cancel()

    async def _pressed_before(self, work: asyncio.Future[Any]) -> bool:
        pressed: asyncio.Future[Any] = asyncio.ensure_future(self._pressed.wait())
        try:
            await asyncio.wait({work, pressed}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            pressed.cancel()
        self._pressed.clear()
        return not work.done()

    async def _ask(self, ask: ShownAsk) -> None:
        number, count = ask.open.unanswered[0], len(ask.ask.questions)
        question = ask.ask.questions[number]
        self._view.ask(question, f"question {number + 1} of {count}" if count > 1 else "")
        try:
            words = await self._prompts.answer(question)
        except Skip:
            self._view.receipt("→ skipped: the agent decides")
            await self._record(AskSkipped(call_id=ask.open.call_id))
        else:
            self._view.receipt(f"→ {words}")
            await self._record(AnswersGiven(call_id=ask.open.call_id, answers={number: words}))

    async def _propose(self, call: ToolCall) -> None:
        self._view.propose(call)
        approved, reason = await self._prompts.decide()
        self._view.receipt("→ approved" if approved else f"→ denied: {reason}" if reason else "→ denied")
        await self._record(ActionDecided(call_id=call.id, approved=approved, reason=reason))

    async def _show_end(self, state: State) -> None:
        match state:
            case Failed():
                self._view.fail(state.shown)
            case Stopped():
                self._view.note("Stopped.")
            case Idle(seq=seq) if seq and not self._view.streamed:
                reply = await self._store.event(self._key, seq)
                if isinstance(reply, ModelReplied):
                    self._view.say(reply.text)

    async def _converse(self) -> None:
        while not (text := await self._prompts.message()).strip():
            pass
        await self._record(MessageReceived(text=text))

    async def _record(self, event: Event) -> Recorded | Refused:
        return await self._threads.record(self._key, event)
