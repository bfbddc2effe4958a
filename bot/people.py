"""Who people are, by Slack's own facts, kept for a few minutes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.kept import Kept
from bot.slack import Slack, SlackAway, SlackRefused

_KEPT_SECONDS = 300.0


@dataclass(frozen=True)
class Member:
    """`known` is False if Slack would not say: then nothing is taken for granted."""

    id: str
    name: str = ""
    guest: bool = False
    external: bool = False
    known: bool = True


class People:
    def __init__(self, slack: Slack, clock: Callable[[], float] = time.monotonic) -> None:
        self._slack = slack
        self._members = Kept[str, Member](_KEPT_SECONDS, clock)
        self._groups = Kept[str, frozenset[str]](_KEPT_SECONDS, clock)

    async def member(self, user: str, team: str) -> Member:
        if kept := self._members.get(user):
            return kept
        try:
            answer = await self._slack.call("users.info", user=user)
        except SlackRefused:
            return Member(user, known=False)
        member = _member(answer.get("user") or {}, user, team)
        self._members.put(user, member)
        return member

    async def quickly(self, user: str, team: str) -> Member:
        """What is known of them at once: to stop a run must not wait for Slack."""
        if kept := self._members.get(user):
            return kept
        try:
            answer = await self._slack.call_once("users.info", user=user)
        except (SlackRefused, SlackAway):
            return Member(user, known=False)
        return _member(answer.get("user") or {}, user, team)

    async def of_group(self, group: str) -> frozenset[str]:
        if (kept := self._groups.get(group)) is not None:
            return kept
        try:
            answer = await self._slack.call("usergroups.users.list", usergroup=group)
        except SlackRefused:
            return frozenset()
        users = frozenset(str(user) for user in answer.get("users", ()))
        self._groups.put(group, users)
        return users


def _member(facts: dict[str, Any], user: str, team: str) -> Member:
    profile = facts.get("profile") or {}
    name = profile.get("display_name") or profile.get("real_name") or facts.get("real_name") or facts.get("name")
    return Member(
        id=user,
        name=str(name or ""),
        guest=bool(facts.get("is_restricted") or facts.get("is_ultra_restricted")),
        external=bool(facts.get("is_stranger")) or (facts.get("team_id") or team) != team,
    )
