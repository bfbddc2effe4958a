"""The playground without a key: each story of the scripted model, from the first sentence to the last."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.playground.scripted_model import PROMPTS
from tests.support.story_world import ADVICE, StoryWorld

DATABASE, LAUNCH, DELETE, COMPARE, REPORT = PROMPTS
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[StoryWorld]:
    async with StoryWorld(tmp_path) as world:
        await world.start()
        yield world


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


async def test_a_database_is_chosen_with_a_click(world: StoryWorld) -> None:
    ann = world.person("ann")

    ts = ann.mentions(world.general, DATABASE)
    form = await world.form(ts)
    assert "Suggested: PostgreSQL" in form.words
    ann.chooses(form, 1, "SQLite")
    await ann.clicks(form, "Submit")

    reply = await world.says("SQLite it is.", ts)
    assert "write-ahead logging" in reply.words
    await world.at_rest()
    assert world.state(ts) == "idle"


async def test_a_database_is_chosen_in_words_of_ones_own_which_stay_words(world: StoryWorld) -> None:
    ann = world.person("ann")

    ts = ann.mentions(world.general, DATABASE)
    form = await world.form(ts)
    ann.types(form, 1, "*MariaDB* | <!channel> `rm`")
    await ann.clicks(form, "Submit")

    reply = await world.says("“MariaDB !channel rm” it is.", ts)
    assert "Restore a backup once" in reply.words


async def test_a_launch_is_planned_from_the_answers_of_two_people(world: StoryWorld) -> None:
    ann, ben = world.person("ann"), world.person("ben")

    ts = ann.mentions(world.general, LAUNCH)
    form = await world.form(ts)
    ben.chooses(form, 1, "In two weeks")
    ben.chooses(form, 2, "Our own team")
    await ben.clicks(form, "Submit")
    partly = await world.says("Still open", ts)
    ann.chooses(partly, 1, "Blog post", "Newsletter")
    ann.types(partly, 1, "a podcast")
    ann.types(partly, 2, "They can undo anything.")
    await ann.clicks(partly, "Submit")

    plan = (await world.says("built from your answers", ts)).words
    for said in ("In two weeks", "Our own team", "Blog post, Newsletter, “a podcast”", "“They can undo anything.”"):
        assert said in plan


async def test_a_launch_is_planned_by_the_model_where_people_leave_it_the_choice(world: StoryWorld) -> None:
    ann = world.person("ann")

    ts = ann.mentions(world.general, LAUNCH)
    await ann.clicks(await world.form(ts), "Skip")

    assert "In a month (my suggestion)" in (await world.says("You left it to me", ts)).words


async def test_words_instead_of_answers_are_taken_up(world: StoryWorld) -> None:
    ann = world.person("ann")

    ts = ann.mentions(world.general, LAUNCH)
    await world.form(ts)
    ann.mentions(world.general, "let us keep it small", ts)

    await world.says("You wrote “let us keep it small” instead.", ts)


async def test_nothing_is_deleted_but_approved_it_may_be(world: StoryWorld) -> None:
    ann, ben = world.person("ann"), world.person("ben")

    ts = ann.mentions(world.general, DELETE)
    card = await world.form(ts)
    assert card.buttons == ["Approve", "Deny"]
    assert "cannot be restored" in card.words
    ben.writes(world.general, "finally!", ts)
    await world.dealt_with()
    await ben.clicks(card, "Approve")

    reply = await world.says("In this playground nothing is deleted", ts)
    assert "Approved by ben, thank you." in reply.words
    assert "“ben: finally!”" in reply.words


async def test_a_denial_is_kept_to_and_its_reason_taken_up(world: StoryWorld) -> None:
    ann = world.person("ann")

    ts = ann.mentions(world.general, DELETE)
    card = await world.form(ts)
    ann.types(card, 1, "not on a Friday")
    await ann.clicks(card, "Deny")

    reply = await world.says("exactly as it is", ts)
    assert "“not on a Friday”" in reply.words


async def test_three_sub_agents_report_and_people_decide(world: StoryWorld) -> None:
    ann = world.person("ann")

    ts = ann.mentions(world.general, COMPARE)
    form = await world.form(ts)
    assert "would have liked to ask how much traffic" in (await world.says("All three are back.", ts)).words
    ann.chooses(form, 1, "One virtual machine")
    await ann.clicks(form, "Submit")

    assert "Teach a second person" in (await world.says("Decided: One virtual machine.", ts)).words
    assert len(world.model.requests) == 6


async def test_a_long_report_arrives_whole_in_more_than_one_message(world: StoryWorld) -> None:
    report = (ROOT / "bot/playground/report.md").read_text("utf-8")

    ts = world.person("ann").mentions(world.general, REPORT)
    await world.says("more or less, a consequence.", ts)
    await world.at_rest()

    words = [message.words for message in world.replies(ts)]
    assert len(words) == 2
    assert squeezed("".join(words)) == squeezed(report)


async def test_one_story_follows_another_and_the_same_one_twice_in_a_thread(world: StoryWorld) -> None:
    ann = world.person("ann")

    ts = ann.mentions(world.general, DATABASE)
    await ann.clicks(await world.form(ts), "Skip")
    await world.says("PostgreSQL it is.", ts)
    await world.at_rest()
    ann.writes(world.general, "should we compare reports?", ts)
    ann.mentions(world.general, DELETE, ts)
    await ann.clicks(await world.form(ts), "Deny")
    await world.says("exactly as it is", ts)
    await world.at_rest()
    ann.mentions(world.general, DATABASE, ts)
    form = await world.form(ts)
    ann.chooses(form, 1, "Key-value store")
    await ann.clicks(form, "Submit")

    await world.says("Key-value store it is.", ts)


async def test_after_a_stop_and_a_cancel_a_story_can_be_begun_again(world: StoryWorld) -> None:
    ann = world.person("ann")

    ts = ann.mentions(world.general, LAUNCH)
    await world.form(ts)
    ann.mentions(world.general, "stop", ts)
    await world.says("Stopped by ann.", ts)
    ann.mentions(world.general, LAUNCH, ts)
    await ann.clicks(await world.form(ts), "Cancel")
    await world.says("Cancelled by ann.", ts)
    ann.mentions(world.general, "never mind, go on", ts)

    assert "I cannot help with that" in (await world.says("scripted model", ts)).words
    await world.at_rest()
    assert world.state(ts) == "idle"


async def test_a_report_is_stopped_while_it_is_written(tmp_path: Path) -> None:
    async with StoryWorld(tmp_path, pace=1) as world:
        await world.start()
        ann = world.person("ann")
        ts = ann.mentions(world.general, REPORT)
        await world.says("How we release", ts)
        ann.mentions(world.general, "stop", ts)
        await world.says("Stopped by ann.", ts)
        await world.model.served.wait()
        ann.mentions(world.general, "Hello?", ts)

        await world.says("Hello! I am this playground's scripted model", ts)


async def test_whatever_else_is_written_gets_an_honest_answer(world: StoryWorld) -> None:
    ann = world.person("ann")

    ts = ann.dms("What is the capital of France?")

    reply = await world.says("scripted model", ts, ann.im)
    assert all(prompt in reply.words for prompt in PROMPTS)
    assert ADVICE in reply.words


async def test_a_thread_that_grew_too_long_is_summarised_and_the_story_goes_on(tmp_path: Path) -> None:
    async with StoryWorld(tmp_path, openai_context_tokens=4_000) as world:
        await world.start()
        ann = world.person("ann")
        ts = ann.mentions(world.general, REPORT)
        await world.says("more or less, a consequence.", ts)
        await world.at_rest()
        ann.mentions(world.general, REPORT, ts)
        await world.slack.until(lambda: len(world.replies(ts)) == 4)
        await world.at_rest()
        ann.mentions(world.general, DATABASE, ts)
        form = await world.form(ts)
        ann.chooses(form, 1, "SQLite")
        await ann.clicks(form, "Submit")

        await world.says("SQLite it is.", ts)
        asked = [request["messages"] for request in world.model.requests]
        assert any(messages[0]["content"].startswith("Summarise") for messages in asked)
        assert f"- ann: {REPORT}" in asked[-1][1]["content"]
