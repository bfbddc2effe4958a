"""One run with two asks, parallel tools and a sub-agent, as a process that dies at a chosen point.

Everything is loaded once; each run is then a fork of its own, killed by a real SIGKILL. Usage:

    python -m tests.crash.scenario DIRECTORY MODEL_URL

For every line on standard input, `NAME POINT`, it runs the scenario on DIRECTORY/NAME.db, dying at the point
(0: never), and prints how the process ended and how many points it passed.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from agent.core.events import AnswersGiven, Event, MessageReceived
from agent.core.states import Waiting
from agent.core.steps import Refused
from agent.model.openai import OpenAIModel
from agent.ports import NoWatcher, Recorded, ThreadKey
from agent.store.journal import Store
from agent.thinking import Thinker
from agent.threads import Threads
from agent.tools.ask_user_question import ASK_USER_QUESTION
from agent.tools.registry import Toolbox

THREAD = ThreadKey(team="T1", channel="C1", root="1")
ANSWERS = {"Which database?": "Postgres", "Where?": "One VM", "When?": "today"}


class Points:
    """Counts the places where the process can die, and dies at one of them."""

    def __init__(self, fatal: int, log: Path) -> None:
        self.passed = 0
        self._fatal = fatal
        self._log = log

    def here(self, name: str) -> None:
        self.passed += 1
        if self.passed == self._fatal:
            with self._log.open("a") as log:
                log.write(f"{name}\n")
            os.kill(os.getpid(), signal.SIGKILL)


class MortalStore:
    """A store around whose every append the process can die: before it, and once it is on disk."""

    def __init__(self, store: Store, points: Points) -> None:
        self._store = store
        self._points = points

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    async def append(self, key: ThreadKey, event: Event, received: str = "") -> Recorded | Refused:
        self._points.here(f"before {event.kind}")
        outcome = await self._store.append(key, event, received)
        self._points.here(f"after {event.kind}")
        return outcome


def tools(points: Points, effects: Path) -> Toolbox:
    """Each writes down that it took effect, the moment it does."""
    toolbox = Toolbox([ASK_USER_QUESTION])

    def take_effect(name: str) -> str:
        points.here(f"{name} started")
        with effects.open("a") as log:
            log.write(f"{name}\n")
        points.here(f"{name} took effect")
        return f"{name} done"

    @toolbox.tool()
    async def create(what: str) -> str:
        """Create something, once."""
        return take_effect(f"create {what}")

    @toolbox.tool(repeatable=True)
    async def look(at: str) -> str:
        """Look at something, as often as you like."""
        points.here(f"look {at} started")
        return f"{at} looks fine"

    return toolbox


async def play(directory: Path, name: str, fatal: int, model_url: str) -> int:
    """Start Parley, do what people would still do, and go on until the thread is at rest."""
    points = Points(fatal, directory / f"{name}.deaths")
    store = await Store.open(f"sqlite:///{directory}/{name}.db")
    model = OpenAIModel(api_key=name, model="scripted", base_url=model_url)
    thinker = Thinker(model, tools(points, directory / f"{name}.effects"))
    mortal = MortalStore(store, points)
    threads = Threads(mortal, thinker, NoWatcher(), sub_agents_at_once=2, sub_agent_calls=5)  # type: ignore[arg-type]
    store.adoption.serve(THREAD.team, writes_down_what_is_shown=False)
    await threads.adopt(await store.adoption.dead(0))
    if (await store.state(THREAD)).seq == 0:
        await threads.record(THREAD, MessageReceived(text="Set the service up."))
    while isinstance(await threads.settled(THREAD), Waiting):
        for shown in (await threads.pending(THREAD)).asks:
            for number in shown.open.unanswered:
                words = ANSWERS[shown.ask.questions[number].question]
                await threads.record(THREAD, AnswersGiven(call_id=shown.open.call_id, answers={number: words}))
    await threads.close()
    await model.close()
    await store.close()
    return points.passed


def fork_and_play(directory: Path, name: str, fatal: int, model_url: str) -> str:
    """The life of one process: `died`, or `ended` with the number of points it passed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        passed = asyncio.run(play(directory, name, fatal, model_url))
        os.write(writing, str(passed).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        passed_text = pipe.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return f"died {os.WTERMSIG(status)}"
    return f"ended {passed_text}"


def main() -> None:
    directory, model_url = Path(sys.argv[1]), sys.argv[2]
    for line in sys.stdin:
        name, fatal = line.split()
        print(fork_and_play(directory, name, int(fatal), model_url), flush=True)


if __name__ == "__main__":
    main()
