"""Submit with nothing filled in: whoever pressed it reads what is missing, and nothing that was typed is lost."""

from tests.support.slack_world import SlackWorld

RELEASE = [
    {"question": "Where to?", "options": ["Staging", "Production"]},
    {"question": "Who must know?"},
]


async def test_an_empty_submit_says_privately_what_is_missing(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(RELEASE)

    ts = ann.mentions(world.general, "release it")
    form = await world.form(ts)
    ben.types(form, 2, "   ")
    outcome = await ben.clicks(form, "Submit")

    told = await world.told("Nothing is filled in yet.", ben)
    assert "“Where to?”" in told.text
    assert "“Who must know?”" in told.text
    assert outcome.acked
    assert world.slack.ephemerals(ann) == []
    assert len(world.model.requests) == 1


async def test_an_empty_submit_of_a_partly_answered_form_names_only_what_is_open(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask(RELEASE)

    ts = ann.mentions(world.general, "release it")
    form = await world.form(ts)
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")
    partly = await world.says("Still open", ts)
    await ann.clicks(partly, "Submit")

    told = await world.told("Nothing is filled in yet.", ann)
    assert "“Who must know?”" in told.text
    assert "Where to?" not in told.text


async def test_an_empty_submit_loses_nothing_that_others_have_typed(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(RELEASE)
    world.model.will_say("Released.")

    ts = ann.mentions(world.general, "release it")
    form = await world.form(ts)
    ann.chooses(form, 1, "Staging")
    ann.types(form, 2, "ops")
    await ben.clicks(form, "Submit")
    await world.told("Nothing is filled in yet.", ben)
    assert world.slack.called("chat.update") == []
    await ann.clicks(await world.form(ts), "Submit")

    await world.says("Released.", ts)
    assert world.result() == {"answers": {"Where to?": "Staging", "Who must know?": "ops"}}
