"""Someone writes to Parley directly: every thread is a run of its own, and every message is meant for it."""

from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


async def test_direct_messages_are_a_run_per_thread(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    for answer in ("First.", "Second.", "First again."):
        world.model.will_say(answer)

    first = ann.dms("one")
    await world.says("First.", first, ann.im)
    second = ann.dms("two")
    await world.says("Second.", second, ann.im)
    ann.dms("one more", first)
    await world.says("First again.", first, ann.im)

    heard = [[m["content"] for m in r["messages"] if m["role"] == "user"] for r in world.model.requests]
    assert heard == [["one"], ["two"], ["one", "one more"]]


async def test_in_a_direct_message_any_reply_answers_the_open_question(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask(WHERE)
    world.model.will_say("To the moon it is.")

    ts = ann.dms("ship it")
    await world.form(ts, ann.im)
    ann.dms("to the moon", ts)

    await world.says("To the moon it is.", ts, ann.im)
    assert world.result() == {"answers": {"Where to?": "to the moon"}}


async def test_a_form_in_a_direct_message_is_answered_like_any_other(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")

    ts = ann.dms("ship it")
    form = await world.form(ts, ann.im)
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")

    await world.says("Shipped.", ts, ann.im)
    assert world.result() == {"answers": {"Where to?": "Staging"}}
