"""Someone mentions Parley in a channel: it works in that message's thread, and knows what was said there."""

from typing import Any

from tests.support.slack_world import SlackWorld


def said(request: dict[str, Any]) -> list[str]:
    """What the model was told by people, in order."""
    return [message["content"] for message in request["messages"] if message["role"] == "user"]


async def test_a_mention_is_answered_in_its_thread(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Good morning.")

    ts = world.person("ann").mentions(world.general, "hello")

    reply = await world.says("Good morning.", ts)
    assert reply.thread_ts == ts
    assert [message.ts for message in world.slack.messages(world.general)] == [ts]


async def test_the_words_after_the_mention_reach_the_model_as_a_user_message(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Done.")

    world.person("ann").mentions(world.general, "ship it to <#C0GENERAL|general> &amp; tell <@U0BENBBBB|ben>")

    request = await world.asked(1)
    assert request["messages"][-1] == {"role": "user", "name": "ann", "content": "ship it to #general & tell @ben"}


async def test_a_mention_in_a_joined_channel_comes_as_two_events_and_is_one_run(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_say("Once.")

    ts = ann.mentions(world.general, "hello")
    await world.says("Once.", ts)
    await world.dealt_with()

    events = [delivery.payload["event"] for delivery in world.slack.deliveries]
    assert [event["type"] for event in events if event["user"] == ann.id] == ["app_mention", "message"]
    assert len(world.model.requests) == 1
    assert len(world.replies(ts)) == 1


async def test_a_mention_in_a_thread_brings_what_was_said_there_before(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_say("Rolled back.")

    root = ben.writes(world.general, "the deploy is broken")
    ann.writes(world.general, "since 1.4 I think", root)
    ann.mentions(world.general, "roll it back", root)

    request = await world.asked(1)
    before, words = said(request)
    assert "ben: the deploy is broken\nann: since 1.4 I think" in before
    assert words == "roll it back"
    await world.says("Rolled back.", root)


async def test_a_later_mention_goes_on_and_brings_what_was_said_since(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_say("Which one?")
    world.model.will_say("Got it.")

    ts = ann.mentions(world.general, "deploy the service")
    await world.says("Which one?", ts)
    ben.writes(world.general, "billing, she means", ts)
    ann.mentions(world.general, "what he says", ts)

    request = await world.asked(2)
    first, since, words = said(request)
    assert (first, words) == ("deploy the service", "what he says")
    assert since.endswith("ben: billing, she means")
    await world.says("Got it.", ts)


async def test_a_long_thread_is_brought_to_its_end(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_say("Read.")

    root = ann.writes(world.general, "remark 0")
    for number in range(1, 250):
        ann.writes(world.general, f"remark {number}", root)
    ann.mentions(world.general, "sum it up", root)

    before, words = said(await world.asked(1))
    assert before.endswith("ann: remark 248\nann: remark 249")
    assert words == "sum it up"
    await world.says("Read.", root)


async def test_what_was_said_while_slack_was_away_for_a_moment_is_not_lost(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_say("Here.")
    root = ann.writes(world.general, "look at this")
    world.slack.fail("users.info", status=500)
    world.slack.fail("conversations.replies", drop=True)

    ann.mentions(world.general, "can you?", root)

    before, words = said(await world.asked(1))
    assert before.endswith("ann: look at this")
    assert words == "can you?"
    await world.says("Here.", root)


async def test_a_mention_without_words_is_greeted_privately(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")

    ann.mentions(world.general, "")

    await world.told("Mention me with what you would like done", ann)
    assert world.model.requests == []
