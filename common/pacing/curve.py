"""
The distribution of traffic over a week. Plans measure time by it instead of by the clock. Integers only.

Hours of the week are counted from the epoch, in UTC: number 0 begins on Thursday at midnight. Time zones and daylight
saving need no care: a day or flight is an interval of instants.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate

from common.decision.index.schedule import schedule_of
from common.decision.rules.kinds.daypart import Window

HOUR_MS = 3_600_000
HOURS = 168
MICRO = 1_000_000
"""Fractions of a request, the unit of weights."""
DAY_STRENGTH = 4
"""
Requests that the prior of an hour of the day weighs as much as: 1 / the squared coefficient of variation assumed
between hours of a day, 50 %. Sites of one country are about that far from even.
"""
WEEK_STRENGTH = 16
"""The same for an hour of the week relative to its hour of the day: 25 %."""
_MIN_DIVISOR = 1_000
"""
No hour counts less than a thousandth of the mean hour:
a night without requests is not one in which none can come.
"""


class Curve:
    """
    *weights*: one for each of the 168 hours of a week, in any unit; 0 where nothing can be shown. All 0 means all
    equal. The traffic between two instants costs the same to compute however far apart they are.
    """

    __slots__ = ("_before", "_last", "weights")

    def __init__(self, weights: Sequence[int]) -> None:
        if len(weights) != HOURS or min(weights) < 0:
            raise ValueError(f"a curve has {HOURS} weights, none below 0")
        self.weights = tuple(weights) if any(weights) else (1,) * HOURS
        self._before = (0, *accumulate(self.weights))
        self._last = (-1, 0)
        """
        Cache of the last result: many campaigns share a curve, and evaluate it at the same
        instant one after another.
        """

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Curve) and self.weights == other.weights)

    def __hash__(self) -> int:
        return hash(self.weights)

    def until(self, at_ms: int) -> int:
        """Returns traffic from the epoch up to *at_ms*, in the weights' unit × ms; only differences are meaningful."""
        last_ms, found = self._last
        if at_ms == last_ms:
            return found
        hours, rest_ms = divmod(at_ms, HOUR_MS)
        weeks, hour = divmod(hours, HOURS)
        whole = weeks * self._before[HOURS] + self._before[hour]
        found = whole * HOUR_MS + self.weights[hour] * rest_ms
        self._last = at_ms, found
        return found


UNIFORM = Curve((1,) * HOURS)


def learned_weights(requests: Sequence[int], seen: Sequence[int]) -> tuple[int, ...]:
    """
    Returns the expected requests in each hour of a week, in millionths. *requests*: counted in that hour over the
    observed weeks; *seen*: the number of weeks in which it was observed; a week may weigh more than once in both.

    Counts are Poisson and factors Gamma (Clayton and Kaldor, 1987, as in `common.decision.posterior_rates` for clicks),
    so an hour's factor is (came + k) / (expected + k). The prior of an hour of the day is the mean hour; the prior of
    an hour of the week is its hour of the day. So a slot without requests is uniform. After one day, Tuesday is assumed
    to be like Monday. After weeks, the counts decide.
    """
    all_seen = sum(seen)
    mean = sum(requests) * MICRO // all_seen if all_seen else 0
    if mean == 0:
        return (0,) * HOURS
    days = [_level(mean, requests[hour::24], seen[hour::24], DAY_STRENGTH) for hour in range(24)]
    weeks = [
        _level(days[hour % 24], (requests[hour],), (seen[hour],), WEEK_STRENGTH)
        for hour in range(HOURS)
    ]
    least = max(1, mean // _MIN_DIVISOR)
    return tuple(max(least, weight) for weight in weeks)


def summed(curves: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Returns the weights of several slots together."""
    return tuple(map(sum, zip(*curves, strict=True))) or (0,) * HOURS


def in_dayparts(
    weights: Sequence[int], timezone: str, windows: tuple[Window, ...], at_ms: int
) -> tuple[int, ...]:
    """
    Returns *weights* for the part of each hour in which *windows* are open, in the week that begins at *at_ms*. A later
    daylight saving change takes effect at a later call.
    """
    schedule = schedule_of(timezone, windows)
    opened_ms = [0] * HOURS
    at_ms -= at_ms % HOUR_MS
    end_ms = at_ms + HOURS * HOUR_MS
    while at_ms < end_ms:
        is_open, until_ms = schedule.at(at_ms)
        until_ms = min(until_ms, at_ms - at_ms % HOUR_MS + HOUR_MS)
        if is_open:
            opened_ms[at_ms // HOUR_MS % HOURS] += until_ms - at_ms
        at_ms = until_ms
    weights = weights if any(weights) else (MICRO,) * HOURS
    return tuple(
        weight * part_ms // HOUR_MS for weight, part_ms in zip(weights, opened_ms, strict=True)
    )


def _level(prior: int, requests: Sequence[int], seen: Sequence[int], strength: int) -> int:
    """*prior* and the result are in millionths of a request an hour."""
    came = sum(requests) * MICRO + strength * MICRO
    expected = prior * sum(seen) + strength * MICRO
    return prior * came // expected
