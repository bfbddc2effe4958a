"""Parley in its own process, Slack and the model in this one: cycles of ask, submit and reply, steady and all at once.

python -m tests.benchmarks.slack [PER_SECOND SECONDS AT_ONCE]
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bot.playground.server import LocalSlack
from bot.playground.workspace import Channel, Message
from tests.benchmarks.process import PATIENCE, Parley, Usage
from tests.support import postgres, scripted_model
from tests.support.scripted_model import ScriptedModel, Step

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}
ASIDE = ("assistant.", "agents.", "chat.startStream", "chat.appendStream", "chat.stopStream")
PURPOSE = {
    "chat.postMessage": "the form, and the reply",
    "chat.update": "the form becomes the receipt",
    "users.info": "who it is that answers; kept for five minutes",
    "conversations.info": "whether Parley is in the channel; kept for an hour",
}


@dataclass
class Cycle:
    """One thread, from the mention to the reply."""

    channel: Channel
    ts: str = ""
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    replied: asyncio.Event = field(default_factory=asyncio.Event)
    clicked_at: float = 0.0
    acked_after: float = 0.0
    resumed_after: float = 0.0


class Bench:
    """People in a Slack of 20 channels, who mention Parley, answer its question and read its reply."""

    def __init__(self, slack: LocalSlack, model: ScriptedModel, parley: Parley) -> None:
        self.slack, self.parley = slack, parley
        self._ann = slack.people["ann"]
        self._channels = [slack.add_channel(f"team-{number}", [self._ann]) for number in range(20)]
        self._cycles: dict[str, Cycle] = {}
        self._seen = 0
        self._committed = 0.0
        model.answers_with(self._answer)

    async def watch(self) -> None:
        """Tell each cycle when its form and its reply are there, at the cost of one look at each call."""
        while True:
            await self.slack.core.next_change(at_most=1.0)
            calls, self._seen = self.slack.calls[self._seen :], len(self.slack.calls)
            for call in calls:
                cycle = self._cycles.get(str(call.args.get("thread_ts")))
                if cycle and call.method == "chat.postMessage" and call.ok:
                    (cycle.replied if "Shipped" in call.args["text"] else cycle.asked).set()

    async def begin(self) -> Usage:
        """What was used before the first cycle."""
        self._committed = await self.parley.commits()
        return self.parley.usage

    async def mention(self, number: int) -> Cycle:
        cycle = Cycle(self._channels[number % len(self._channels)])
        cycle.ts = self._ann.mentions(cycle.channel, f"ship number {number}")
        self._cycles[cycle.ts] = cycle
        async with asyncio.timeout(PATIENCE):
            await cycle.asked.wait()
        return cycle

    async def answer(self, cycle: Cycle) -> None:
        form = next(message for message in self._shown(cycle) if "Submit" in message.buttons)
        self._ann.chooses(form, 1, "Production")
        cycle.clicked_at = time.perf_counter()
        outcome = await self._ann.clicks(form, "Submit")
        cycle.acked_after = time.perf_counter() - cycle.clicked_at
        assert outcome.acked, f"a click was lost: {outcome.error}"
        async with asyncio.timeout(PATIENCE):
            await cycle.replied.wait()

    async def whole(self, number: int) -> None:
        await self.answer(await self.mention(number))

    def _shown(self, cycle: Cycle) -> list[Message]:
        thread = self.slack.thread(cycle.channel, cycle.ts)
        return [message for message in thread if message.user == self.slack.bot_user_id]

    def _answer(self, body: dict[str, Any]) -> Step:
        messages = body["messages"]
        if not any(message["role"] == "tool" for message in messages):
            return scripted_model.ask(WHERE)
        now = time.perf_counter()
        number = int(str(messages[1]["content"]).rsplit(" ", 1)[1])
        cycle = list(self._cycles.values())[number]
        cycle.resumed_after = now - cycle.clicked_at
        return scripted_model.say(f"Shipped number {number}.")

    async def report(self, name: str, seconds: float, before: Usage) -> None:
        """Also checks that nothing was lost or doubled."""
        cycles = list(self._cycles.values())
        for cycle in cycles:
            await self.slack.until(lambda: not any(m.buttons for m in self._shown(cycle)), seconds=PATIENCE)  # noqa: B023
            assert len(self._shown(cycle)) == 2, "a message was lost or doubled"
        used = self.parley.usage
        calls = Counter(call.method for call in self.slack.calls)
        shown = {method: count for method, count in calls.items() if not method.startswith(ASIDE)}
        aside = sum(calls.values()) - sum(shown.values())
        print(f"{name}: {len(cycles)} cycles, none lost, {len(cycles) / seconds:.1f} per second")
        print(f"  click to ack:           {_spread([cycle.acked_after for cycle in cycles])}")
        print(f"  click to model resumed: {_spread([cycle.resumed_after for cycle in cycles])}")
        print(f"  Slack calls per cycle:  {sum(shown.values()) / len(cycles):.2f}")
        for method, count in sorted(shown.items()):
            print(f"    {count / len(cycles):.2f} {method}: {PURPOSE.get(method, 'at the start')}")
        print(f"    and {aside / len(cycles):.2f} for status, session and streams")
        commits = (await self.parley.commits() - self._committed) / len(cycles)
        print(f"  database commits per cycle: {commits:.2f}")
        per_cycle = (used.cpu - before.cpu) / len(cycles) * 1000
        grown = (used.now_mb - before.now_mb) / len(cycles) * 1024
        print(
            f"  Parley: {per_cycle:.1f} ms of CPU per cycle; {used.peak_mb:.0f} MB at most, "
            f"{used.now_mb:.0f} MB afterwards ({grown:+.1f} KB per thread)"
        )


def _spread(seconds: list[float]) -> str:
    half, most = statistics.median(seconds), statistics.quantiles(seconds, n=100)[98]
    return f"p50 {half * 1000:.1f} ms, p99 {most * 1000:.1f} ms, at most {max(seconds) * 1000:.1f} ms"


@asynccontextmanager
async def benched(database_url: str) -> AsyncIterator[Bench]:
    async with (
        LocalSlack() as slack,
        ScriptedModel() as model,
        Parley.running(slack, model, database_url) as parley,
    ):
        bench = Bench(slack, model, parley)
        watching = asyncio.create_task(bench.watch())
        try:
            yield bench
        finally:
            watching.cancel()


async def steady(bench: Bench, per_second: float, seconds: float) -> None:
    before, began = await bench.begin(), time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(int(per_second * seconds)):
            await asyncio.sleep(max(0.0, began + number / per_second - time.perf_counter()))
            group.create_task(bench.whole(number))
    await bench.report(f"{per_second:.0f} started per second", time.perf_counter() - began, before)


async def burst(bench: Bench, count: int) -> None:
    """All mention at once; and when all forms are there, all submit at once."""
    before, began = await bench.begin(), time.perf_counter()
    cycles = await asyncio.gather(*(bench.mention(number) for number in range(count)))
    await asyncio.gather(*(bench.answer(cycle) for cycle in cycles))
    await bench.report(f"{count} threads at once", time.perf_counter() - began, before)


async def main(per_second: float = 20, seconds: float = 10, at_once: float = 200) -> None:
    runs = (lambda bench: steady(bench, per_second, seconds), lambda bench: burst(bench, int(at_once)))
    for run in runs:
        with tempfile.TemporaryDirectory() as directory:
            print("SQLite, ", end="")
            async with benched(f"sqlite:///{directory}/parley.db") as bench:
                await run(bench)
    for run in runs if postgres.SERVER else ():
        await asyncio.to_thread(postgres.make_template)
        with postgres.fresh_database() as url:
            print("PostgreSQL, ", end="")
            async with benched(url) as bench:
                await run(bench)
    if not postgres.SERVER:
        print("PARLEY_TEST_POSTGRES is not set: not measured on PostgreSQL")


if __name__ == "__main__":
    asyncio.run(main(*(float(argument) for argument in sys.argv[1:4])))
