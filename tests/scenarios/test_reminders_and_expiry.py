"""A question that waits long is brought to mind once, in working hours, and ends after the time that was set."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.playground.workspace import Message
from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}
HOUR = 3_600.0


async def asked(world: SlackWorld) -> str:
    """A thread whose question is open, and known to be."""
    world.model.will_ask(WHERE)
    ts = world.person().mentions(world.general, "ship it")
    await world.form(ts)
    await world.at_rest()
    return ts


def reminders(world: SlackWorld, ts: str) -> list[Message]:
    return [message for message in world.replies(ts) if "Still waiting" in message.words]


async def test_people_are_reminded_once_after_the_time_that_was_set(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_remind_after_hours=2, parley_working_hours="0-24")
    ts = await asked(world)

    world.slack.clock.advance(1.9 * HOUR)
    assert reminders(world, ts) == []
    world.slack.clock.advance(0.2 * HOUR)
    await world.slack.until(lambda: reminders(world, ts))
    for _ in range(3):
        world.slack.clock.advance(24 * HOUR)
        await world.restart()

    assert ["Where to?" in message.words for message in reminders(world, ts)] == [True]
    assert len(world.forms(ts)) == 1


async def test_a_question_that_was_answered_is_not_brought_to_mind(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_remind_after_hours=2, parley_working_hours="0-24")
    ann = world.person()
    ts = await asked(world)
    world.model.will_say("Shipped.")
    form = await world.form(ts)
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")
    await world.says("Shipped.", ts)
    await world.at_rest()

    world.slack.clock.advance(24 * HOUR)
    other = await asked(world)
    world.slack.clock.advance(3 * HOUR)
    await world.slack.until(lambda: reminders(world, other))

    assert reminders(world, ts) == []


async def test_a_reminder_that_came_due_while_parley_was_off_waits_for_working_hours(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_remind_after_hours=2, parley_working_hours="9-18", parley_timezone="UTC")
    ts = await asked(world)
    now = datetime.fromtimestamp(world.slack.clock.now(), ZoneInfo("UTC"))
    saturday = (5 - now.weekday()) % 7 or 7

    await world.stop()
    world.slack.clock.advance(saturday * 24 * HOUR + (3 - now.hour) * HOUR)
    await world.start()
    world.person().opens_home()
    await world.slack.until(lambda: world.slack.home(world.person()))
    assert reminders(world, ts) == []

    world.slack.clock.advance(2 * 24 * HOUR + 7 * HOUR)
    await world.slack.until(lambda: reminders(world, ts))


async def test_a_question_that_expired_becomes_a_receipt_and_the_agent_is_told(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_expire_after_hours=48, parley_remind_after_hours=0)
    ts = await asked(world)
    world.model.will_say("I chose Staging.")

    world.slack.clock.advance(47 * HOUR)
    assert len(world.forms(ts)) == 1
    world.slack.clock.advance(2 * HOUR)
    await world.says("I chose Staging.", ts)
    await world.at_rest()

    assert "expired" in world.result()
    assert world.forms(ts) == []
    assert "xpired" in world.replies(ts)[0].words


async def test_a_click_on_a_question_that_expired_is_told_so(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_expire_after_hours=48, parley_remind_after_hours=0)
    ann = world.person()
    ts = await asked(world)
    form = await world.form(ts)
    world.model.will_say("I chose Staging.")
    world.slack.clock.advance(49 * HOUR)
    await world.says("I chose Staging.", ts)

    ann.chooses(form, 1, "Production")
    assert (await ann.clicks(form, "Submit")).acked

    await world.told("expired", ann)


async def test_a_question_that_expired_while_parley_was_off_expires_when_it_starts(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_expire_after_hours=48, parley_remind_after_hours=0)
    ts = await asked(world)
    world.model.will_say("I chose Staging.")

    await world.stop()
    world.slack.clock.advance(49 * HOUR)
    await world.start()

    await world.says("I chose Staging.", ts)


async def test_without_a_setting_a_question_waits_for_ever(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_remind_after_hours=0)
    ann = world.person()
    ts = await asked(world)

    world.slack.clock.advance(365 * 24 * HOUR)
    world.model.will_say("Shipped.")
    form = await world.form(ts)
    ann.chooses(form, 1, "Production")
    assert (await ann.clicks(form, "Submit")).acked

    await world.says("Shipped.", ts)
