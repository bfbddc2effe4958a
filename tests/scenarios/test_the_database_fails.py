"""The database cannot be used for a moment: what was to be shown is shown, and nothing that runs beside it ends."""

from typing import Any

import pytest

from agent.core.errors import StoreError
from agent.store.delivery import Delivery
from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}
HOUR = 3_600.0


@pytest.fixture
def fails_once(monkeypatch: pytest.MonkeyPatch) -> Any:
    def fails_once(name: str) -> list[bool]:
        """The next use of this; what is returned fills when it has happened."""
        usual, failed = getattr(Delivery, name), list[bool]()

        async def sometimes(*args: Any) -> Any:
            if not failed:
                failed.append(True)
                raise StoreError("The database cannot be used now (OperationalError).")
            return await usual(*args)

        monkeypatch.setattr(Delivery, name, sometimes)
        return failed

    return fails_once


async def test_a_message_whose_posting_could_not_be_written_down_is_there_once(
    slack_world: SlackWorld, fails_once: Any
) -> None:
    world = await slack_world.start()
    world.model.will_ask(WHERE)
    gate = world.slack.hold("chat.postMessage")
    ts = world.person().mentions(world.general, "ship it")
    await gate.reached()

    fails_once("show")
    gate.open()
    await world.at_rest()

    assert len(world.replies(ts)) == 1


async def test_the_home_tab_is_published_again_after_a_failure(slack_world: SlackWorld, fails_once: Any) -> None:
    world = await slack_world.start()
    ann = world.person()
    failed = fails_once("open_cards")
    ann.opens_home()
    await world.slack.until(lambda: failed)

    ann.opens_home()

    await world.slack.until(lambda: world.slack.home(ann))


async def test_reminders_go_on_after_a_failure(slack_world: SlackWorld, fails_once: Any) -> None:
    world = await slack_world.start(parley_remind_after_hours=2, parley_working_hours="0-24")
    world.model.will_ask(WHERE)
    ts = world.person().mentions(world.general, "ship it")
    await world.form(ts)
    await world.at_rest()

    failed = fails_once("due")
    world.slack.clock.advance(3 * HOUR)
    await world.slack.until(lambda: failed)

    await world.says("Still waiting", ts)
