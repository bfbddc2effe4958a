"""Parley in Slack on databases with few and with very many paused threads: nothing that people notice may grow.

python -m tests.benchmarks.paused_threads [FEW MANY]
"""

import asyncio
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bot.playground.server import LocalSlack
from tests.benchmarks.process import Parley
from tests.support import scripted_model
from tests.support.scripted_model import ScriptedModel, Step

ROUNDS = 5
QUESTION = {
    "question": "Which database should the service use?",
    "header": "Database",
    "options": [
        {"label": "SQLite", "description": "One file, nothing to run beside the service."},
        {"label": "Postgres", "description": "A server, for several writers on several hosts."},
    ],
}
TABLES = ("threads", "journal", "cards")


@dataclass(frozen=True)
class Run:
    connected_ms: float
    memory_mb: float
    resumed_ms: float
    replied_ms: float


async def measured(folder: Path, count: int) -> tuple[Run, float]:
    """One thread is really asked something, and copied as often as need be; then Parley is started, and answered."""
    database = folder / "parley.db"
    resumed = asyncio.Event()

    def answer(body: dict[str, Any]) -> Step:
        if not any(message["role"] == "tool" for message in body["messages"]):
            return scripted_model.ask({"questions": [QUESTION]})
        resumed.set()
        return scripted_model.say("Shipped.")

    async with LocalSlack() as slack, ScriptedModel() as model:
        model.answers_with(answer)
        ann = slack.people["ann"]
        general = slack.channels["general"]
        async with Parley.running(slack, model, f"sqlite:///{database}"):
            ts = ann.mentions(general, "Please set up the service for my team.")
            await slack.until(lambda: [m for m in slack.thread(general, ts) if m.buttons], 30)
        multiply(database, count)
        size = database.stat().st_size / count
        began = time.perf_counter()
        async with Parley.running(slack, model, f"sqlite:///{database}") as parley:
            connected = time.perf_counter() - began
            await asyncio.sleep(1)  # until everything that starts has started
            memory = parley.usage.now_mb
            [form] = [m for m in slack.thread(general, ts) if m.buttons]
            ann.chooses(form, 1, "SQLite")
            clicked = time.perf_counter()
            await asyncio.gather(ann.clicks(form, "Submit"), asyncio.wait_for(resumed.wait(), 30))
            resumed_after = time.perf_counter() - clicked
            await slack.until(lambda: [m for m in slack.thread(general, ts) if "Shipped." in m.text], 30)
            replied_after = time.perf_counter() - clicked
    return Run(connected * 1e3, memory, resumed_after * 1e3, replied_after * 1e3), size


def multiply(database: Path, count: int) -> None:
    """Copies of the one thread under other roots, with its journal and its open card."""
    with closing(sqlite3.connect(database)) as connection:
        [(first,)] = connection.execute("SELECT id FROM threads").fetchall()
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :most) "
        for table in TABLES:
            columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
            key = "id" if table == "threads" else "thread_id"
            taken = {key: f"{key} + i", "root": "printf('%d.000100', i)", "ts": "printf('%d.000200', i)"}
            values = ", ".join(taken.get(name, name) for name in columns)
            copies = f"SELECT {values} FROM {table}, n WHERE {key} = :first"
            given = {"most": max(count - 1, 1), "first": first}
            connection.execute(f"INSERT INTO {table} ({', '.join(columns)}) {numbers} {copies}", given)
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


async def main(few: int, many: int) -> None:
    runs: dict[int, list[Run]] = {few: [], many: []}
    sizes: dict[int, float] = {}
    for _ in range(ROUNDS):  # in turns, so that the machine's moods fall on both
        for count, results in runs.items():
            with tempfile.TemporaryDirectory() as folder:
                run, sizes[count] = await measured(Path(folder), count)
                results.append(run)
    medians = {count: _median(results) for count, results in runs.items()}
    heads = {"connected_ms": 13, "memory_mb": 10, "resumed_ms": 18, "replied_ms": 12}
    names = ("connected ms", "memory MB", "click to model ms", "to reply ms")
    print(
        f"{'paused threads':>15}",
        *(f"{name:>{width}}" for name, width in zip(names, heads.values(), strict=True)),
        "bytes each",
    )
    for count, found in medians.items():
        print(
            f"{count:>15,}", *(f"{found[key]:>{width}.1f}" for key, width in heads.items()), f"{sizes[count]:>10,.0f}"
        )
    ratios = (f"{medians[many][key] / medians[few][key]:>{width}.2f}" for key, width in heads.items())
    print(f"{'ratio':>15}", *ratios)


def _median(results: list[Run]) -> dict[str, float]:
    return {key: median(asdict(run)[key] for run in results) for key in asdict(results[0])}


if __name__ == "__main__":
    asyncio.run(main(*(map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (100, 100_000))))
