# /// script
# dependencies = [
#   "alembic==1.20.1",
#   "filelock==4.2.10",
#   "openai==3.51.0",
#   "pydantic==2.14.3",
#   "sqlalchemy==2.1.8",
#   "structlog==26.1.0",
# ]
# ///
"""Parley as a contender of a harness that measures how fast agents pause on a question and resume.

The harness takes one file per contender: copy this one there as `parley.py`, and name the checkout in PARLEY.
"""

import os
import sys

sys.path.insert(0, os.environ.get("PARLEY", ""))

from typing import Any

from agent.core.events import AnswersGiven, Event, MessageReceived
from agent.core.states import State, Waiting
from agent.model.openai import OpenAIModel
from agent.ports import NoWatcher, ThreadKey
from agent.store.journal import Store
from agent.thinking import Thinker
from agent.threads import Threads
from agent.tools.ask_user_question import ASK_USER_QUESTION
from agent.tools.registry import Toolbox

LABEL = "Parley"
PERSISTS = "a journal row and the thread's state per event, one commit each (group commit when concurrent)"


class Written(NoWatcher):
    """The newest reply of each thread, as it is written."""

    def __init__(self) -> None:
        self.replies: dict[ThreadKey, str] = {}

    def text(self, thread: ThreadKey, delta: str, so_far: str) -> None:
        self.replies[thread] = so_far


class Peer:
    """The agent without Slack, as `parley chat` has it. It always streams."""

    def __init__(self, base_url: str, db: str, stream: bool = True) -> None:
        self._base_url, self._db, self._written = base_url, db, Written()

    async def open(self) -> None:
        self._store = await Store.open(f"sqlite:///{self._db}")
        self._model = OpenAIModel(api_key="none", model="mock-model", base_url=self._base_url)
        thinker = Thinker(self._model, Toolbox([ASK_USER_QUESTION]))
        self._threads = Threads(self._store, thinker, self._written, sub_agents_at_once=1, sub_agent_calls=2)

    async def close(self) -> None:
        await self._threads.close()
        await self._model.close()
        await self._store.close()

    async def start(self, thread: str, text: str) -> Any:
        """The questions once the pause is on disk, or the words if nothing was asked."""
        key = ThreadKey(team="T", channel="C", root=thread)
        state = await self._settled(key, MessageReceived(text=text))
        words = self._written.replies.pop(key, "")  # nothing of a thread is kept
        if isinstance(state, Waiting):
            return [each.question.model_dump() for each in state.asks[0].asked]
        return words

    say = start

    async def resume(self, thread: str, answers: dict[str, str]) -> str:
        key = ThreadKey(team="T", channel="C", root=thread)
        state = await self._store.state(key)
        assert isinstance(state, Waiting), "it asked"
        given = {number: answers[each.question.question] for number, each in enumerate(state.asks[0].asked)}
        await self._settled(key, AnswersGiven(call_id=state.asks[0].call_id, answers=given))
        return self._written.replies.pop(key)

    async def _settled(self, key: ThreadKey, event: Event) -> State:
        """What it came to, which is on disk by then."""
        await self._threads.record(key, event)
        return await self._threads.settled(key)
