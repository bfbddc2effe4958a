"""Something goes wrong: the thread says so in plain words, and the next mention works."""

import pytest

from bot.files import Files
from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


async def test_a_model_that_refuses_the_key_is_named_in_the_thread(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_fail(401, "invalid_api_key", "Incorrect API key provided: sk-123")

    ts = ann.mentions(world.general, "hello")
    note = await world.slack.until(lambda: world.replies(ts))
    assert "key" in note[0].text
    assert "sk-123" not in note[0].text
    world.model.will_say("Good morning.")
    ann.mentions(world.general, "try again", ts)

    await world.says("Good morning.", ts)
    assert len(world.replies(ts)) == 2


async def test_a_run_that_fails_after_an_answer_says_so_below_the_receipt(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask(WHERE)
    world.model.will_fail(400, "invalid_request", "No.")

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")
    await world.slack.until(lambda: len(world.replies(ts)) == 2)
    assert world.forms(ts) == []
    world.model.will_say("Now it works.")
    ann.mentions(world.general, "again", ts)

    await world.says("Now it works.", ts)
    assert world.result() == {"answers": {"Where to?": "Staging"}}


async def test_a_bug_of_ours_is_told_to_whoever_met_it(
    slack_world: SlackWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await slack_world.start()
    ann = world.person("ann")

    with monkeypatch.context() as broken:
        broken.setattr(Files, "read", None)
        ts = ann.mentions(world.general, "hello")
        await world.told("Something went wrong on my side", ann)
    world.model.will_say("Good morning.")
    ann.mentions(world.general, "hello?", ts)

    await world.says("Good morning.", ts)
