"""Parley in its own process, Slack and the model in this one: cycles of ask, submit and reply, steady and all at once.

python -m tests.benchmarks.slack [PER_SECOND SECONDS AT_ONCE]
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.playground.server import LocalSlack
from bot.playground.workspace import Channel, Message
from tests.support import scripted_model
from tests.support.scripted_model import ScriptedModel, Step

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}
ASIDE = ("assistant.", "agents.", "chat.startStream", "chat.appendStream", "chat.stopStream")
PATIENCE = 60.0


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

    def __init__(self, slack: LocalSlack, model: ScriptedModel, pid: int) -> None:
        self.slack, self.pid = slack, pid
        self._ann = slack.people["ann"]
        self._channels = [slack.add_channel(f"team-{number}", [self._ann]) for number in range(20)]
        self._cycles: dict[str, Cycle] = {}
        self._seen = 0
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

    async def report(self, name: str, seconds: float, before: "Usage") -> None:
        """Also checks that nothing was lost or doubled."""
        cycles = list(self._cycles.values())
        for cycle in cycles:
            await self.slack.until(lambda: not any(m.buttons for m in self._shown(cycle)), seconds=PATIENCE)  # noqa: B023
            assert len(self._shown(cycle)) == 2, "a message was lost or doubled"
        used = Usage.of(self.pid)
        calls = Counter(call.method for call in self.slack.calls)
        shown = {method: count for method, count in calls.items() if not method.startswith(ASIDE)}
        aside = sum(calls.values()) - sum(shown.values())
        print(f"{name}: {len(cycles)} cycles, none lost, {len(cycles) / seconds:.1f} per second")
        print(f"  click to ack:           {_spread([cycle.acked_after for cycle in cycles])}")
        print(f"  click to model resumed: {_spread([cycle.resumed_after for cycle in cycles])}")
        each = ", ".join(f"{method} {count / len(cycles):.2f}" for method, count in sorted(shown.items()))
        print(f"  Slack calls per cycle:  {sum(shown.values()) / len(cycles):.2f} ({each})")
        print(f"                          and {aside / len(cycles):.2f} for status, session and streams")
        per_cycle = (used.cpu - before.cpu) / len(cycles) * 1000
        print(
            f"  Parley: {used.cpu - before.cpu:.1f} s of CPU, {per_cycle:.0f} ms per cycle; {used.peak_mb} MB at most"
        )


@dataclass(frozen=True)
class Usage:
    cpu: float
    peak_mb: int

    @classmethod
    def of(cls, pid: int) -> "Usage":
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks = int(fields[11]) + int(fields[12])
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        return cls(ticks / os.sysconf("SC_CLK_TCK"), int(status["VmHWM"].split()[0]) // 1024)


def _spread(seconds: list[float]) -> str:
    half, most = statistics.median(seconds), statistics.quantiles(seconds, n=100)[98]
    return f"p50 {half * 1000:.1f} ms, p99 {most * 1000:.1f} ms, at most {max(seconds) * 1000:.1f} ms"


@asynccontextmanager
async def parley(directory: Path) -> AsyncIterator[Bench]:
    async with LocalSlack() as slack, ScriptedModel() as model:
        environment = {
            "SLACK_BOT_TOKEN": slack.bot_token,
            "SLACK_APP_TOKEN": slack.app_token,
            "SLACK_API_URL": slack.api_url,
            "OPENAI_API_KEY": "test",
            "OPENAI_MODEL": "scripted",
            "OPENAI_BASE_URL": model.base_url,
            "DATABASE_URL": f"sqlite:///{directory}/parley.db",
            "PARLEY_LOG_LEVEL": "warning",
        }
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run"),
            env=os.environ | environment,
            stdout=sys.stderr,
        )
        await slack.connected(2, seconds=PATIENCE)
        bench = Bench(slack, model, process.pid)
        watching = asyncio.create_task(bench.watch())
        try:
            yield bench
        finally:
            watching.cancel()
            process.terminate()
            await process.wait()


async def steady(bench: Bench, per_second: float, seconds: float) -> None:
    before, began = Usage.of(bench.pid), time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(int(per_second * seconds)):
            await asyncio.sleep(max(0.0, began + number / per_second - time.perf_counter()))
            group.create_task(bench.whole(number))
    await bench.report(f"{per_second:.0f} started per second", time.perf_counter() - began, before)


async def burst(bench: Bench, count: int) -> None:
    """All mention at once; and when all forms are there, all submit at once."""
    before, began = Usage.of(bench.pid), time.perf_counter()
    cycles = await asyncio.gather(*(bench.mention(number) for number in range(count)))
    await asyncio.gather(*(bench.answer(cycle) for cycle in cycles))
    await bench.report(f"{count} threads at once", time.perf_counter() - began, before)


async def main(per_second: float = 20, seconds: float = 10, at_once: float = 200) -> None:
    for run in (lambda bench: steady(bench, per_second, seconds), lambda bench: burst(bench, int(at_once))):
        with tempfile.TemporaryDirectory() as directory:
            async with parley(Path(directory)) as bench:
                await run(bench)


if __name__ == "__main__":
    asyncio.run(main(*(float(argument) for argument in sys.argv[1:4])))
