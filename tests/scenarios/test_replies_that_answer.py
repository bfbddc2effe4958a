"""What people write in the thread while a question is open: a label, a number, a mention, or just talk."""

import pytest

from tests.support.slack_world import SlackWorld

WHERE = {"question": "Where to?", "options": ["Staging", "Production"]}
CHECKS = {"question": "Which checks?", "options": ["Unit", "Smoke", "Load"], "multiSelect": True}
WHO = {"question": "Who must know?"}
SURE = {"question": "Sure?", "options": ["Yes", "No"], "allowCustom": False}


@pytest.mark.parametrize("words", ["Production", "production ", "2"])
async def test_a_reply_that_is_exactly_a_label_or_number_answers(slack_world: SlackWorld, words: str) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask([WHERE])
    world.model.will_say("Shipped.")

    ts = ann.mentions(world.general, "ship it")
    await world.form(ts)
    ann.writes(world.general, words, ts)

    await world.says("Shipped.", ts)
    assert world.result() == {"answers": {"Where to?": "Production"}}
    assert world.forms(ts) == []


async def test_a_reply_with_several_numbers_answers_a_question_with_boxes(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask([CHECKS])
    world.model.will_say("Checked.")

    ts = ann.mentions(world.general, "check it")
    await world.form(ts)
    ben.writes(world.general, "3, unit", ts)

    await world.says("Checked.", ts)
    answered = {"answers": {"Which checks?": "Unit, Load"}, "answered_by": {"Which checks?": "ben"}}
    assert world.result() == answered


async def test_a_mention_answers_the_one_open_question_in_free_text(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask([WHERE])
    world.model.will_say("Shipped.")

    ts = ann.mentions(world.general, "ship it")
    await world.form(ts)
    ann.mentions(world.general, "the canary first", ts)

    await world.says("Shipped.", ts)
    assert world.result() == {"answers": {"Where to?": "the canary first"}}
    assert world.model.requests[-1]["messages"][-1]["role"] == "tool"


async def test_with_several_questions_open_a_label_is_talk(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask([WHERE, WHO])
    world.model.will_say("Shipped.")

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ann.writes(world.general, "Production", ts)
    await world.dealt_with()
    ann.chooses(form, 1, "Staging")
    ann.types(form, 2, "ops")
    await ann.clicks(form, "Submit")

    await world.says("Shipped.", ts)
    answers = {"Where to?": "Staging", "Who must know?": "ops"}
    assert world.result() == {"answers": answers, "discussion": ["ann: Production"]}


async def test_a_mention_with_several_open_closes_the_ask_with_the_words_as_response(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask([WHERE, WHO, CHECKS])
    world.model.will_say("Never mind then.")

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")
    await world.says("Still open", ts)
    ben.mentions(world.general, "forget it, we ship on Monday", ts)

    await world.says("Never mind then.", ts)
    assert world.result() == {"answers": {"Where to?": "Staging"}, "response": "forget it, we ship on Monday"}
    receipt = await world.says("✓ Answered in words by ben", ts)
    assert "forget it, we ship on Monday" in receipt.words
    assert receipt.buttons == []


async def test_a_mention_that_a_question_cannot_take_closes_it_with_a_response(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask([SURE])
    world.model.will_say("I wait.")

    ts = ann.mentions(world.general, "drop the table")
    await world.form(ts)
    ann.mentions(world.general, "which table?", ts)

    await world.says("I wait.", ts)
    assert world.result() == {"answers": {}, "response": "which table?"}


async def test_the_last_of_several_questions_is_answered_by_a_number(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask([WHERE, SURE])
    world.model.will_say("Shipped.")

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")
    await world.says("Still open", ts)
    ben.writes(world.general, "1", ts)

    await world.says("Shipped.", ts)
    assert world.result()["answers"] == {"Where to?": "Staging", "Sure?": "Yes"}
