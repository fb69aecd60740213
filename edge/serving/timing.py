"""Durations of a debugged request as ``Server-Timing``, which browsers show beside the request."""

from typing import final

from common.http.answer import RawResponse
from common.values.clock import Clock

HEADER = "Server-Timing"


@final
class Timing:
    """A timer that starts at construction. ``decide_s``: time of the decisions alone, over all slots of the request."""

    def __init__(self, clock: Clock) -> None:
        self.decide_s = 0.0
        self._clock = clock
        self._begun_s = clock.monotonic_s()

    def now_s(self) -> float:
        return self._clock.monotonic_s()

    def put_on(self, response: RawResponse) -> RawResponse:
        """Adds the elapsed milliseconds to the headers of *response*."""
        total_s = self.now_s() - self._begun_s
        value = f"decide;dur={self.decide_s * 1000:.3f}, total;dur={total_s * 1000:.3f}"
        response.head += f"{HEADER}: {value}\r\n".encode("ascii")
        return response
