"""What is filled in becomes the answer: choices, words, Skip and Cancel."""

from typing import Any

import pytest

from bot.playground.people import Person
from bot.playground.workspace import Message
from tests.support.slack_world import SlackWorld

WHERE = {"question": "Where to?", "options": ["Staging", "Production"]}
CHECKS = {"question": "Which checks?", "options": ["Unit", "Smoke", "Load"], "multiSelect": True}
WHO = {"question": "Who must know?"}


async def asked(world: SlackWorld, *questions: dict[str, Any]) -> tuple[Person, str, Message]:
    ann = world.person("ann")
    world.model.will_ask(list(questions))
    ts = ann.mentions(world.general, "ship it")
    return ann, ts, await world.form(ts)


async def test_where_a_choice_and_words_are_filled_in_the_words_win(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ts, form = await asked(world, WHERE)
    world.model.will_say("Shipped.")

    ann.chooses(form, 1, "Staging")
    ann.types(form, 1, "  the canary  ")
    await ann.clicks(form, "Submit")

    await world.says("Shipped.", ts)
    assert world.result() == {"answers": {"Where to?": "the canary"}}


async def test_boxes_and_words_are_joined_labels_first_in_their_order(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ts, form = await asked(world, CHECKS)
    world.model.will_say("Checked.")

    ann.chooses(form, 1, "Load", "Unit")
    ann.types(form, 1, "and by hand")
    await ann.clicks(form, "Submit")

    await world.says("Checked.", ts)
    assert world.result() == {"answers": {"Which checks?": "Unit, Load, and by hand"}}


async def test_a_question_without_options_is_answered_in_words(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ts, form = await asked(world, WHO)
    world.model.will_say("Told them.")

    ann.types(form, 1, "ops & sales\nnobody <else>")
    await ann.clicks(form, "Submit")

    await world.says("Told them.", ts)
    assert world.result() == {"answers": {"Who must know?": "ops & sales\nnobody <else>"}}


async def test_skip_tells_the_model_that_people_declined(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ts, form = await asked(world, WHERE, WHO)
    world.model.will_say("Then staging.")

    await ann.clicks(form, "Skip")

    await world.says("Then staging.", ts)
    assert list(world.result()) == ["skipped"]
    assert "declined to answer" in world.result()["skipped"]
    await world.says("Skipped by ann", ts)
    assert world.forms(ts) == []


async def test_skip_keeps_what_was_answered_before(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ts, form = await asked(world, WHERE, WHO)
    world.model.will_say("Shipped, told nobody.")

    ann.chooses(form, 1, "Production")
    await ann.clicks(form, "Submit")
    await world.says("Still open", ts)
    await ann.clicks(await world.form(ts), "Skip")

    await world.says("Shipped, told nobody.", ts)
    assert world.result()["answers"] == {"Where to?": "Production"}
    assert "skipped" in world.result()


async def test_cancel_ends_the_run_says_so_and_the_next_mention_works(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ts, form = await asked(world, WHERE)

    await ann.clicks(form, "Cancel")
    await world.slack.until(lambda: [m for m in world.replies(ts) if m.text == "Cancelled by ann."])
    await world.at_rest()
    assert len(world.model.requests) == 1
    assert world.forms(ts) == []
    receipt, ending = [message.words for message in world.replies(ts)]
    assert "✕ Not answered" in receipt
    assert "by ann" not in receipt, "said twice"
    assert ending == "Cancelled by ann."
    world.model.will_say("Good morning.")
    ann.mentions(world.general, "hello again", ts)

    await world.says("Good morning.", ts)
    assert "cancelled" in world.result()
    assert world.model.requests[-1]["messages"][-1]["content"] == "hello again"


async def test_cancel_of_one_of_two_asks_closes_both(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_call(*(("ask_user_question", {"questions": [q]}) for q in (WHERE, WHO)))
    ts = ann.mentions(world.general, "ship it")
    await world.slack.until(lambda: len(world.forms(ts)) == 2)

    await ann.clicks(world.forms(ts)[1], "Cancel")

    await world.says("Cancelled by ann.", ts)
    await world.at_rest()
    assert world.forms(ts) == []
    assert len([m for m in world.replies(ts) if m.text == "Cancelled by ann."]) == 1


@pytest.mark.parametrize("button", ["Submit", "Skip", "Cancel"])
async def test_a_closed_form_has_no_buttons(slack_world: SlackWorld, button: str) -> None:
    world = await slack_world.start()
    ann, ts, form = await asked(world, WHERE)
    if button != "Cancel":
        world.model.will_say("Going on.")

    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, button)

    await world.slack.until(lambda: not world.forms(ts))
    assert next(m for m in world.replies(ts) if m.ts == form.ts).buttons == []
    if button != "Cancel":
        await world.says("Going on.", ts)
