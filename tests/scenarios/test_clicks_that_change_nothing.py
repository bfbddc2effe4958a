"""A click that comes late, twice, from someone who may not, or on something unknown: a private sentence, no more."""

import copy

import pytest

from bot.playground.people import Person
from bot.playground.workspace import Message
from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


async def asked(world: SlackWorld, by: Person) -> tuple[str, Message]:
    """The form as someone has it before them, whatever becomes of it in the meantime."""
    world.model.will_ask(WHERE)
    ts = by.mentions(world.general, "ship it")
    return ts, await world.form(ts)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("Submit", "ann has already answered this."),
        ("Skip", "ann has already skipped this."),
        ("Cancel", "ann has already cancelled this."),
    ],
)
@pytest.mark.parametrize("late", ["Submit", "Skip", "Cancel"])
async def test_a_click_on_what_is_closed_is_told_who_was_first(
    slack_world: SlackWorld, how: str, sentence: str, late: str
) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    ts, form = await asked(world, ann)
    if how != "Cancel":
        world.model.will_say("Going on.")
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, how)
    await world.says("Going on." if how != "Cancel" else "Cancelled by ann.", ts)
    await world.at_rest()  # the receipt says so too, before the note does
    shown = [(message.ts, message.words) for message in world.replies(ts)]

    ben.chooses(form, 1, "Production")
    outcome = await ben.clicks(form, late)

    await world.told(sentence, ben)
    await world.dealt_with()
    assert outcome.acked
    assert [(message.ts, message.words) for message in world.replies(ts)] == shown
    assert len(world.model.requests) == (1 if how == "Cancel" else 2)


async def test_a_second_click_of_the_same_person_changes_nothing(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    ts, form = await asked(world, ann)
    world.model.will_say("Shipped.")

    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")
    await ann.clicks(form, "Submit")

    await world.told("already answered", ann)
    await world.says("Shipped.", ts)
    assert world.result() == {"answers": {"Where to?": "Staging"}}


async def test_a_click_on_a_form_that_was_closed_before_a_restart_is_told_so(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    ts, form = await asked(world, ann)
    world.model.will_say("Shipped.")
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")
    await world.says("Shipped.", ts)

    await world.restart()
    await ben.clicks(form, "Cancel")

    await world.told("ann has already answered this.", ben)
    assert len(world.model.requests) == 2


async def test_an_open_form_from_before_a_restart_can_still_be_answered(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    ts, form = await asked(world, ann)

    await world.restart()
    world.model.will_say("Shipped.")
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")

    await world.says("Shipped.", ts)
    assert world.result() == {"answers": {"Where to?": "Staging"}}


async def test_a_click_on_a_form_of_another_database_is_told_that_it_is_not_open(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    ts, form = await asked(world, ann)

    await world.stop()
    world.forget_everything()
    await world.start()
    ann.chooses(form, 1, "Staging")
    outcome = await ann.clicks(form, "Submit")

    await world.told("This is no longer open.", ann)
    assert outcome.acked
    assert len(world.model.requests) == 1
    assert world.forms(ts)


@pytest.mark.parametrize("button", ["Submit", "Skip", "Cancel"])
async def test_guests_and_people_of_other_organisations_may_not_click(slack_world: SlackWorld, button: str) -> None:
    world = await slack_world.start()
    ann, gus, eve = (world.person(name) for name in ("ann", "gus", "eve"))
    partners = world.slack.channels["partners"]
    world.model.will_ask(WHERE)
    ts = ann.mentions(partners, "ship it")
    form = await world.form(ts, partners)

    for person in (gus, eve):
        person.chooses(form, 1, "Production")
        await person.clicks(form, button)

    await world.told("guests cannot do that here", gus)
    await world.told("people from other organisations cannot do that here", eve)
    assert len(world.model.requests) == 1
    assert (await world.form(ts, partners)).words == form.words


async def test_a_button_that_nobody_knows_is_answered_with_a_sentence(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    ts, form = await asked(world, ann)
    old = copy.deepcopy(form)
    old.blocks[-1]["elements"][0]["action_id"] = "ask.send-by-pigeon"

    outcome = await ann.clicks(old, "Submit")

    await world.told("I do not know that button.", ann)
    assert outcome.acked
    assert (await world.form(ts)).words == form.words
