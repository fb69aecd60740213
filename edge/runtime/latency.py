"""Latencies of requests, as histograms with fixed buckets: one comparison and two additions a request."""

from bisect import bisect_left
from typing import Final, final

BOUNDS_S: tuple[float, ...] = (
    *(0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005),
    *(0.01, 0.025, 0.05, 0.1, 0.25, 1.0),
)
"""Upper bounds of the buckets, in seconds. A serve call takes some 20 µs; a track call waits for the disk."""

SERVE: Final = "serveAd"
TRACK: Final = "trackEvent"
"""Operations have their names from the public API description."""

OK, NO_FILL, REFUSED, FAILED = "ok", "no_fill", "refused", "failed"
_TWO, _THREE, _FOUR, _ZERO = ord("2"), ord("3"), ord("4"), ord("0")
_CLASS_AT, _LAST_DIGIT_AT = len("HTTP/1.1 "), len("HTTP/1.1 20")
_ERRORS, _FAULTS = 400, 500


@final
class Histogram:
    """Counts are not cumulative; the last one is above all bounds. *bounds_s*: upper bounds, ascending."""

    def __init__(self, bounds_s: tuple[float, ...]) -> None:
        self.bounds_s: Final = bounds_s
        self.counts = [0] * (len(bounds_s) + 1)
        self.sum_s = 0.0

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(self.bounds_s, seconds)] += 1
        self.sum_s += seconds


def outcome_of(operation: str, status: int) -> str:
    """Returns the outcome of a response; see `Latencies`."""
    if status >= _ERRORS:
        return FAILED if status >= _FAULTS else REFUSED
    return NO_FILL if status == 204 and operation == SERVE else OK  # noqa: PLR2004 - No Content


@final
class Latencies:
    """
    Latencies of one worker, in seconds from the request's complete head to its response. Requests that arrived together
    count from the first one's head. Outcomes: ``ok`` (2xx and 3xx), ``no_fill`` (a serve call's 204), ``refused``
    (4xx), ``failed`` (5xx).
    """

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], Histogram] = {}
        self._serve_ok = self.of(SERVE, OK)
        self._serve_no_fill = self.of(SERVE, NO_FILL)
        self._serve_refused = self.of(SERVE, REFUSED)
        self._serve_failed = self.of(SERVE, FAILED)
        # Prometheus sees no increase in a counter that begins with its first failure.
        self.of(TRACK, FAILED)

    def of(self, operation: str, outcome: str) -> Histogram:
        histogram = self.found.get((operation, outcome))
        if histogram is None:
            histogram = self.found[(operation, outcome)] = Histogram(BOUNDS_S)
        return histogram

    def observe(self, operation: str, status: int, seconds: float) -> None:
        self.of(operation, outcome_of(operation, status)).observe(seconds)

    def observe_serve(self, answer: bytes, seconds: float) -> None:
        """As `observe`, for a serve call, by the status line of its response."""
        kind = answer[_CLASS_AT]
        if kind == _TWO:
            if answer[_LAST_DIGIT_AT] == _ZERO:
                self._serve_ok.observe(seconds)
            else:
                self._serve_no_fill.observe(seconds)
        elif kind == _THREE:
            self._serve_ok.observe(seconds)
        elif kind == _FOUR:
            self._serve_refused.observe(seconds)
        else:
            self._serve_failed.observe(seconds)
