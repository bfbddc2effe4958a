"""Events appended to the journal, one after another and many at once, beside bare SQLite doing the same writes.

python -m tests.benchmarks.journal
"""

import asyncio
import sqlite3
import tempfile
import time
from pathlib import Path

from agent.core.events import MessageReceived
from agent.ports import ThreadKey
from agent.store.journal import Store

COUNT = 600


async def one_by_one(store: Store) -> float:
    began = time.perf_counter()
    for number in range(COUNT):
        await store.append(ThreadKey(team="T", channel="one", root=str(number)), MessageReceived(text="go"))
    return COUNT / (time.perf_counter() - began)


async def at_once(store: Store) -> float:
    began = time.perf_counter()
    await asyncio.gather(
        *(
            store.append(ThreadKey(team="T", channel="all", root=str(number)), MessageReceived(text="go"))
            for number in range(COUNT)
        )
    )
    return COUNT / (time.perf_counter() - began)


def bare(path: Path) -> float:
    """Two inserts and a commit each, as an append makes them, with nothing around it."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE threads (id INTEGER PRIMARY KEY, state TEXT)")
    connection.execute("CREATE TABLE journal (thread INTEGER, seq INTEGER, event TEXT, PRIMARY KEY (thread, seq))")
    began = time.perf_counter()
    for number in range(COUNT):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO threads VALUES (?, ?)", (number, '{"seq":1,"turn":1,"heard":1}'))
        connection.execute("INSERT INTO journal VALUES (?, 1, ?)", (number, '{"text":"go"}'))
        connection.execute("COMMIT")
    took = time.perf_counter() - began
    connection.close()
    return COUNT / took


async def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        floor = bare(Path(directory) / "bare.db")
        store = await Store.open(f"sqlite:///{directory}/parley.db")
        one, many = await one_by_one(store), await at_once(store)
        await store.close()
    print(f"{'events per second':>22} {'rate':>8} {'to bare SQLite':>15}")
    for name, rate in (("bare SQLite", floor), ("one after another", one), ("all at once", many)):
        print(f"{name:>22} {rate:>8,.0f} {rate / floor:>15.2f}")


if __name__ == "__main__":
    asyncio.run(main())
