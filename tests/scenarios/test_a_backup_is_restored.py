"""An older state of the database comes back: what was answered since is open again, and nothing is stuck."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


def back_up(source: Path, target: Path) -> None:
    """As sqlite3's .backup does, while Parley runs."""
    with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(target)) as copy:
        live.backup(copy)


def restore(backup: Path, database: Path) -> None:
    for more in ("", "-wal", "-shm"):
        Path(f"{database}{more}").unlink(missing_ok=True)
    backup.rename(database)


@pytest.mark.parametrize("slack_world", ["sockets"], indirect=True)
async def test_a_question_that_was_answered_since_the_backup_can_be_answered_in_words(
    slack_world: SlackWorld, tmp_path: Path
) -> None:
    world, ann = await slack_world.start(), slack_world.person("ann")
    database, backup = tmp_path / "parley.db", tmp_path / "backup.db"
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped to Production.")
    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    await world.at_rest()
    back_up(database, backup)
    ann.chooses(form, 0, "Production")
    await ann.clicks(form, "Submit")
    await world.says("Shipped to Production.", ts)
    await world.at_rest()

    await world.stop()
    restore(backup, database)
    world.model.will_say("Shipped to Staging.")
    await world.start()
    assert world.state(ts) == "waiting"
    assert world.forms(ts) == []  # Slack still shows the receipt
    ann.writes(world.general, "Staging", thread_ts=ts)

    await world.says("Shipped to Staging.", ts)
    await world.says("Shipped to Production.", ts)
