"""When people are reminded of an open question, and when it expires: pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class Schedule:
    """When people are reminded and when a question expires, in seconds; 0 is never."""

    remind_after: float
    expire_after: float
    opens: int
    closes: int
    zone: ZoneInfo

    def times(self, at: float) -> tuple[float | None, float | None]:
        remind = self.in_working_hours(at + self.remind_after) if self.remind_after else None
        return remind, at + self.expire_after if self.expire_after else None

    def in_working_hours(self, at: float) -> float:
        """This moment, or the next one on a working day at a working hour."""
        moment = datetime.fromtimestamp(at, self.zone)
        for _ in range(8):
            start = moment.replace(hour=self.opens, minute=0, second=0, microsecond=0)
            if moment.weekday() < 5 or self.closes - self.opens == 24:
                if moment < start:
                    return start.timestamp()
                if moment.hour < self.closes:
                    return moment.timestamp()
            moment = start + timedelta(days=1)
        return moment.timestamp()
