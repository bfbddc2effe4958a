"""Only mentions, direct messages, clicks and answers lead to model calls; everything else is people's own talk."""

from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


async def test_talk_that_does_not_mention_it_is_left_alone(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_say("Hello.")

    root = ann.writes(world.general, "parley, are you there?")
    ben.writes(world.general, "you have to mention it", root)
    ann.edits(world.general, root, f"<@{world.slack.bot_user_id}> are you there?")
    ann.opens_home()
    ts = ann.mentions(world.general, "hello")
    await world.says("Hello.", ts)
    ben.writes(world.general, "thank you", ts)
    await world.dealt_with()

    assert len(world.model.requests) == 1
    assert world.replies(root) == []
    assert len(world.replies(ts)) == 1


async def test_talk_while_it_waits_is_shown_to_the_model_with_the_answer(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ben.writes(world.general, "staging is full, no?", ts)
    await world.dealt_with()  # over two sockets, what is sent at once may come in any order
    ann.writes(world.general, "right", ts)
    await world.dealt_with()
    assert len(world.model.requests) == 1
    ann.chooses(form, 1, "Production")
    await ann.clicks(form, "Submit")

    await world.says("Shipped.", ts)
    talk = ["ben: staging is full, no?", "ann: right"]
    assert world.result() == {"answers": {"Where to?": "Production"}, "discussion": talk}


async def test_talk_of_those_who_may_not_answer_is_shown_to_the_model_but_answers_nothing(
    slack_world: SlackWorld,
) -> None:
    world = await slack_world.start(parley_who_may_answer="requester")
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ben.writes(world.general, "staging is full, no?", ts)
    ben.writes(world.general, "Production", ts)
    await world.told("Sorry, you may not answer this.", ben)
    assert len(world.model.requests) == 1
    ann.chooses(form, 1, "Staging")
    await ann.clicks(form, "Submit")

    await world.says("Shipped.", ts)
    assert world.result() == {"answers": {"Where to?": "Staging"}, "discussion": ["ben: staging is full, no?"]}
