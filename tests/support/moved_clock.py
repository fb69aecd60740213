"""The machine's clock, moved: a test lets days pass at once."""

from datetime import datetime, timedelta

from common.clock import SystemClock


class MovedClock(SystemClock):
    """Days pass, the monotonic clock goes on as it is: a test may put the machine's own back."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self._ahead

    def now_ms(self) -> int:
        return super().now_ms() + self._ahead // timedelta(milliseconds=1)

    def advance(self, by: timedelta) -> None:
        self._ahead += by
