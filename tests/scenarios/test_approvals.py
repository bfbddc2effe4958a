"""Before something risky happens, people see exactly what, and approve or deny it."""

from typing import Any

from bot.playground.workspace import Message, View
from tests.support.slack_world import SlackWorld

TOOLS = "tests.support.slack_tools:toolbox"
DROP = {"action": "Drop the table <!channel>", "details": "table: users\nrows: 12"}


def wiping(**arguments: str) -> tuple[str, dict[str, Any]]:
    return "wipe", {"disk": "sda", **arguments}


async def card(world: SlackWorld, *calls: tuple[str, dict[str, Any]]) -> tuple[str, Message]:
    world.model.will_call(*calls)
    ts = world.person("ann").mentions(world.general, "clean up")
    return ts, await world.form(ts)


async def modal(world: SlackWorld, name: str) -> View:
    found = await world.slack.until(lambda: world.slack.modal(world.person(name)))
    assert found
    return found


async def test_an_action_is_shown_to_the_letter_and_approved(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ben = world.person("ben")
    ts, shown = await card(world, ("confirm_action", DROP))
    world.model.will_say("Dropped.")

    assert shown.buttons == ["Approve", "Deny"]
    assert all(words in shown.words for words in ("Drop the table <!channel>", "table: users\nrows: 12"))
    await ben.clicks(shown, "Approve")

    await world.says("Dropped.", ts)
    assert world.result() == {"approved": True, "decided_by": "ben"}
    await world.says("✓ Approved by ben", ts)
    assert world.forms(ts) == []


async def test_a_denial_carries_the_reason_that_was_written_for_the_model(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ben = world.person("ben")
    ts, shown = await card(world, ("confirm_action", DROP))
    world.model.will_say("Then not.")

    ben.types(shown, 1, "not on a Friday")
    outcome = await ben.clicks(shown, "Deny")

    assert outcome.acked
    await world.says("Then not.", ts)
    assert world.result() == {"approved": False, "decided_by": "ben", "reason": "not on a Friday"}
    assert "not on a Friday" in (await world.says("✕ Denied by ben", ts)).words


async def test_the_reason_may_be_left_out(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    ts, shown = await card(world, ("confirm_action", DROP))
    world.model.will_say("Then not.")

    await ann.clicks(shown, "Deny")

    await world.says("Then not.", ts)
    assert world.result() == {"approved": False, "decided_by": "ann"}


async def test_what_was_written_as_a_reason_does_not_go_with_an_approval(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    ts, shown = await card(world, ("confirm_action", DROP))
    world.model.will_say("Dropped.")

    ann.types(shown, 1, "hm, well")
    await ann.clicks(shown, "Approve")

    await world.says("Dropped.", ts)
    assert world.result() == {"approved": True, "decided_by": "ann"}


async def test_a_tool_runs_only_once_it_is_approved(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_tools=TOOLS)
    ts, shown = await card(world, wiping(), ("look", {"disk": "sdb"}))
    world.model.will_say("Wiped.")

    assert "Run wipe" in shown.words
    assert "disk: sda" in shown.words
    await world.person("ben").clicks(shown, "Approve")

    await world.says("Wiped.", ts)
    assert [world.result(0), world.result(1)] == ["sda is empty", "sdb is full"]


async def test_a_denied_tool_does_not_run(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_tools=TOOLS)
    ann = world.person("ann")
    ts, shown = await card(world, wiping())
    world.model.will_say("Left alone.")

    ann.types(shown, 1, "wrong disk")
    await ann.clicks(shown, "Deny")

    await world.says("Left alone.", ts)
    assert world.result() == {"approved": False, "decided_by": "ann", "reason": "wrong disk"}


async def test_long_arguments_are_shortened_with_a_way_to_see_them_all(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_tools=TOOLS)
    ann = world.person("ann")
    ts, shown = await card(world, wiping(note="word " * 1_000 + "the end <!here>"))
    world.model.will_say("Wiped.")

    assert "the end" not in shown.words
    await ann.clicks(shown, "See everything")
    assert "the end <!here>" in (await modal(world, "ann")).words
    await ann.clicks(shown, "Approve")
    await world.says("Wiped.", ts)


async def test_what_was_approved_can_be_seen_in_full_afterwards(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_tools=TOOLS)
    ann, ben = world.person("ann"), world.person("ben")
    ts, shown = await card(world, wiping(note="word " * 1_000 + "the end"))
    world.model.will_say("Wiped.")
    await ann.clicks(shown, "Approve")
    await world.says("Wiped.", ts)

    closed = await world.says("✓ Approved by ann", ts)
    await ben.clicks(closed, "See everything")

    assert "the end" in (await modal(world, "ben")).words


async def test_the_first_decision_counts_and_the_second_is_told_so(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    ts, shown = await card(world, ("confirm_action", DROP))
    world.model.will_say("Dropped.")

    await ann.clicks(shown, "Approve")
    await world.says("Dropped.", ts)
    ben.types(shown, 1, "wait!")
    await ben.clicks(shown, "Deny")

    await world.told("ann has already approved this.", ben)
    assert world.result() == {"approved": True, "decided_by": "ann"}


async def test_words_instead_of_a_decision_do_not_approve(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ts, _ = await card(world, ("confirm_action", DROP))
    world.model.will_say("Which one?")

    world.person("ann").mentions(world.general, "not that table", ts)

    await world.says("Which one?", ts)
    assert world.result() == {"approved": False, "decided_by": "ann", "response": "not that table"}


async def test_talk_is_not_an_approval(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    ts, shown = await card(world, ("confirm_action", DROP))
    world.model.will_say("Dropped.")

    ann.writes(world.general, "Approve", ts)
    await world.dealt_with()
    assert len(world.model.requests) == 1
    await ann.clicks(shown, "Approve")

    await world.says("Dropped.", ts)
    assert world.result() == {"approved": True, "decided_by": "ann", "discussion": ["ann: Approve"]}
