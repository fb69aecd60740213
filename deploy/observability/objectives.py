"""
Service level objectives, and the alerts on how fast their error budgets burn.

Windows and burn rates are those of the Site Reliability Workbook, chapter 5, "Multiwindow, multi-burn-rate alerts", for
an objective over 30 days: 2 % of the budget in an hour, 5 % in six hours, 10 % in three days.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Objective:
    """
    *bad* and *all*: PromQL with ``$window`` where a duration belongs; both are rates. *target*: the share of good ones
    over 30 days. *burning*: series of a unit test that burn the budget, in promtool's notation.
    """

    name: str
    title: str
    target: float
    bad: str
    all: str
    burning: dict[str, str]

    @property
    def budget(self) -> float:
        return round(1 - self.target, 6)


@dataclass(frozen=True, slots=True)
class BurnRate:
    """Alerts where the budget burns *factor* times as fast as it may, over both windows (seconds)."""

    factor: float
    long_s: int
    short_s: int
    severity: str


PAGE: Final = "page"
TICKET: Final = "ticket"
BURN_RATES: Final = (
    BurnRate(14.4, 3_600, 300, PAGE),
    BurnRate(6.0, 21_600, 1_800, PAGE),
    BurnRate(1.0, 259_200, 21_600, TICKET),
)

_SERVE = 'operation="serveAd"'
_TRACK = 'operation="trackEvent"'
_REQUESTS = "placard_edge_request_seconds"


def _rate(series: str) -> str:
    return f"sum(rate({series}[$window]))"


def _slower(histogram: str, bound_s: str, labels: str = "") -> str:
    """Rate of observations above *bound_s*, the ``le`` of a bucket."""
    within = f'{histogram}_bucket{{{labels}{"," if labels else ""}le="{bound_s}"}}'
    return f"{_rate(f'{histogram}_count{{{labels}}}')} - {_rate(within)}"


OBJECTIVES: Final = (
    Objective(
        "serve_availability",
        "Serve requests that are answered without a 5xx",
        0.9995,
        _rate(f'{_REQUESTS}_count{{{_SERVE},outcome="failed"}}'),
        _rate(f"{_REQUESTS}_count{{{_SERVE}}}"),
        {
            f'{_REQUESTS}_count{{{_SERVE},outcome="failed"}}': "0+10x200",
            f'{_REQUESTS}_count{{{_SERVE},outcome="ok"}}': "0+90x200",
        },
    ),
    Objective(
        "serve_latency",
        "Serve requests that are answered within 10 ms",
        0.99,
        _slower(_REQUESTS, "0.01", _SERVE),
        _rate(f"{_REQUESTS}_count{{{_SERVE}}}"),
        {
            f'{_REQUESTS}_count{{{_SERVE},outcome="ok"}}': "0+100x200",
            f'{_REQUESTS}_bucket{{{_SERVE},outcome="ok",le="0.01"}}': "0+10x200",
        },
    ),
    Objective(
        "track_availability",
        "Track requests that are answered without a 5xx",
        0.9995,
        _rate(f'{_REQUESTS}_count{{{_TRACK},outcome="failed"}}'),
        _rate(f"{_REQUESTS}_count{{{_TRACK}}}"),
        {
            f'{_REQUESTS}_count{{{_TRACK},outcome="failed"}}': "0+10x200",
            f'{_REQUESTS}_count{{{_TRACK},outcome="ok"}}': "0+90x200",
        },
    ),
    Objective(
        "event_freshness",
        "Batches whose oldest event is in the feed and in reports within 5 s",
        0.99,
        _slower("placard_ingest_delay_seconds", "5.0"),
        _rate("placard_ingest_delay_seconds_count"),
        {
            "placard_ingest_delay_seconds_count": "0+100x200",
            'placard_ingest_delay_seconds_bucket{le="5.0"}': "0+10x200",
        },
    ),
    Objective(
        "propagation",
        "Changes that are announced to edges within a second",
        0.99,
        _slower("placard_publish_delay_seconds", "1.0"),
        _rate("placard_publish_delay_seconds_count"),
        {
            "placard_publish_delay_seconds_count": "0+100x200",
            'placard_publish_delay_seconds_bucket{le="1.0"}': "0+10x200",
        },
    ),
    Objective(
        "management_availability",
        "Management requests that are answered without a 5xx",
        0.999,
        _rate('placard_control_requests_total{code=~"internal|unavailable"}'),
        _rate("placard_control_requests_total"),
        {
            'placard_control_requests_total{code="unavailable"}': "0+10x200",
            'placard_control_requests_total{code="ok"}': "0+90x200",
        },
    ),
)
