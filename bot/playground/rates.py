"""How many calls Slack takes before it says 429; off until switched on."""

import math
from collections import defaultdict, deque

from bot.playground.clock import Clock

TIERS = {1: 1, 2: 20, 3: 50, 4: 100}  # calls a minute, per method, workspace and app
METHOD_TIERS = {  # apps.connections.open is left out: the SDK would sit out a real minute when it reconnects
    "agents.sessions.rename": 3,
    "agents.sessions.setStatus": 3,
    "bots.info": 3,
    "chat.appendStream": 4,
    "chat.delete": 3,
    "chat.postEphemeral": 4,
    "chat.startStream": 2,
    "chat.stopStream": 2,
    "chat.update": 3,
    "conversations.history": 3,
    "conversations.info": 3,
    "conversations.members": 4,
    "conversations.open": 3,
    "conversations.replies": 3,
    "files.info": 4,
    "team.info": 3,
    "usergroups.users.list": 2,
    "users.info": 4,
    "views.open": 4,
    "views.publish": 4,
    "views.push": 4,
    "views.update": 4,
}
STATUS_PER_MINUTE = 600
POST_BURST = 5  # ours: Slack says about one a second per channel "with short bursts"


class Rates:
    """Counts calls in the last minute; posts to a channel refill at one a second."""

    def __init__(self, clock: Clock) -> None:
        self.on = False
        self.own: dict[str, int] = {}  # calls a minute for a method, instead of its tier
        self._clock = clock
        self._calls: defaultdict[tuple[str, str], deque[float]] = defaultdict(deque)

    def wait(self, method: str, channel: str) -> int | None:
        """Count a call; the seconds for `Retry-After` if it is one too many."""
        if not self.on and method not in self.own:
            return None
        if method == "chat.postMessage" and method not in self.own:
            return self._count((method, channel), POST_BURST, float(POST_BURST))
        if method == "assistant.threads.setStatus":
            allowed = self.own.get(method, STATUS_PER_MINUTE)
        else:
            allowed = self.own.get(method, TIERS[METHOD_TIERS[method]] if method in METHOD_TIERS else 0)
        return self._count((method, ""), allowed, 60.0) if allowed else None

    def _count(self, key: tuple[str, str], allowed: int, span: float) -> int | None:
        now, calls = self._clock.now(), self._calls[key]
        while calls and calls[0] <= now - span:
            calls.popleft()
        if len(calls) >= allowed:
            return max(1, math.ceil(calls[0] + span - now))
        calls.append(now)
        return None
