"""Parley ends in the middle of something; started again, it goes on by itself."""

from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


async def test_a_mention_that_was_acked_and_not_dealt_with_is_dealt_with_after_the_restart(
    slack_world: SlackWorld,
) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")
    gate = world.slack.hold("users.info")
    ts = world.person().mentions(world.general, "ship it")
    await world.slack.until(lambda: [d for d in world.slack.delivered("app_mention") if d.acked])
    await gate.reached()

    await world.restart()

    await world.says("Shipped.", ts)
    assert len(world.model.requests) == 1


async def test_a_click_that_was_acked_and_not_dealt_with_counts_after_the_restart(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ben = world.person("ben")
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")
    ts = world.person("ann").mentions(world.general, "ship it")
    form = await world.form(ts)

    gate = world.slack.hold("users.info")
    ben.chooses(form, 1, "Production")
    assert (await ben.clicks(form, "Submit")).acked
    await gate.reached()
    await world.restart()

    await world.says("Shipped.", ts)
    assert world.result()["answers"] == {"Where to?": "Production"}


async def test_a_form_that_could_not_be_posted_is_posted_after_the_restart(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_ask(WHERE)
    world.slack.fail("chat.postMessage", status=503, times=1_000)
    ts = world.person().mentions(world.general, "ship it")
    await world.slack.until(lambda: [call for call in world.slack.calls if call.method == "chat.postMessage"])

    await world.stop()
    world.slack.heal()
    await world.start()

    await world.form(ts)
    await world.at_rest()
    assert len(world.replies(ts)) == 1


async def test_a_form_that_was_posted_in_the_last_moment_is_not_posted_again(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")
    ann = world.person()
    world.slack.fail("chat.postMessage", drop=True, after=True)
    world.slack.fail("conversations.replies", drop=True, times=1_000)
    ts = ann.mentions(world.general, "ship it")
    await world.form(ts)

    await world.stop()
    world.slack.heal()
    await world.start()
    await world.at_rest()

    assert len(world.replies(ts)) == 1
    form = await world.form(ts)
    ann.chooses(form, 1, "Staging")
    assert (await ann.clicks(form, "Submit")).acked
    await world.says("Shipped.", ts)


async def test_a_run_that_was_cut_off_goes_on_and_people_see_that_it_does(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_hang()
    ts = world.person().mentions(world.general, "ship it")
    await world.asked(1)
    await world.stop()
    world.slack.clock.advance(120)
    assert world.slack.status(world.general, ts) == ""

    world.model.will_hang()
    await world.start()
    await world.slack.until(lambda: world.slack.status(world.general, ts) == "is thinking…")
    await world.asked(2)

    world.model.will_say("Shipped.")
    await world.restart()
    await world.says("Shipped.", ts)
