"""SIGKILL at every point from a mention to the last reply: after a restart the thread ends as it would have."""

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.core.events import AnswersGiven, ModelReplied
from agent.core.states import Idle
from agent.core.transitions import fold
from agent.ports import ThreadKey
from agent.store.journal import Store
from bot.playground.people import Person
from bot.playground.server import LocalSlack
from bot.playground.socket import ACK_SECONDS
from bot.playground.workspace import Message
from tests.support import scripted_model
from tests.support.scripted_model import Hold, ScriptedModel, Step

MOST_POINTS = 90
AT_ONCE = 3
WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}
LONG = "\n\n".join(f"Part {number}: " + "shipped " * 120 for number in range(14))  # two messages


class Lives:
    """Processes of Parley on one Slack, one after the other."""

    def __init__(self, directory: Path, slack: LocalSlack, model: ScriptedModel, process: asyncio.subprocess.Process):
        self.directory, self.slack, self._model, self._process = directory, slack, model, process

    async def begin(self, name: str, fatal: int = 0) -> int:
        assert self._process.stdin
        line = f"{name} {fatal} {self.slack.api_url} {self._model.base_url}\n"
        self._process.stdin.write(line.encode())
        return int(await self._next_line())

    async def end(self) -> str:
        """How it ended, as soon as it has; by then Slack knows that it is gone."""
        ended = await self._next_line()
        await self.slack.until(lambda: not self.slack.core.hub.open)
        self.slack.clock.advance(ACK_SECONDS)
        return ended

    async def _next_line(self) -> str:
        assert self._process.stdout
        async with asyncio.timeout(60):
            return (await self._process.stdout.readline()).decode().strip()


class Story:
    """Someone mentions Parley, fills in its form, and reads the reply."""

    def __init__(self, lives: Lives, ann: Person) -> None:
        self._lives, self._slack, self._ann = lives, lives.slack, ann
        self.channel = self._slack.channels["general"]
        self.ts = ann.mentions(self.channel, "ship it")

    def key(self) -> ThreadKey:
        return ThreadKey(team=self._slack.team_id, channel=self.channel.id, root=self.ts)

    def shown(self) -> list[Message]:
        thread = self._slack.thread(self.channel, self.ts)
        return [message for message in thread if message.user == self._slack.bot_user_id]

    def form(self) -> Message | None:
        return next((message for message in self.shown() if "Submit" in message.buttons), None)

    def is_over(self) -> bool:
        """The last part is there, and nothing is being written any more."""
        shown = self.shown()
        writing = any(message.stream and not message.stream.ended for message in shown)
        return bool(shown) and "Part 13" in shown[-1].words and not writing and not self.form()

    async def is_answered(self) -> None:
        """Ann clicks until Slack tells her that it went through, or until there is nothing left to click."""
        form = await self._slack.until(self.form, seconds=20)
        while form:
            await self._slack.connected()
            assert isinstance(form, Message)
            self._ann.chooses(form, 1, "Production")
            if (await self._ann.clicks(form, "Submit")).acked:
                return
            form = self.form()


def script(body: dict[str, Any], streaming: asyncio.Event) -> Step:
    """The reply depends on the conversation alone, so a second request for it gets the same."""
    if not any(message["role"] == "assistant" for message in body["messages"]):
        return scripted_model.ask(WHERE, text="One question first.")
    streaming.clear()
    opening, *words, finish, done = scripted_model.say(LONG, 8).frames
    return Step((opening, *words[:2], Hold(streaming), *words[2:], finish, done))


async def let_it_write_on(slack: LocalSlack, streaming: asyncio.Event) -> None:
    """The model goes on with a reply once the beginning of it can be seen."""
    seen = 0
    while True:
        await slack.until(lambda: len(slack.called("chat.startStream")) > seen, seconds=600)  # noqa: B023
        seen = len(slack.called("chat.startStream"))
        streaming.set()


@asynccontextmanager
async def lives_in(directory: Path) -> AsyncIterator[Lives]:
    async with LocalSlack() as slack, ScriptedModel() as model:
        streaming = asyncio.Event()
        model.answers_with(lambda body: script(body, streaming))

        watching = asyncio.create_task(let_it_write_on(slack, streaming))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.crash.slack_process", str(directory)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            yield Lives(directory, slack, model, process)
            assert process.stdin
            process.stdin.close()
            await process.wait()
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)  # and the life that it forked
                await process.wait()
            watching.cancel()


