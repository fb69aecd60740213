"""The machine's clock, moved: a test lets days pass at once."""

from datetime import datetime, timedelta

from common.values.clock import SystemClock, to_ms


class MovedClock(SystemClock):
    """Days pass, the monotonic clock goes on as it is: a test may put the machine's own back."""

    def __init__(self, *, stands: bool = False) -> None:
        """*stands*: time passes only where the test says so."""
        self._ahead = timedelta()
        self._stands_at = super().now() if stands else None

    def now(self) -> datetime:
        return (self._stands_at or super().now()) + self._ahead

    def now_ms(self) -> int:
        return to_ms(self.now())

    def advance(self, by: timedelta) -> None:
        self._ahead += by
