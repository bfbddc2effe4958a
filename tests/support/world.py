"""The whole agent on a real database and a scripted model, and what people do to it in a test's words."""

import json
from typing import Any

from agent.core.events import ActionDecided, AnswersGiven, Event, Limits, MessageReceived
from agent.core.states import State
from agent.core.steps import Refused
from agent.core.transcript import Message, ToolCall
from agent.core.values import Person
from agent.model.openai import OpenAIModel
from agent.ports import Recorded, ThreadKey
from agent.replica import Replica
from agent.store.journal import Store
from agent.thinking import Thinker
from agent.threads import Threads
from agent.tools.ask_user_question import ASK_USER_QUESTION
from agent.tools.confirm_action import CONFIRM_ACTION
from agent.tools.registry import Toolbox
from tests.support.scripted_model import ScriptedModel

THREAD = ThreadKey(team="T1", channel="C1", root="1700000000.000100")
ANN, BEN = Person(id="U1", name="Ann"), Person(id="U2", name="Ben")


class Seen:
    """A watcher that remembers."""

    def __init__(self) -> None:
        self.deltas: list[str] = []
        self.steps: list[tuple[str, str]] = []

    def text(self, thread: ThreadKey, delta: str, so_far: str) -> None:
        self.deltas.append(delta)

    def restarted(self, thread: ThreadKey) -> None:
        self.deltas.clear()

    def tool_started(self, thread: ThreadKey, call: ToolCall) -> None:
        self.steps.append(("started", call.name))

    def tool_finished(self, thread: ThreadKey, call: ToolCall, failed: bool) -> None:
        self.steps.append(("failed" if failed else "finished", call.name))

    def changed(self, thread: ThreadKey, state: State) -> None:
        self.steps.append(("state", state.kind))

    def adopted(self, thread: ThreadKey, state: State) -> None:
        self.changed(thread, state)


class World:
    def __init__(self, database_url: str) -> None:
        self.database_url = database_url
        self.model = ScriptedModel()
        self.toolbox = Toolbox()
        self.limits = Limits()
        self.context_tokens = 128_000
        self.seen = Seen()

    async def __aenter__(self) -> "World":
        await self.model.__aenter__()
        return self

    async def __aexit__(self, *failure: Any) -> None:
        if hasattr(self, "threads"):
            await self.stop()
        await self.model.__aexit__(*failure)

    async def start(self) -> None:
        """Start the agent; tools and limits are as they were set before."""
        self.store = await Store.open(self.database_url)
        self._client = OpenAIModel(api_key="test", model="scripted", base_url=self.model.base_url, sleep=_no_sleep)
        toolbox = Toolbox([ASK_USER_QUESTION, CONFIRM_ACTION, *self.toolbox.tools])
        thinker = Thinker(self._client, toolbox, limits=self.limits, context_tokens=self.context_tokens)
        self.threads = Threads(self.store, thinker, self.seen, sub_agents_at_once=2, sub_agent_calls=4)
        self.store.adoption.serve(THREAD.team, writes_down_what_is_shown=False)
        replica = Replica(self.store.adoption)
        replica.follow(adopt=self.threads.adopt)
        await replica.join()
        await replica.start()

    async def stop(self) -> None:
        await self.threads.close()
        await self._client.close()
        await self.store.close()
        del self.threads

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def record(self, event: Event) -> Recorded | Refused:
        if not hasattr(self, "threads"):
            await self.start()
        return await self.threads.record(THREAD, event)

    async def says(self, text: str, author: Person = ANN, addressed: bool = True) -> State:
        """Someone writes, and the agent works until it is paused or finished."""
        await self.record(MessageReceived(text=text, author=author, addressed=addressed))
        return await self.settled()

    async def answers(self, *words: str, by: Person = ANN) -> State:
        """Someone answers every question of the open ask."""
        ask = (await self.threads.pending(THREAD)).asks[0]
        await self.record(AnswersGiven(call_id=ask.open.call_id, answers=dict(enumerate(words)), by=by))
        return await self.settled()

    async def decides(self, approved: bool, reason: str = "", by: Person = ANN) -> State:
        call = (await self.threads.pending(THREAD)).approvals[0]
        await self.record(ActionDecided(call_id=call.id, approved=approved, reason=reason, by=by))
        return await self.settled()

    async def settled(self) -> State:
        return await self.threads.settled(THREAD)

    async def transcript(self, key: ThreadKey = THREAD) -> list[Message]:
        return [each.message for each in (await self.store.conversation(key)).placed]

    async def results(self) -> list[Any]:
        """What the tools gave the model, oldest first; as JSON where it is."""
        return [_parsed(m["content"]) for m in await self.transcript() if m["role"] == "tool"]


def _parsed(content: str) -> Any:
    try:
        return json.loads(content)
    except json.JSONDecodeError:
        return content


async def _no_sleep(_seconds: float) -> None:
    return None
