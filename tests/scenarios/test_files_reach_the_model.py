"""Files in a message: text is read out to the model, everything else is named to it."""

from bot import inbound
from bot.inbound import Said
from tests.support.slack_world import SlackWorld


async def test_a_text_file_is_read_out_to_the_model(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Three lines.")

    ts = world.person("ann").mentions(world.general, "sum up", files={"notes.txt": "größe\nzwei\n".encode()})

    request = await world.asked(1)
    assert request["messages"][-1]["content"] == "sum up\n\n(Attached file notes.txt:)\ngröße\nzwei\n"
    await world.says("Three lines.", ts)


async def test_a_long_text_file_is_read_out_whole(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_say("Long.")
    text = "".join(f"line {number}\n" for number in range(9_000))

    ts = ann.dms("read", files={"log.txt": text.encode()})

    request = await world.asked(1)
    assert request["messages"][-1]["content"].endswith(text)
    await world.says("Long.", ts, ann.im)


async def test_an_image_is_shown_to_the_model(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("A cat.")

    ts = world.person("ann").mentions(world.general, "what is this?", files={"cat.png": b"\x89PNG"})

    words, image = (await world.asked(1))["messages"][-1]["content"]
    assert words == {"type": "text", "text": "what is this?\n\n(Attached image: cat.png)"}
    assert image == {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
    await world.says("A cat.", ts)


async def test_other_files_are_named_to_the_model(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_say("I cannot open it.")

    ts = ann.dms("what is this?", files={"data.zip": b"PK"})

    words = (await world.asked(1))["messages"][-1]["content"]
    assert words.startswith("what is this?\n\n")
    assert "cannot be read here: data.zip, application/zip, 2 bytes" in words
    await world.says("I cannot open it.", ts, ann.im)


async def test_a_file_without_words_is_enough(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_say("Read.")

    ts = ann.dms("", files={"todo.json": b'{"a": 1}'})

    request = await world.asked(1)
    assert request["messages"][-1]["content"] == '(Attached file todo.json:)\n{"a": 1}'
    await world.says("Read.", ts, ann.im)


async def test_a_file_that_slack_does_not_hand_out_is_named(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.slack.core.app.scopes -= {"files:read"}  # Slack then sends its sign-in page, with status 200
    world.model.will_say("What is in it?")

    ts = ann.dms("look", files={"notes.txt": b"secret"})

    request = await world.asked(1)
    assert request["messages"][-1]["content"] == "look\n\n(A file is attached, but could not be fetched: notes.txt.)"
    await world.says("What is in it?", ts, ann.im)


def test_a_file_that_lies_elsewhere_is_not_sent_our_token() -> None:
    file = {"id": "F1", "name": "a.txt", "mimetype": "text/plain", "is_external": True, "url_private": "http://evil/"}
    event = {"type": "message", "channel": "D1", "ts": "1.1", "user": "U1", "text": "look", "files": [file]}

    said = inbound.parse({"type": "event_callback", "team_id": "T1", "event": event}, "U0")

    assert isinstance(said, Said)
    assert [file.url_private for file in said.files] == [""]
