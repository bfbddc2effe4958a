"""Who people are, by Slack's own facts, kept for a few minutes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
        self._clock = clock
        self._kept: dict[tuple[str, str], tuple[float, Any]] = {}

    async def member(self, user: str, team: str) -> Member:
        kept = self._fresh("member", user)
        if isinstance(kept, Member):
            return kept
        try:
            answer = await self._slack.call("users.info", user=user)
        except SlackRefused:
            return Member(user, known=False)
        member = _member(answer.get("user") or {}, user, team)
        self._keep("member", user, member)
        return member

    async def quickly(self, user: str, team: str) -> Member:
        """What is known of them at once: to stop a run must not wait for Slack."""
        kept = self._fresh("member", user)
        if isinstance(kept, Member):
            return kept
        try:
            answer = await self._slack.call_once("users.info", user=user)
        except (SlackRefused, SlackAway):
            return Member(user, known=False)
        return _member(answer.get("user") or {}, user, team)

    async def of_group(self, group: str) -> frozenset[str]:
        kept = self._fresh("group", group)
        if isinstance(kept, frozenset):
            return kept
        try:
            answer = await self._slack.call("usergroups.users.list", usergroup=group)
        except SlackRefused:
            return frozenset()
        users = frozenset(str(user) for user in answer.get("users", ()))
        self._keep("group", group, users)
        return users

    def _fresh(self, kind: str, name: str) -> Any:
        at, value = self._kept.get((kind, name), (float("-inf"), None))
        return value if self._clock() - at < _KEPT_SECONDS else None

    def _keep(self, kind: str, name: str, value: Any) -> None:
        self._kept[kind, name] = (self._clock(), value)


def _member(facts: dict[str, Any], user: str, team: str) -> Member:
    profile = facts.get("profile") or {}
    name = profile.get("display_name") or profile.get("real_name") or facts.get("real_name") or facts.get("name")
    return Member(
        id=user,
        name=str(name or ""),
        guest=bool(facts.get("is_restricted") or facts.get("is_ultra_restricted")),
        external=bool(facts.get("is_stranger")) or (facts.get("team_id") or team) != team,
    )
