"""Whose a thread is: looked up and changed in the transaction that needs to know."""

import sqlalchemy as sa

from agent import signals
from agent.core.errors import StoreError
from agent.ports import NOBODY, Presence, ThreadKey

_LIVES = sa.text(f"SELECT :number IN ({signals.LIVING})")
_NOTIFY = sa.select(sa.func.pg_notify(sa.bindparam("channel"), sa.bindparam("payload")))


def present(here: Presence) -> int:
    """The number that something new is to belong to."""
    if (number := here.number) == NOBODY:
        raise StoreError("The database was lost for a moment, and with it our place there.")
    return number


def runner_after(connection: sa.Connection, runner: int, number: int, here: Presence) -> int:
    """To whom a thread of that runner belongs, once `number` has written to it: a dead one's becomes the writer's."""
    if runner == number or here.lives(runner):
        return runner
    return runner if connection.scalar(_LIVES, {"number": runner}) else number


def tell_runner(connection: sa.Connection, runner: int, key: ThreadKey) -> None:
    """Heard when this transaction is committed, and not if it is not."""
    channel = signals.channel_of(runner)
    connection.execute(_NOTIFY, {"channel": channel, "payload": key.to_json()})


def tell_everyone(connection: sa.Connection, what: str) -> None:
    if is_postgres(connection):
        connection.execute(_NOTIFY, {"channel": signals.EVERYONE, "payload": what})


def is_postgres(connection: sa.Connection) -> bool:
    return connection.dialect.name == "postgresql"
