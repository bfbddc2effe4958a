"""People can stop a run at any time: with Slack's own Stop, or by writing "stop" to the bot."""

import asyncio

import pytest

from agent.core.states import State, Stopped
from agent.ports import ThreadKey
from bot.live import LiveView
from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


@pytest.mark.parametrize("word", ["stop", "Stop!", "STOP"])
async def test_writing_stop_in_the_thread_stops_it_and_the_next_mention_works(
    slack_world: SlackWorld, word: str
) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_hang()

    ts = ann.mentions(world.general, "think hard")
    await world.model.reached.wait()
    ben.mentions(world.general, word, ts)
    await world.says("Stopped by ben.", ts)
    await world.model.hung_up.wait()
    world.model.will_say("Here again.")
    ann.mentions(world.general, "are you there?", ts)

    await world.says("Here again.", ts)
    assert len(world.model.requests) == 2


async def test_slacks_own_stop_stops_it_and_the_next_mention_works(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_hang()

    ts = ann.mentions(world.general, "think hard")
    await world.model.reached.wait()
    await world.slack.until(lambda: (found := world.slack.session(world.general, ts)) and found.status == "processing")
    ann.stops(world.general, ts)
    await world.says("Stopped by ann.", ts)
    await world.model.hung_up.wait()
    world.model.will_say("Here again.")
    ann.mentions(world.general, "are you there?", ts)

    await world.says("Here again.", ts)


async def test_a_direct_message_stop_in_the_thread_stops_it(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_pause("I begin with", until=asyncio.Event())

    ts = ann.dms("count to a million")
    await world.model.reached.wait()
    ann.dms("stop", ts)

    await world.says("Stopped by ann.", ts, ann.im)
    await world.model.hung_up.wait()


async def test_stop_while_a_question_is_open_closes_the_form(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(WHERE)

    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    ann.mentions(world.general, "stop", ts)
    await world.slack.until(lambda: not world.forms(ts))
    await world.says("Stopped by ann.", ts)
    assert "by ann" not in (await world.says("✕ Not answered", ts)).words, "said twice"
    await ben.clicks(form, "Skip")

    await world.told("ann has already stopped this run.", ben)
    assert len(world.model.requests) == 1


async def test_stop_when_nothing_runs_is_answered_privately_and_not_by_the_model(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_say("Done.")

    ts = ann.mentions(world.general, "be quick")
    await world.says("Done.", ts)
    ann.mentions(world.general, "stop", ts)

    await world.told("Nothing is running in this thread.", ann)
    assert len(world.model.requests) == 1


async def test_stop_is_an_answer_where_it_is_an_option(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask([{"question": "Go on?", "options": ["Go on", "Stop"]}])
    world.model.will_say("I leave it there.")

    ts = ann.dms("migrate")
    await world.form(ts, ann.im)
    ann.dms("stop", ts)

    await world.says("I leave it there.", ts, ann.im)
    assert world.result() == {"answers": {"Go on?": "Stop"}}


async def test_a_word_that_comes_too_late_begins_no_message_below_stopped(
    slack_world: SlackWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await slack_world.start()
    changed, late = LiveView.changed, list[ThreadKey]()

    def word_in_the_pipe(live: LiveView, thread: ThreadKey, state: State) -> None:
        changed(live, thread, state)
        if isinstance(state, Stopped):
            late.append(thread)
            live.text(thread, "Stray")

    monkeypatch.setattr(LiveView, "changed", word_in_the_pipe)
    world.model.will_hang()
    ts = world.person("ann").mentions(world.general, "think hard")
    await world.model.reached.wait()
    world.person("ben").mentions(world.general, "stop", ts)
    await world.says("Stopped by ben.", ts)
    go_on = asyncio.Event()
    world.model.will_pause("Here ", go_on, "again.")
    world.person("ann").mentions(world.general, "are you there?", ts)

    shown = await world.says("Here", ts)
    assert [late != [], shown.words] == [True, "Here "]
    go_on.set()
    await world.says("Here again.", ts)
    assert [message.words for message in world.replies(ts)] == ["Stopped by ben.", "Here again."]
