"""Whatever a model or a person writes: nobody is pinged, no message breaks, and the full label comes back."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.slack_world import SlackWorld

PING = "<!channel> <!here> <@U0BENBBBB> <https://evil.example|bank> & <b>"
LABELS = [
    "<!channel> do it",
    "a very long label " * 20 + "one",
    "a very long label " * 20 + "two",
    "שלום\u202e evil\nsecond line 👩‍👩‍👧‍👦 :tada:",
]
QUESTIONS = {
    "pings": f"Ready? {PING}",
    "very long": f"{'Why, oh why? ' * 300}{PING}",
    "newlines": "Line one\n\n> quote <!here>\n```\ncode <!channel>\n```\n* list",
    "right to left": "\u202eמה השלום\u202c \u2067abc <!everyone>",
    "emoji": "🚀" * 500 + ":fire: <!subteam^S0LEADS00>",
    "markup": "*bold* _it_ ~no~ `code` [link](https://evil.example) &lt;!channel&gt; &amp;",
}


def live(thing: Any) -> Iterator[str]:
    """Every text in which Slack would look for mentions."""
    if isinstance(thing, list):
        for each in thing:
            yield from live(each)
    elif isinstance(thing, dict):
        if thing.get("type") in ("mrkdwn", "markdown"):
            yield thing["text"]
        for value in thing.values():
            yield from live(value)


def assert_harmless(world: SlackWorld, ts: str) -> None:
    for message in world.replies(ts):
        for text in (message.text, *live(message.blocks)):
            assert not any(token in text for token in ("<!", "<@", "<#", "<http")), text


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS.keys())
@pytest.mark.parametrize("number", range(len(LABELS)))
async def test_any_question_is_shown_and_the_full_label_comes_back(
    slack_world: SlackWorld, question: str, number: int
) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    options = [{"label": label, "description": f"{PING} {label}"} for label in LABELS]
    world.model.will_ask([{"question": question, "options": options, "header": "<!here> 🚀"}])
    world.model.will_say(f"As you wish: {PING}\n\n> {PING}\n\n```\n{PING}\n```")

    ts = ann.mentions(world.general, "go")
    form = await world.form(ts)
    assert_harmless(world, ts)
    ann.chooses(form, 1, number)
    await ann.clicks(form, "Submit")

    await world.says("As you wish", ts)
    assert world.result() == {"answers": {question: LABELS[number]}}
    assert_harmless(world, ts)


async def test_what_people_type_is_quoted_without_pinging_anyone(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask([{"question": "Where to?"}, {"question": f"Who? {PING}"}])
    world.model.will_say("Done.")

    ts = ann.mentions(world.general, "go")
    form = await world.form(ts)
    ann.types(form, 1, PING)
    ben.types(form, 1, "there")
    await ann.clicks(form, "Submit")
    await ben.clicks(form, "Submit")
    told = await world.told("ann was first to answer “Where to?”", ben)
    ann.mentions(world.general, PING, ts)

    await world.says("Done.", ts)
    assert world.result()["answers"]["Where to?"] == PING
    assert not any(token in told.text for token in ("<!", "<@", "<http"))
    assert_harmless(world, ts)


async def test_a_name_that_would_ping_is_only_a_name(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    mallory = world.slack.add_person("<!channel>")
    world.general.members.append(mallory.id)
    world.model.will_ask([{"question": "Where to?"}])

    ts = mallory.mentions(world.general, "go")
    await mallory.clicks(await world.form(ts), "Cancel")

    await world.slack.until(lambda: not world.forms(ts))
    await world.says("Cancelled by &lt;!channel&gt;.", ts)
    assert_harmless(world, ts)
