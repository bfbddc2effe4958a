"""The one workspace of the settings removes Parley: what ran there ends, and Parley stays up and quiet."""

from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


async def test_what_ran_is_stopped_and_what_waited_is_left_as_it_is(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person()
    world.model.will_ask(WHERE)
    waiting = ann.mentions(world.general, "ship it")
    await world.form(waiting)
    await world.at_rest()
    world.model.will_hang()
    running = ann.mentions(world.general, "think hard")
    await world.asked(2)

    world.slack.installs.uninstall(world.slack.core)
    await world.slack.until(lambda: world.state(running) == "stopped")
    await world.dealt_with()

    assert world.state(waiting) == "waiting"
    assert all(delivery.acked for delivery in world.slack.deliveries)
    assert "Submit" in world.forms(waiting)[0].buttons


async def test_words_that_come_after_it_are_acked_and_lead_to_nothing(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    events = world.slack.core.app.events
    world.slack.installs.uninstall(world.slack.core)
    await world.slack.until(lambda: [d for d in world.slack.deliveries if d.acked])
    await world.dealt_with()
    before = len(world.slack.calls)

    world.slack.core.app.events = events
    world.person().mentions(world.general, "hello?")
    await world.dealt_with()

    assert len(world.slack.calls) == before
    assert world.model.requests == []


async def test_a_slack_that_only_says_the_token_is_wrong_is_not_believed_for_good(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.slack.fail("users.info", error="invalid_auth")
    world.model.will_say("Here I am.")

    world.person().mentions(world.general, "hello?")
    await world.told("could not find out who you are", world.person())
    ts = world.person("ben").mentions(world.general, "hello?")

    await world.says("Here I am.", ts)
