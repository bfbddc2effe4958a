"""Several processes of Parley on one PostgreSQL, and one of them is killed or frozen, or the database goes away."""

import asyncio
import os
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agent import signals, turn
from agent.core.events import AnswersGiven, ModelReplied, ToolFinished
from agent.core.states import Idle
from agent.core.transitions import fold
from agent.ports import ThreadKey
from agent.store.journal import Store
from bot.playground.server import LocalSlack
from bot.playground.workspace import Message
from tests.support import scripted_model
from tests.support.cluster import Cluster, find_binaries
from tests.support.scripted_model import Hold, ScriptedModel, Step

THREADS = 30
PATIENCE = 60.0
WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL is installed here that could be started")
    cluster = Cluster(binaries)
    yield cluster
    cluster.close()


class Replica:
    """One `parley run`, and the number that it began with."""

    def __init__(self, process: asyncio.subprocess.Process, number: int) -> None:
        self.process, self.number = process, number

    def signal(self, which: signal.Signals) -> None:
        self.process.send_signal(which)


class Story:
    """Ann asks for something in a thread of its own, answers the form, and reads that it is done."""

    def __init__(self, team: "Team", name: str) -> None:
        self._team, self._slack, self._ann = team, team.slack, team.slack.people["ann"]
        self.name, self.answered, self.over = name, False, False
        self.channel = self._slack.channels["general"]
        self.ts = self._ann.mentions(self.channel, f"ship {name}")

    @property
    def key(self) -> ThreadKey:
        return ThreadKey(team=self._slack.team_id, channel=self.channel.id, root=self.ts)

    def shown(self) -> list[Message]:
        thread = self._slack.thread(self.channel, self.ts)
        return [message for message in thread if message.user == self._slack.bot_user_id]

    def _form(self) -> Message | None:
        return next((message for message in self.shown() if "Submit" in message.buttons), None)

    def _is_over(self) -> bool:
        return any(f"{self.name} is shipped." in message.words for message in self.shown()) and not self._form()

    async def play(self) -> None:
        form = await self._slack.until(self._form, PATIENCE)
        while form and not self.answered:
            self._ann.chooses(form, 1, "Production")
            self.answered = (await self._ann.clicks(form, "Submit")).acked
            form = self._form()
        self.answered = True
        await self._slack.until(self._is_over, PATIENCE)
        self.over = True


class Team:
    """Replicas on one database and one Slack."""

    def __init__(self, slack: LocalSlack, model: ScriptedModel, url: str, directory: Path) -> None:
        self.slack, self.model, self.url, self._directory = slack, model, url, directory
        self.effects = directory / "effects"
        self.effects.touch()
        self.replicas: list[Replica] = []
        self.stories: list[Story] = []

    async def grow(self) -> Replica:
        given = {
            "SLACK_BOT_TOKEN": self.slack.bot_token,
            "SLACK_APP_TOKEN": self.slack.app_token,
            "SLACK_API_URL": self.slack.api_url,
            "OPENAI_API_KEY": "test",
            "OPENAI_MODEL": "scripted",
            "OPENAI_BASE_URL": self.model.base_url,
            "DATABASE_URL": self.url,
            "PARLEY_TOOLS": "tests.crash.replica_tools:toolbox",
            "EFFECTS": str(self.effects),
        }
        before = self.living()
        with (self._directory / f"replica-{len(self.replicas)}.log").open("w") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", "run"), env=os.environ | given, stderr=log
            )
        self.replicas.append(Replica(process, 0))
        await self.slack.connected(2 * len(self.replicas), PATIENCE)
        [self.replicas[-1].number] = self.living() - before
        return self.replicas[-1]

    def ask(self, query: str) -> list[Any]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(query).fetchall()

    def living(self) -> set[int]:
        return {number for (number,) in self.ask(signals.LIVING)}

    def threads_of(self, replica: Replica) -> int:
        return int(self.ask(f"SELECT count(*) FROM threads WHERE runner = {replica.number}")[0][0])

    def work_of(self, replica: Replica) -> int:
        """How many threads of it are not paused and shown."""
        busy = "(seq > shown OR kind IN ('thinking', 'running_tools'))"
        return int(self.ask(f"SELECT count(*) FROM threads WHERE runner = {replica.number} AND {busy}")[0][0])

    def is_at_rest(self) -> bool:
        busy = "SELECT 1 FROM threads WHERE seq > shown OR kind IN ('thinking', 'running_tools')"
        return not self.ask(f"{busy} UNION ALL SELECT 1 FROM inbox WHERE body != ''")

    async def play(self, meanwhile: Callable[[], Any]) -> None:
        """All the stories at once; in the middle of them, something happens."""
        self.stories = [Story(self, f"parcel-{number}") for number in range(THREADS)]
        async with asyncio.TaskGroup() as group:
            for story in self.stories:
                group.create_task(story.play())
            await self.slack.until(self._is_half_way, PATIENCE)
            await meanwhile()
        await self.slack.until(self.is_at_rest, PATIENCE)

    def _is_half_way(self) -> bool:
        answered = sum(story.answered for story in self.stories)
        return answered >= THREADS // 3 and self.ask("SELECT count(*) FROM threads") == [(THREADS,)]

    async def end(self) -> None:
        for replica in self.replicas:
            if replica.process.returncode is None:
                replica.signal(signal.SIGTERM)
                assert await asyncio.wait_for(replica.process.wait(), 20) == 0

    async def check(self, most_repeated: int) -> None:
        store = await Store.open(self.url)
        try:
            for story in self.stories:
                self._check_slack(story)
                await self._check_journal(story, store)
        finally:
            await store.close()
        asked = Counter(_stage(request) for request in self.model.requests)
        assert max(asked.values()) <= 2, asked.most_common(3)
        assert sum(asked.values()) - 3 * len(self.stories) <= most_repeated

    def _check_slack(self, story: Story) -> None:
        words = [message.words for message in story.shown()]
        assert len(words) == 3, words
        assert "One question first." in words[0]
        assert "Production" in words[1]
        assert words[2] == f"{story.name} is shipped."

    async def _check_journal(self, story: Story, store: Store) -> None:
        events, state = await store.events(story.key), await store.state(story.key)
        assert isinstance(state, Idle)
        assert fold(events) == state
        assert sum(isinstance(event, AnswersGiven) for event in events) == 1
        assert sum(isinstance(event, ModelReplied) for event in events) == 3
        [result] = [event.content for event in events if isinstance(event, ToolFinished)]
        ran = self.effects.read_text().splitlines().count(story.name)
        assert ran == 1 or (ran == 0 and result == turn.CUT_OFF), story.name


