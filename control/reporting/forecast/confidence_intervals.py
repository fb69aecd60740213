"""Turns the counts of a simulation into numbers with intervals. Each part of an interval has its reason."""

from dataclasses import dataclass
from math import sqrt
from statistics import fmean, pstdev

from control.reporting.forecast.job import Forecast, ForecastInterval, Job

_SIGMAS = 1.96
"""Covers 95 %, for sums of many small contributions."""
_MODEL = 0.03
"""Model error of every count: hours are learned, and no two weeks are alike."""
_COMPETITORS = 0.05
"""Added for counts that depend on other campaigns: their position within the hour is unknown."""
_FULL = 0.02
"""For a budget that meets ample traffic: what arrives late, or not at all, at its end."""
_PLENTY = 1.3
_MIN_EVENTS = 3
"""Events: no interval is narrower to either side, unless a budget ends it."""
_MAX_DAYS = 4


@dataclass(slots=True)
class Tally:
    """
    Counted requests of the simulation, each of which stands for ``weight`` impressions.

    ``requests``: expected in the period; ``records``: how many records were sampled. ``micros``: expected cost of all
    available ones.
    """

    requests: float
    weight: float
    records: int
    matched: int = 0
    booked: int = 0
    contested: int = 0
    delivered: int = 0
    limited_by_goal: int = 0
    micros: int = 0


def forecast_of(job: Job, tally: Tally) -> Forecast:
    """Turns the counts of a simulated period into intervals of impressions and spend."""
    available = tally.matched - tally.booked
    span = _span(job, tally, available, _COMPETITORS)
    delivered, limited_by = _delivered(job, tally, span)
    price = tally.micros / max(1, available)
    return Forecast(
        matched=_span(job, tally, tally.matched, 0.0),
        booked=_span(job, tally, tally.booked, _COMPETITORS),
        available=span,
        contested=_span(job, tally, tally.contested, _COMPETITORS),
        delivered=delivered,
        spend_micros=ForecastInterval(*(round(n * price) for n in _ends(delivered))),
        limited_by=limited_by,
        records=tally.records,
    )


def _span(job: Job, tally: Tally, count: int, besides: float) -> ForecastInterval:
    """
    Interval of *count* simulated requests, in impressions.

    Its error combines the sampling of records (binomial), the variation of days, the counting of single events
    (Poisson), and *besides*.
    """
    likely = count * tally.weight
    if not count:
        return ForecastInterval(
            0, 0, round(_MIN_EVENTS + tally.requests / max(1, tally.records) * _MIN_EVENTS)
        )
    share = count / max(1, tally.requests * job.shown / tally.weight)
    sampled = max(0.0, 1 - share) / (tally.records * share)
    variance = sampled + _of_days(job) ** 2 + 1 / likely + _MODEL**2 + besides**2
    off = max(_MIN_EVENTS, likely * _SIGMAS * sqrt(variance))
    return ForecastInterval(max(0, round(likely - off)), round(likely), round(likely + off))


def _of_days(job: Job) -> float:
    """Relative error of a period's traffic, estimated from the variation between days."""
    if len(job.days) < 2 or not any(job.days):  # noqa: PLR2004 - one day has no variance
        return 0.0
    apart: float = pstdev(job.days) / fmean(job.days)
    return apart / sqrt(min(len(job.days), _MAX_DAYS)) / 2


def _delivered(job: Job, tally: Tally, available: ForecastInterval) -> tuple[ForecastInterval, str]:
    likely = tally.delivered * tally.weight
    affordable = _impressions_of_budget(job, tally)
    if affordable is not None:
        likely = min(likely, affordable)
    off = _SIGMAS * _FULL
    if available.low < _PLENTY * likely:
        off = (available.likely - available.low) / max(1, available.likely)
    low = max(0, round(min(likely * (1 - off), likely - _MIN_EVENTS)))
    high = max(round(likely * (1 + off)), round(likely) + _MIN_EVENTS)
    if affordable is not None:
        high = min(high, affordable)
    limited_by = "traffic"
    if tally.limited_by_goal:
        limited_by = "goal"
    elif tally.delivered < tally.matched - tally.booked:
        limited_by = "budget"
    return ForecastInterval(low, round(likely), max(high, round(likely))), limited_by


def _impressions_of_budget(job: Job, tally: Tally) -> int | None:
    """Impressions that the whole budget buys; None without one."""
    budget = job.campaign.budget
    if budget is None or budget.total_micros is None or not tally.micros:
        return None
    price = tally.micros / max(1, tally.matched - tally.booked)
    return round(budget.total_micros / price)


def _ends(span: ForecastInterval) -> tuple[int, int, int]:
    return span.low, span.likely, span.high
