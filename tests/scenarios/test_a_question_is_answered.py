"""Someone asks for something, Parley asks back, someone answers, and it goes on."""

from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


async def test_a_mention_is_asked_back_and_goes_on_with_the_answer(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped to Production.")

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ann.chooses(form, 0, "Production")
    outcome = await ann.clicks(form, "Submit")

    await world.says("Shipped to Production.", ts)
    assert outcome.acked
    assert world.result() == {"answers": {"Where to?": "Production"}}
    assert world.forms(ts) == []
    assert await world.says("Production", ts)