@contextmanager
def accounted_for(directory: Path, name: str) -> Iterator[None]:
    """When it takes too long, where that life died is said, and what it logged last."""
    try:
        yield
    except TimeoutError as error:
        told = {kind: directory / f"{name}.{kind}" for kind in ("death", "log")}
        death, log = (path.read_text() if path.exists() else "" for path in told.values())
        last = "\n".join(log.splitlines()[-20:])
        raise AssertionError(f"{name} took too long; it died {death or 'nowhere'}, and logged last:\n{last}") from error


async def undisturbed(lives: Lives, name: str) -> tuple[list[str], int]:
    """What the thread shows in the end, and how many points there were to die at."""
    with accounted_for(lives.directory, name):
        pid = await lives.begin(name)
        story = Story(lives, lives.slack.people["ann"])
        await story.is_answered()
        await lives.slack.until(story.is_over)
        os.kill(pid, signal.SIGTERM)
        ended, passed = (await lives.end()).split()
    assert ended == "ended"
    return [message.words for message in story.shown()], int(passed)


async def killed(lives: Lives, point: int, expected: list[str]) -> str:
    """One life that dies at this point, and one that ends the story; where it died."""
    name, directory = f"at-{point}", lives.directory
    shutil.copy(directory / "template.db", directory / f"{name}.db")
    with accounted_for(directory, name):
        story, death = await told_to_the_end(lives, name, point)
    assert [message.words for message in story.shown()] == expected, death
    await check_journal(directory, name, story.key(), death)
    return death


async def told_to_the_end(lives: Lives, name: str, point: int) -> tuple[Story, str]:
    pid = await lives.begin(name, point)
    story = Story(lives, lives.slack.people["ann"])
    answering = asyncio.create_task(story.is_answered())
    over = asyncio.create_task(lives.slack.until(story.is_over, seconds=20))
    dying = asyncio.create_task(lives.end())
    await asyncio.wait({over, dying}, return_when=asyncio.FIRST_COMPLETED)
    if not dying.done():  # it passed fewer points than the undisturbed one: then it lives on
        over.result()
        os.kill(pid, signal.SIGTERM)
    if (await dying).startswith("ended"):
        death = "not reached"
    else:
        death = (lives.directory / f"{name}.death").read_text()
        pid = await lives.begin(name)
        await over
        await lives.slack.connected(2)
        await lives.slack.until(lambda: is_settled(lives.directory / f"{name}.db"))
        os.kill(pid, signal.SIGTERM)
        assert (await lives.end()).startswith("ended"), death
    await answering
    return story, death


def is_settled(database: Path) -> bool:
    """Everything that came in is dealt with, and everything that happened is shown."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        unshown = connection.execute("SELECT count(*) FROM threads WHERE seq > shown").fetchone()[0]
        waiting = connection.execute("SELECT count(*) FROM inbox WHERE body != ''").fetchone()[0]
    return not unshown and not waiting


async def check_journal(directory: Path, name: str, key: ThreadKey, death: str) -> None:
    store = await Store.open(f"sqlite:///{directory}/{name}.db")
    events, state = await store.events(key), await store.state(key)
    await store.close()
    assert isinstance(state, Idle), death
    assert fold(events) == state, death
    assert sum(isinstance(event, AnswersGiven) for event in events) == 1, death
    assert sum(isinstance(event, ModelReplied) for event in events) == 2, death


@pytest.mark.timeout(300)
async def test_a_process_killed_at_any_point_leaves_the_thread_as_an_undisturbed_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = await Store.open(f"sqlite:///{tmp_path}/template.db")
    await store.close()
    deaths: Counter[str] = Counter()
    async with lives_in(tmp_path) as lives:
        expected, count = await undisturbed(lives, "undisturbed")
    chosen = sorted({round(1 + n * (count - 1) / (MOST_POINTS - 1)) for n in range(MOST_POINTS)})
    points = iter(chosen)

    async def work() -> None:
        async with lives_in(tmp_path) as lives:
            for point in points:
                deaths[await killed(lives, point, expected)] += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(work())

    with capsys.disabled():
        print(f"\n{len(chosen)} of {count} kill points tried: {dict(deaths)}")
    assert len(expected) == 4
    assert deaths["not reached"] <= len(chosen) // 5
