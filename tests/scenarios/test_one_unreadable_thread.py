"""A thread whose row cannot be read: the others of its workspace go on, and are shown."""

import sqlalchemy as sa

from agent.store import database
from tests.support.slack_world import SlackWorld


def spoil(world: SlackWorld, ts: str) -> None:
    engine = database.create_engine(database.parse_url(world.database_url))
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE threads SET state = '{' WHERE root = :ts"), {"ts": ts})
    engine.dispose()


async def test_the_others_go_on_after_a_restart(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    tses = []
    for number in (1, 2):
        world.model.will_hang()
        tses.append(world.person().mentions(world.general, "think hard"))
        await world.asked(number)
    await world.stop()
    spoil(world, tses[0])
    world.model.will_say("Here I am again.")

    await world.start()

    await world.says("Here I am again.", tses[1])
