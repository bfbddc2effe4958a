"""When people are reminded of an open question, and when it expires: pure."""

from dataclasses import dataclass
from datetime import datetime
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
        while not self._is_working(moment):
            at += 3_600 - moment.minute * 60 - moment.second - moment.microsecond / 1e6
            moment = datetime.fromtimestamp(at, self.zone)
        return at

    def _is_working(self, moment: datetime) -> bool:
        if self.closes - self.opens == 24:
            return True
        if self.opens < self.closes:
            in_hours = self.opens <= moment.hour < self.closes
        else:  # over midnight
            in_hours = moment.hour >= self.opens or moment.hour < self.closes
        return moment.weekday() < 5 and in_hours
