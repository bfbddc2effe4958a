"""A thread whose rows cannot be read: the others of its workspace go on, and are shown."""

import pytest
import sqlalchemy as sa

from agent.store import database
from tests.support.slack_world import SlackWorld


def spoil(world: SlackWorld, ts: str, what: str) -> None:
    engine = database.create_engine(database.parse_url(world.database_url))
    with engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE threads SET {what} WHERE root = :ts"), {"ts": ts})
        of_thread = "thread_id = (SELECT id FROM threads WHERE root = :ts)"
        connection.execute(sa.text(f"UPDATE journal SET kind = 'finished' WHERE {of_thread}"), {"ts": ts})
    engine.dispose()


@pytest.mark.parametrize(
    "what",
    [
        pytest.param("state = '{'", id="a state that is no JSON"),
        pytest.param("state = '{}', version = 0", id="an older version whose journal does not add up"),
    ],
)
async def test_the_others_go_on_after_a_restart(slack_world: SlackWorld, what: str) -> None:
    world = await slack_world.start()
    tses = []
    for number in (1, 2):
        world.model.will_hang()
        tses.append(world.person().mentions(world.general, "think hard"))
        await world.asked(number)
    await world.stop()
    spoil(world, tses[0], what)
    world.model.will_say("Here I am again.")

    await world.start()

    await world.says("Here I am again.", tses[1])


async def test_app_home_lists_the_others(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, tses = world.person(), []
    for name in ("first", "second"):
        world.model.will_ask([{"question": f"Where to with the {name}?"}])
        tses.append(ann.mentions(world.general, f"ship the {name}"))
        await world.form(tses[-1])
    await world.at_rest()
    spoil(world, tses[0], "state = '{'")

    ann.opens_home()

    await world.slack.until(lambda: (home := world.slack.home(ann)) and "second" in str(home.body))
    assert "first" not in str(world.slack.home(ann))
