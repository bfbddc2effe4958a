"""The record of what went to and fro between this Slack and the app, numbered in its order."""

from dataclasses import dataclass, field
from itertools import count

from bot.playground.workspace import Json


@dataclass(frozen=True)
class Call:
    """One call of the Web API."""

    method: str
    args: Json
    error: str | None
    status: int
    at: float
    answer: Json = field(default_factory=dict)
    number: int = 0

    @property
    def ok(self) -> bool:
        return self.error is None


@dataclass
class Delivery:
    """One envelope that was sent."""

    kind: str
    payload: Json
    attempt: int
    envelope_id: str
    at: float
    acked: bool = False
    answer: Json = field(default_factory=dict)
    number: int = 0

    @property
    def type(self) -> str:
        event: Json = self.payload.get("event", self.payload)
        return str(event["type"])


class Record:
    """Everything, or with `most` only the newest so many of each kind, as whoever runs for days would want it."""

    def __init__(self, most: int | None = None) -> None:
        self.calls: list[Call] = []
        self.deliveries: list[Delivery] = []
        self.most = most
        self._numbers = count(1)

    def call(self, method: str, args: Json, error: str | None, status: int, at: float, answer: Json) -> None:
        self.calls.append(Call(method, args, error, status, at, answer, next(self._numbers)))
        if self.most is not None:
            del self.calls[: -self.most]

    def delivery(self, delivery: Delivery) -> list[Delivery]:
        """Those that are forgotten for it."""
        delivery.number = next(self._numbers)
        self.deliveries.append(delivery)
        forgotten = [] if self.most is None else self.deliveries[: -self.most]
        del self.deliveries[: len(forgotten)]
        return forgotten
