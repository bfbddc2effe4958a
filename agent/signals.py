"""What replicas on one PostgreSQL have agreed on: how one knows who lives, and what they tell each other."""

from dataclasses import dataclass

from agent.ports import ThreadKey

# Each holds the session lock (NAMESPACE, its number) for as long as it lives.
NAMESPACE = 0x7061726C
IS_HELD = (
    f"locktype = 'advisory' AND classid = {NAMESPACE} AND objsubid = 2 AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
# The numbers of those that live. Whoever writes a row under a number has its lock by then, so a row that can be seen
# and whose number is not among these belongs to nobody, and for good: a number is not used again.
LIVING = f"SELECT objid::bigint FROM pg_locks WHERE {IS_HELD}"

EVERYONE = "parley"
LEFT, _SHOWN = "left", "shown"


@dataclass(frozen=True)
class Woken:
    """A thread of ours was moved on by another replica."""

    thread: ThreadKey


@dataclass(frozen=True)
class Shown:
    """Something that people see in lists has opened or ended in a team, at whichever replica."""

    team: str


class Sweep:
    """Time to look for what belongs to nobody."""


class Lost:
    """We count as dead, and nothing belongs to us any more."""


Sign = Woken | Shown | Sweep | Lost


def channel_of(number: int) -> str:
    return f"{EVERYONE}_{number}"


def shown_in(team: str) -> str:
    return f"{_SHOWN} {team}"


def sign_of(channel: str, payload: str) -> Sign:
    """What a notification means."""
    if channel != EVERYONE:
        return Woken(ThreadKey.model_validate_json(payload))
    what, _, team = payload.partition(" ")
    return Shown(team) if what == _SHOWN else Sweep()
