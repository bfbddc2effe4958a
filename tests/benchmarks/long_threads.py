"""How long a thread of 10 and of 400 messages takes to resume after an answer, apart from the model's own time.

python -m tests.benchmarks.long_threads
"""

import asyncio
import json
import socket
import tempfile
import time
from multiprocessing import Process, Value
from pathlib import Path
from statistics import median

from aiohttp import web

from agent.core.events import AnswersGiven, MessageReceived, ModelReplied
from agent.core.transcript import ToolCall
from agent.model.openai import OpenAIModel
from agent.ports import NoWatcher, ThreadKey
from agent.store.journal import Store
from agent.thinking import Thinker
from agent.threads import Threads
from agent.tools.ask_user_question import ASK_USER_QUESTION
from agent.tools.registry import Toolbox

SIZES = (10, 100, 400)
TIMES = 15
SAID = "Note for the thread: the deploy went out and the checks were green afterwards. " * 5
ASK = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


class Model:
    """Answers at once, in a process of its own, and tells how long it took for that and how many messages it saw."""

    def __init__(self) -> None:
        self.own, self.saw, self._port = Value("d"), Value("i"), Value("i")
        self._process = Process(target=self._run, daemon=True)

    def __enter__(self) -> "Model":
        self._process.start()
        while not self._port.value:
            time.sleep(0.01)  # a process that begins: there is nothing to be told by
        self.url = f"http://127.0.0.1:{self._port.value}/v1"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.join()

    def _run(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self._port.value = listening.getsockname()[1]
            application = web.Application(client_max_size=64 * 1024 * 1024)
            application.router.add_post("/v1/chat/completions", self._answer)
            web.run_app(application, sock=listening, print=None, access_log=None)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        began = time.perf_counter()
        body = json.loads(await request.read())
        self.saw.value = len(body["messages"])
        chunk = {"choices": [{"index": 0, "delta": {"content": "Shipped."}, "finish_reason": "stop"}]}
        text = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
        self.own.value = time.perf_counter() - began
        return web.Response(text=text, content_type="text/event-stream")


async def grown(store: Store, key: ThreadKey, size: int) -> ToolCall:
    """A thread of so many messages, the last of which asks."""
    turn = 0
    for _ in range(size // 2 - 1):
        turn += 1
        await store.append(key, MessageReceived(text=SAID))
        seen = (await store.state(key)).seq
        await store.append(key, ModelReplied(turn=turn, seen=seen, text=SAID))
    await store.append(key, MessageReceived(text=SAID))
    state = await store.state(key)
    call = ToolCall.numbered(state.replies + 1, 0, "ask_user_question", json.dumps(ASK))
    await store.append(key, ModelReplied(turn=turn + 1, seen=state.seq, calls=(call,), waits={call.id: "ask"}))
    return call


async def resumed(threads: Threads, model: Model, key: ThreadKey, call: ToolCall) -> tuple[float, float]:
    began = time.perf_counter()
    await threads.record(key, AnswersGiven(call_id=call.id, answers={0: "Staging"}))
    await threads.settled(key)
    return time.perf_counter() - began, model.own.value


async def measure(model: Model) -> None:
    client = OpenAIModel(api_key="none", model="none", base_url=model.url)
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(f"sqlite:///{Path(folder) / 'parley.db'}")
        thinker = Thinker(client, Toolbox([ASK_USER_QUESTION]))
        threads = Threads(store, thinker, NoWatcher(), sub_agents_at_once=1, sub_agent_calls=2)
        took: dict[int, list[float]] = {size: [] for size in SIZES}
        saw: dict[int, int] = {}
        for number in range(TIMES + 1):
            for size in SIZES:
                key = ThreadKey(team="T", channel="C", root=f"{size}.{number}")
                whole, own = await resumed(threads, model, key, await grown(store, key, size))
                if number:  # the first is a warm-up
                    took[size].append(whole - own)
                    saw[size] = model.saw.value
        await threads.close()
        await client.close()
        await store.close()
    base = median(took[SIZES[0]])
    print(f"{'messages':>9} {'the model saw':>14} {'resume ms':>10} {'ratio':>6}")
    for size in SIZES:
        print(f"{size:>9} {saw[size]:>14} {median(took[size]) * 1e3:>10.2f} {median(took[size]) / base:>6.2f}")


if __name__ == "__main__":
    with Model() as model:
        asyncio.run(measure(model))
