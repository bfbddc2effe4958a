"""Slack does not answer, or only later: what was said is not lost, and nothing else waits for it."""

import asyncio

from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}
TWO = {"questions": [{"question": "Where to?"}, {"question": "When?"}]}


async def test_the_first_event_is_not_lost_if_slack_will_not_say_who_we_are_a_second_time(
    slack_world: SlackWorld,
) -> None:
    world = await slack_world.start()
    world.slack.fail("auth.test", status=500, times=-1)
    world.model.will_say("Here I am.")

    ts = world.person().mentions(world.general, "hello")

    assert await world.says("Here I am.", ts)


async def test_a_mention_waits_for_as_long_as_slack_will_not_say_who_wrote_it(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.slack.fail("users.info", status=503, times=12)
    world.model.will_say("Hello, ann.")

    ts = world.person().mentions(world.general, "hello")

    assert await world.says("Hello, ann.", ts)


async def test_a_private_sentence_that_slack_holds_back_does_not_hold_up_anyone_else(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")
    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    gate = world.slack.hold("chat.postEphemeral")

    await ben.clicks(form, "Submit")  # empty
    await gate.reached()
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")

    assert await world.says("Shipped.", ts)
    gate.open()


async def test_a_stop_does_not_wait_for_someone_whom_slack_is_slow_to_name(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_hang()
    ts = ann.mentions(world.general, "think hard")
    await asyncio.wait_for(world.model.reached.wait(), 5)
    gate = world.slack.hold("users.info")

    ben.mentions(world.general, "and quickly", thread_ts=ts)
    await gate.reached()
    ann.mentions(world.general, "stop", thread_ts=ts)

    assert await world.says("Stopped by ann.", ts)
    world.model.will_say("All right.")
    gate.open()
    assert await world.says("All right.", ts)


async def test_what_slack_took_before_it_refused_the_rest_is_not_posted_twice(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_ask(WHERE, text="One thing is yours to decide:")
    gate = world.slack.hold("chat.postMessage")
    ts = world.person().mentions(world.general, "ship it")
    await gate.reached()
    world.slack.fail("chat.postMessage", error="team_added_to_org")  # it passes
    gate.open()

    await world.form(ts)

    words = [message.words for message in world.replies(ts)]
    assert len([each for each in words if "yours to decide" in each]) == 1


async def test_where_there_are_no_streams_the_reply_grows_in_a_message_that_is_updated(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.slack.refuse_streaming()
    hold = asyncio.Event()
    world.model.will_pause("One, two,", hold, " three.")

    ts = world.person().mentions(world.general, "count")
    await world.says("One, two,", ts)
    hold.set()

    await world.says("One, two, three.", ts)
    await world.at_rest()
    assert [message.words for message in world.replies(ts)] == ["One, two, three."]
