"""SIGKILL at every journal append, and inside every tool: after a restart the run ends as if nothing had happened."""

import asyncio
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent import prompts, turn
from agent.core.events import Event, ModelReplied, ToolFinished, ToolsStarted
from agent.core.transcript import Message
from agent.core.transitions import fold
from agent.store.journal import Store
from tests.crash.scenario import THREAD
from tests.support import scripted_model
from tests.support.scripted_model import ScriptedModel, Step

KEYS = [THREAD, *(THREAD.model_copy(update={"call_id": "000003000", "number": number}) for number in (0, 1))]

Lives = Callable[[str, int], Any]


def script(body: dict[str, Any]) -> Step:
    """The reply depends on the conversation alone, so a second request for it gets the same."""
    system, *said = body["messages"]
    replies = sum(message["role"] == "assistant" for message in said)
    if system["content"] == prompts.SUB_AGENT:
        return [
            scripted_model.call(("look", {"at": said[0]["content"]}), ("create", {"what": said[0]["content"]})),
            scripted_model.say(f"{said[0]['content']} is set up"),
        ][replies]
    return [
        scripted_model.ask(
            {"questions": [{"question": "Which database?", "options": ["SQLite", "Postgres"]}, {"question": "Where?"}]}
        ),
        scripted_model.call(("create", {"what": "one"}), ("look", {"at": "disk"}), ("create", {"what": "two"})),
        scripted_model.call(("spawn_agents", {"tasks": ["logs", "alerts"]}), text="Now the rest."),
        scripted_model.ask({"questions": [{"question": "When?", "options": ["today", "tomorrow"]}]}),
        scripted_model.say("All set up."),
    ][replies]


@pytest.fixture
async def model() -> Any:
    async with ScriptedModel() as model:
        model.answers_with(script)
        yield model


@pytest.fixture
async def live(tmp_path: Path, model: ScriptedModel) -> Any:
    """Runs one life of a process on a database; forks of one that has everything loaded, so that it is quick."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.crash.scenario", str(tmp_path), model.base_url),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout

    async def live(name: str, fatal: int) -> str:
        process.stdin.write(f"{name} {fatal}\n".encode())  # type: ignore[union-attr]
        return (await process.stdout.readline()).decode().strip()  # type: ignore[union-attr]

    yield live
    process.stdin.close()
    await process.wait()


class Life:
    """What the journal of a thread and its sub-agents holds after a life."""

    def __init__(self) -> None:
        self.messages: list[list[Message]] = []
        self.replies = 0
        self.started_only = 0

    def add(self, events: list[Event], messages: list[Message]) -> None:
        started = {call_id for event in events if isinstance(event, ToolsStarted) for call_id in event.call_ids}
        finished = {event.call_id for event in events if isinstance(event, ToolFinished)}
        self.messages.append(messages)
        self.replies += sum(isinstance(event, ModelReplied) for event in events)
        self.started_only += len(started - finished)


async def read(tmp_path: Path, name: str) -> Life:
    """What is on disk; and the journal of each thread amounts to the state beside it."""
    store = await Store.open(f"sqlite:///{tmp_path}/{name}.db")
    life = Life()
    for key in KEYS:
        events, conversation = await store.events(key), await store.conversation(key)
        assert fold(events) == conversation.state
        life.add(events, [each.message for each in conversation.placed])
    await store.close()
    return life


@pytest.mark.timeout(300)
async def test_a_process_killed_at_any_point_ends_as_an_undisturbed_one(
    tmp_path: Path, model: ScriptedModel, live: Lives, capsys: pytest.CaptureFixture[str]
) -> None:
    ended, count = (await live("undisturbed", 0)).split()
    assert ended == "ended"
    undisturbed = await read(tmp_path, "undisturbed")
    assert len(model.requests) == undisturbed.replies

    deaths: Counter[str] = Counter()
    for point in range(1, int(count) + 1):
        name = f"at-{point}"
        assert await live(name, point) == "died 9"
        death = (tmp_path / f"{name}.deaths").read_text().strip()
        deaths[death] += 1
        at_death = await read(tmp_path, name)

        model.requests.clear()
        assert (await live(name, 0)).startswith("ended"), death

        after = await read(tmp_path, name)
        cut_off = _count_cut_off(undisturbed, after, death)
        assert cut_off == at_death.started_only, death
        _check_tools_ran_once(tmp_path / f"{name}.effects", cut_off, death)
        # The model is asked again only for a reply that was never recorded.
        assert len(model.requests) == undisturbed.replies - at_death.replies, death

    with capsys.disabled():
        print(f"\n{count} kill points tried: {dict(deaths)}")


def _count_cut_off(undisturbed: Life, after: Life, death: str) -> int:
    """The conversations are the same to the letter, but that a tool which was cut off has an unknown outcome."""
    cut_off = 0
    for before_messages, after_messages in zip(undisturbed.messages, after.messages, strict=True):
        for was, now in zip(before_messages, after_messages, strict=True):
            if now != was:
                assert now == {**was, "content": turn.CUT_OFF}, death
                cut_off += 1
    return cut_off


def _check_tools_ran_once(effects: Path, cut_off: int, death: str) -> None:
    """Nothing took effect twice, and what did not take effect is what the model was told of."""
    expected = {"create one", "create two", "create logs", "create alerts"}
    ran = Counter(effects.read_text().splitlines())
    assert set(ran) <= expected, death
    assert set(ran.values()) == {1}, death
    assert len(expected - set(ran)) <= cut_off, death
