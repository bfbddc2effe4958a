"""Who may start a run, answer and approve: as the settings say, by Slack's own facts about people."""

import pytest

from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}
DROP = ("confirm_action", {"action": "Drop the table"})
ANN, BEN, LEADS = "U0ANNAAAA", "U0BENBBBB", "S0LEADS00"


@pytest.mark.parametrize(("name", "why"), [("gus", "guests cannot"), ("eve", "people from other organisations cannot")])
async def test_guests_and_people_of_other_organisations_may_not_start(
    slack_world: SlackWorld, name: str, why: str
) -> None:
    world = await slack_world.start()
    person, partners = world.person(name), world.slack.channels["partners"]

    ts = person.mentions(partners, "hello")

    await world.told(why, person)
    await world.dealt_with()
    assert world.model.requests == []
    assert world.replies(ts, partners) == []


@pytest.mark.parametrize(("name", "setting"), [("gus", "parley_allow_guests"), ("eve", "parley_allow_externals")])
async def test_they_may_where_they_are_allowed(slack_world: SlackWorld, name: str, setting: str) -> None:
    world = await slack_world.start(**{setting: True})
    partners = world.slack.channels["partners"]
    world.model.will_say("Welcome.")

    ts = world.person(name).mentions(partners, "hello")

    await world.says("Welcome.", ts, partners)


async def test_only_named_people_may_start(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_who_may_start=ANN)
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_say("Yes, Ann.")

    ben.mentions(world.general, "hello")
    await world.told("Sorry, you may not start runs here.", ben)
    ts = ann.mentions(world.general, "hello")

    await world.says("Yes, Ann.", ts)
    assert len(world.model.requests) == 1


async def test_a_user_group_may_start_and_others_may_not(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_who_may_start=LEADS)
    carl = world.slack.add_person("carl")
    world.general.members.append(carl.id)
    world.model.will_say("Yes.")

    carl.mentions(world.general, "hello")
    await world.told("Sorry, you may not start runs here.", carl)
    ts = world.person("ben").mentions(world.general, "hello")

    await world.says("Yes.", ts)


async def test_only_the_requester_may_answer(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_who_may_answer="requester")
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ben.chooses(form, 1, "Production")
    for button in ("Submit", "Skip", "Cancel"):
        await ben.clicks(form, button)
    ben.mentions(world.general, "production please", ts)
    await world.slack.until(lambda: len(world.slack.ephemerals(ben)) == 4)
    assert {message.text for message in world.slack.ephemerals(ben)} == {"Sorry, you may not answer this."}
    assert len(world.model.requests) == 1
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")

    await world.says("Shipped.", ts)
    assert world.result() == {"answers": {"Where to?": "Staging"}}


async def test_the_requester_who_clicks_again_when_it_is_over_is_told_that_it_is_over(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_who_may_answer="requester", parley_who_may_approve="requester")
    ann = world.person("ann")
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")
    await world.says("Shipped.", ts)
    await ann.clicks(form, "Cancel")

    await world.told("ann has already answered this.", ann)


async def test_named_people_may_answer_even_if_they_are_guests(slack_world: SlackWorld) -> None:
    gus = slack_world.person("gus")
    world = await slack_world.start(parley_who_may_answer=f"requester, {gus.id}")
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    for person in (ben, gus):
        person.chooses(form, 1, "Production")
        await person.clicks(form, "Submit")

    await world.told("Sorry, you may not answer this.", ben)
    await world.says("Shipped.", ts)
    assert world.result()["answered_by"] == {"Where to?": "gus"}


async def test_only_named_people_and_groups_may_approve(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_who_may_approve=LEADS)
    ben, carl = world.person("ben"), world.slack.add_person("carl")
    world.general.members.append(carl.id)
    world.model.will_call(DROP)
    world.model.will_say("Dropped.")

    ts = carl.mentions(world.general, "clean up")
    card = await world.form(ts)
    for button in ("Approve", "Deny"):
        await carl.clicks(card, button)
    await world.slack.until(lambda: len(world.slack.ephemerals(carl)) == 2)
    assert {message.text for message in world.slack.ephemerals(carl)} == {"Sorry, you may not decide this."}
    assert world.slack.modal(carl) is None
    await ben.clicks(card, "Approve")

    await world.says("Dropped.", ts)
    assert world.result() == {"approved": True, "decided_by": "ben"}


async def test_words_of_someone_who_may_not_approve_can_only_turn_it_down(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_who_may_approve=BEN)
    ann = world.person("ann")
    world.model.will_call(DROP)
    world.model.will_say("I may not.")

    ts = ann.mentions(world.general, "clean up")
    await world.form(ts)
    ann.mentions(world.general, "approved, do it", ts)

    await world.says("I may not.", ts)
    assert world.result() == {"approved": False, "decided_by": "ann", "response": "approved, do it"}
