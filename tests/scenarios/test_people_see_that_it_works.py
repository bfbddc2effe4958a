"""The status under the thread and the session's state say what goes on, and nothing is left over in the end."""

from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


def status(world: SlackWorld, ts: str) -> str:
    return world.slack.status(world.general, ts)


def session(world: SlackWorld, ts: str) -> str:
    found = world.slack.session(world.general, ts)
    return found.status if found else ""


async def test_it_says_that_it_thinks_and_then_that_it_waits_and_then_nothing(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person()
    world.model.will_hang()

    ts = ann.mentions(world.general, "ship it")
    await world.slack.until(lambda: (session(world, ts), status(world, ts)) == ("processing", "is thinking…"))

    await world.asked(1)
    world.model.will_ask(WHERE)
    await world.restart()
    form = await world.form(ts)
    await world.slack.until(lambda: (session(world, ts), status(world, ts)) == ("suspended", ""))

    world.model.will_say("Shipped.")
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")
    await world.says("Shipped.", ts)
    await world.slack.until(lambda: (session(world, ts), status(world, ts)) == ("active", ""))


async def test_a_state_that_slack_is_slow_to_take_does_not_come_after_a_later_one(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    session_gate = world.slack.hold("agents.sessions.setStatus")
    world.model.will_say("Shipped.")

    ts = world.person().mentions(world.general, "ship it")
    await session_gate.reached()
    await world.says("Shipped.", ts)
    await world.at_rest()
    session_gate.open()

    await world.slack.until(lambda: session(world, ts) == "active")
    said = [call.args["status"] for call in world.slack.called("agents.sessions.setStatus")]
    assert said == ["processing", "active"]


async def test_a_status_that_slack_is_slow_to_take_is_not_left_over(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    gate = world.slack.hold("assistant.threads.setStatus")
    world.model.will_ask(WHERE)

    ts = world.person().mentions(world.general, "ship it")
    await gate.reached()
    await world.form(ts)
    await world.at_rest()
    gate.open()

    await world.slack.until(lambda: session(world, ts) == "suspended")
    await world.slack.until(lambda: len(world.slack.called("assistant.threads.setStatus")) == 2)
    assert status(world, ts) == ""


async def test_a_long_thought_keeps_its_status_although_slack_clears_it(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_hang()
    ts = world.person().mentions(world.general, "ship it")
    await world.slack.until(lambda: status(world, ts) == "is thinking…")
    await world.slack.until(lambda: 90.0 in world.pauses)

    world.slack.clock.advance(121)
    await world.slack.until(lambda: len(world.slack.called("assistant.threads.setStatus")) == 2)

    assert status(world, ts) == "is thinking…"


async def test_the_session_leaves_processing_when_someone_stops_it(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person()
    world.model.will_hang()
    ts = ann.mentions(world.general, "ship it")
    await world.slack.until(lambda: session(world, ts) == "processing")
    await world.asked(1)

    ann.stops(world.general, ts)

    await world.says("Stopped by", ts)
    await world.slack.until(lambda: (session(world, ts), status(world, ts)) == ("active", ""))


async def test_where_there_are_no_sessions_it_works_all_the_same(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.slack.fail("agents.sessions.setStatus", error="not_allowed", times=1_000)
    world.slack.fail("assistant.threads.setStatus", error="missing_scope", times=1_000)
    world.model.will_say("Shipped.")

    ts = world.person().mentions(world.general, "ship it")

    await world.says("Shipped.", ts)


async def test_people_see_how_many_sub_agents_are_at_work(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_call(("spawn_agents", {"tasks": ["one", "two"]}))
    for _ in range(2):
        world.model.will_hang()

    ts = world.person().mentions(world.general, "compare them")

    await world.asked(3)
    await world.slack.until(lambda: status(world, ts) == "has 2 sub-agents at work…")