def _name(body: dict[str, Any]) -> str:
    found = re.search(r"ship (parcel-\d+)", str(body["messages"]))
    assert found, body
    return found[1]


def _stage(body: dict[str, Any]) -> tuple[str, int]:
    return _name(body), sum(message["role"] == "assistant" for message in body["messages"])


def script(body: dict[str, Any]) -> Step:
    """By the conversation alone, so that a second request for a reply gets the same; and not at once."""
    name, stage = _stage(body)
    steps = (
        scripted_model.ask(WHERE, text="One question first."),
        scripted_model.call(("ship", {"what": name})),
        scripted_model.say(f"{name} is shipped."),
    )
    thought = asyncio.Event()
    asyncio.get_running_loop().call_later(random.uniform(0.05, 0.6), thought.set)
    opening, *rest = steps[stage].frames
    return Step((opening, Hold(thought), *rest))


@asynccontextmanager
async def team_of(size: int, url: str, directory: Path) -> AsyncIterator[Team]:
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(LocalSlack())
        model = await stack.enter_async_context(ScriptedModel())
        model.answers_with(script)
        team = Team(slack, model, url, directory)
        try:
            for _ in range(size):
                await team.grow()
            yield team
            await team.end()
        finally:
            for replica in team.replicas:
                if replica.process.returncode is None:
                    replica.process.kill()
                await replica.process.wait()


@pytest.mark.parametrize("size", [2, 3])
async def test_what_a_killed_replica_was_at_goes_on_elsewhere(
    cluster: Cluster, tmp_path: Path, size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    async with team_of(size, cluster.create(f"killed_{size}"), tmp_path) as team:
        victim, its = team.replicas[0], 0

        async def kill() -> None:
            nonlocal its
            its, left = team.threads_of(victim), team.work_of(victim)
            victim.signal(signal.SIGKILL)
            died = time.monotonic()
            await team.slack.until(lambda: team.work_of(victim) == 0, PATIENCE)
            with capsys.disabled():
                print(f"\nkilled, of {size}: {left} threads went on after {time.monotonic() - died:.2f} s")

        await team.play(kill)
        await team.check(most_repeated=its)


async def test_a_frozen_replica_is_replaced_and_does_no_harm_when_it_comes_back(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with team_of(3, cluster.create("frozen"), tmp_path) as team:
        victim, its = team.replicas[0], 0

        async def freeze() -> None:
            nonlocal its
            its, left = team.threads_of(victim), team.work_of(victim)
            victim.signal(signal.SIGSTOP)
            froze = time.monotonic()
            await team.slack.until(lambda: team.work_of(victim) == 0, PATIENCE)
            with capsys.disabled():
                print(f"\nfrozen: {left} threads went on after {time.monotonic() - froze:.2f} s")
            await team.slack.until(lambda: all(story.over for story in team.stories), PATIENCE)
            victim.signal(signal.SIGCONT)
            await team.slack.until(lambda: len(team.living()) == 3, PATIENCE)

        await team.play(freeze)
        await team.check(most_repeated=its)


async def test_everything_goes_on_after_the_database_was_away(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with team_of(2, cluster.create("restarted"), tmp_path) as team:

        async def restart() -> None:
            away = time.monotonic()
            await asyncio.to_thread(cluster.restart)
            back = time.monotonic()
            await team.slack.until(lambda: len(team.living()) == 2, PATIENCE)
            with capsys.disabled():
                print(f"\nrestarted: away for {back - away:.2f} s, and {time.monotonic() - back:.2f} s to come back")

        await team.play(restart)
        await team.check(most_repeated=THREADS)
