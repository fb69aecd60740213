"""The machine's clock, moved: a test lets days pass at once."""

from datetime import datetime, timedelta

from common.values.clock import SystemClock, to_ms


class MovedClock(SystemClock):
    """Days pass, the monotonic clock goes on as it is: a test may put the machine's own back."""

    def __init__(self, *, stands: bool = False) -> None:
        """*stands*: time passes only where the test says so."""
        self._ahead = timedelta()
        self._stands_at = _stopped_at(super().now()) if stands else None

    def now(self) -> datetime:
        return (self._stands_at or super().now()) + self._ahead

    def now_ms(self) -> int:
        return to_ms(self.now())

    def advance(self, by: timedelta) -> None:
        self._ahead += by


def _stopped_at(now: datetime) -> datetime:
    """At least five seconds into the hour of *now*, so that the events of the last seconds are of the same hour."""
    return max(now, now.replace(second=5, minute=0, microsecond=0))
