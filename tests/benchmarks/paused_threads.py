"""Starts Parley on databases with ten and with ten thousand paused threads: neither time nor memory may grow.

python -m tests.benchmarks.paused_threads [SMALL LARGE]
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agent.core.events import AnswersGiven, MessageReceived, ModelReplied
from agent.core.transcript import ToolCall
from agent.model.openai import OpenAIModel
from agent.ports import NoWatcher, ThreadKey
from agent.store.journal import Store
from agent.thinking import Thinker
from agent.threads import Threads
from agent.tools.ask_user_question import ASK_USER_QUESTION
from agent.tools.registry import Toolbox

ROUNDS = 7
CALL = ToolCall.numbered(
    *(1, 0, "ask_user_question"),
    json.dumps(
        {
            "questions": [
                {
                    "question": "Which database should the service use?",
                    "header": "Database",
                    "options": [
                        {"label": "SQLite", "description": "One file, nothing to run beside the service."},
                        {"label": "Postgres", "description": "A server, for several writers on several hosts."},
                    ],
                }
            ]
        }
    ),
)


def thread(number: int) -> ThreadKey:
    return ThreadKey(team="T1", channel="C1", root=f"{number}.000100")


async def fill(path: Path, count: int) -> None:
    """Threads that were really asked something, through the store."""
    store = await Store.open(f"sqlite:///{path}")

    async def pause(number: int) -> None:
        await store.append(thread(number), MessageReceived(text="Please set up the service for my team."))
        await store.append(thread(number), ModelReplied(turn=1, seen=1, calls=(CALL,), waits={CALL.id: "ask"}))

    for start in range(0, count, 500):
        await asyncio.gather(*(pause(number) for number in range(start, min(start + 500, count))))
    await store.close()


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def start(path: Path) -> None:
    """In a process of its own: from opening the database until everything unfinished goes on."""
    model = OpenAIModel(api_key="none", model="none", base_url="http://127.0.0.1:9/v1")
    began = time.perf_counter()
    store = await Store.open(f"sqlite:///{path}")
    thinker = Thinker(model, Toolbox([ASK_USER_QUESTION]))
    threads = Threads(store, thinker, NoWatcher(), sub_agents_at_once=1, sub_agent_calls=2)
    await threads.start()
    started = time.perf_counter() - began
    rss = resident()

    began = time.perf_counter()
    answered = await store.append(thread(5), AnswersGiven(call_id=CALL.id, answers={0: "SQLite"}))
    answering = time.perf_counter() - began
    print(json.dumps({"start_ms": started * 1e3, "rss_mb": rss / 1e6, "answer_ms": answering * 1e3}))
    assert answered
    await threads.close()
    await model.close()
    await store.close()


def measured(path: Path) -> dict[str, float]:
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    program = [sys.executable, "-m", "tests.benchmarks.paused_threads", "start", str(copy)]
    printed = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    for left in path.parent.glob("*.copy*"):
        left.unlink()
    result: dict[str, float] = json.loads(printed)
    return result


def main(small: int, large: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        paths = {count: Path(directory) / f"{count}.db" for count in (small, large)}
        for count, path in paths.items():
            asyncio.run(fill(path, count))
        runs: dict[int, list[dict[str, float]]] = {count: [] for count in paths}
        for _ in range(ROUNDS):  # in turns, so that the machine's moods fall on both
            for count, path in paths.items():
                runs[count].append(measured(path))
        sizes = {count: path.stat().st_size / count for count, path in paths.items()}
    medians = {
        count: {key: sorted(run[key] for run in results)[ROUNDS // 2] for key in results[0]}
        for count, results in runs.items()
    }
    print(f"{'paused threads':>15} {'start ms':>9} {'memory MB':>10} {'answer ms':>10} {'bytes each':>11}")
    for count, median in medians.items():
        print(
            f"{count:>15,} {median['start_ms']:>9.1f} {median['rss_mb']:>10.1f} "
            f"{median['answer_ms']:>10.2f} {sizes[count]:>11,.0f}"
        )
    ratio = {key: medians[large][key] / medians[small][key] for key in medians[large]}
    print(f"{'ratio':>15} {ratio['start_ms']:>9.2f} {ratio['rss_mb']:>10.2f} {ratio['answer_ms']:>10.2f}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["start", path]:
            asyncio.run(start(Path(path)))
        case [small, large]:
            main(int(small), int(large))
        case _:
            main(10, 10_000)
