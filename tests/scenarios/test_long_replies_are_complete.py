"""A reply of any length is in the thread, all of it, in messages that each fit."""

import re

from tests.support.slack_world import SlackWorld


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


async def test_a_long_reply_is_split_between_paragraphs_and_complete(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    paragraphs = [f"Paragraph {number}. {'All work and no play. ' * 20}".strip() for number in range(90)]
    world.model.will_say("\n\n".join([*paragraphs, "The end."]))

    ts = ann.mentions(world.general, "tell me everything")
    await world.says("The end.", ts)

    words = [message.words for message in world.replies(ts)]
    assert len(words) > 3
    assert squeezed("".join(words)) == squeezed("".join([*paragraphs, "The end."]))
    assert all(piece.startswith("Paragraph") for piece in words)


async def test_code_that_is_split_stays_code(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    lines = [f"x{number} = {number}  # a line of code, and a comment" for number in range(600)]
    world.model.will_say("\n".join(["```python", *lines, "```", "", "The end."]))

    ts = ann.mentions(world.general, "write it")
    await world.says("The end.", ts)

    words = [message.words for message in world.replies(ts)]
    assert len(words) > 1
    assert all(piece.count("```") % 2 == 0 for piece in words)
    assert [line for piece in words for line in piece.split("\n") if line.startswith("x")] == lines


async def test_a_reply_that_slack_will_not_stream_is_complete_all_the_same(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.slack.refuse_streaming()
    world.model.will_say("One. " * 3_000 + "The end.", pieces=200)

    ts = world.person("ann").mentions(world.general, "go on")
    await world.says("The end.", ts)

    assert squeezed("".join(m.words for m in world.replies(ts))) == squeezed("One. " * 3_000 + "The end.")
