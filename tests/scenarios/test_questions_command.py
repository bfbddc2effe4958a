"""`parley questions` beside a running Parley: it sees what is open, and can cancel it."""

import asyncio
import json
import os
import sys

import pytest

from agent.core.events import AskCancelled
from agent.ports import ThreadKey
from agent.store.journal import Store
from bot import questions
from tests.support.slack_world import SlackWorld


@pytest.fixture
def world(slack_world: SlackWorld, database_url: str) -> SlackWorld:
    slack_world.database_url = database_url
    return slack_world


pytestmark = pytest.mark.parametrize("slack_world", ["sockets"], indirect=True)


async def parley(world: SlackWorld, *arguments: str) -> tuple[int | None, str]:
    """The command as a process of its own; what it says, on whichever stream."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "questions", *arguments),
        env=os.environ | {"DATABASE_URL": world.database_url},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await asyncio.wait_for(process.communicate(), 30)
    return process.returncode, said.decode().strip()


async def listed(world: SlackWorld, *options: str) -> list[dict[str, object]]:
    code, said = await parley(world, "--json", *options)
    assert code == 0
    found: list[dict[str, object]] = json.loads(said)
    return found


async def asked(world: SlackWorld, what: str) -> str:
    world.model.will_ask({"questions": [{"question": what, "options": ["Yes", "No"]}]})
    ts = world.person().mentions(world.general, "do it")
    await written_down(world, ts)
    return ts


async def written_down(world: SlackWorld, ts: str) -> None:
    """Wait until it is known that the form stands in the thread: that is a moment after it does."""
    given = {"newest_first": False, "most": 100, "as_json": True, "now": 0.0}
    await world.form(ts)
    async with asyncio.timeout(10):
        while ts not in await asyncio.to_thread(questions.listing, world.database_url, **given):  # type: ignore[arg-type]
            continue


async def test_what_is_open_is_listed_while_parley_runs(world: SlackWorld) -> None:
    await world.start()
    first = await asked(world, "Where to?")
    world.model.will_call(("confirm_action", {"action": "deploy"}))
    second = world.person().mentions(world.general, "then deploy")
    await written_down(world, second)

    found = await listed(world)

    assert [(one["kind"], one["thread"]) for one in found] == [("question", first), ("approval", second)]
    assert (found[0]["title"], found[0]["channel"]) == ("Where to?", world.general.id)
    assert [one["id"] for one in await listed(world, "--newest-first", "--most", "1")] == [found[1]["id"]]
    code, table = await parley(world)
    assert code == 0
    assert table.startswith("AGE")
    assert "Where to?" in table
    assert str(found[0]["id"]) in table


async def test_a_running_parley_carries_a_cancelling_out_and_the_thread_says_by_whom(world: SlackWorld) -> None:
    await world.start()
    ts = await asked(world, "Where to?")
    [question] = await listed(world)

    assert await parley(world, "cancel", str(question["id"])) == (0, questions.CANCELLED)

    await world.says("Cancelled by the operator.", ts)
    assert world.forms(ts) == []
    assert await listed(world) == []
    code, said = await parley(world, "cancel", str(question["id"]))
    assert (code, said.startswith("parley: No open question has the id ")) == (1, True)


async def test_one_that_is_stopped_carries_it_out_when_it_starts(world: SlackWorld) -> None:
    await world.start()
    ts = await asked(world, "Where to?")
    await world.stop()
    [question] = await listed(world)

    assert await parley(world, "cancel", str(question["id"])) == (0, questions.LEFT)
    assert len(await listed(world)) == 1
    await world.start()

    await world.says("Cancelled by the operator.", ts)


async def test_what_is_ordered_twice_is_done_once(world: SlackWorld) -> None:
    await world.start()
    ts = await asked(world, "Where to?")
    [question] = await listed(world)
    await world.stop()
    await parley(world, "cancel", str(question["id"]))
    await parley(world, "cancel", str(question["id"]))

    await world.start()
    await world.says("Cancelled by the operator.", ts)
    await world.stop()

    store = await Store.open(world.database_url)
    try:
        events = await store.events(ThreadKey(team=str(question["team"]), channel=world.general.id, root=ts))
    finally:
        await store.close()
    assert [event.by.name for event in events if isinstance(event, AskCancelled)] == ["the operator"]
