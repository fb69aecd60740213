"""What a debugged call took, as ``Server-Timing``: browsers show it beside the request."""

from typing import final

from common.http.answer import RawResponse
from common.values.clock import Clock

HEADER = "Server-Timing"


@final
class Timing:
    """Begins when it is made. ``decide_s``: deciding alone, over all slots of the call."""

    def __init__(self, clock: Clock) -> None:
        self.decide_s = 0.0
        self._clock = clock
        self._begun_s = clock.monotonic_s()

    def now_s(self) -> float:
        return self._clock.monotonic_s()

    def put_on(self, response: RawResponse) -> RawResponse:
        """*response*, with milliseconds until now in its headers."""
        total_s = self.now_s() - self._begun_s
        value = f"decide;dur={self.decide_s * 1000:.3f}, total;dur={total_s * 1000:.3f}"
        response.head += f"{HEADER}: {value}\r\n".encode("ascii")
        return response
