"""The example forecast of the public description."""

from typing import Any

from control.demand.campaigns.examples import CAMPAIGN_BODY

FORECAST_BODY: dict[str, Any] = CAMPAIGN_BODY | {
    "budget": {"total_cents": 50_000},
    "ads": [{"format": "banner", "width": 300, "height": 250}],
    "from": "2026-03-01T00:00:00.000Z",
    "to": "2026-04-01T00:00:00.000Z",
}


def _span(low: int, likely: int, high: int) -> dict[str, int]:
    return {"low": low, "likely": likely, "high": high}


FORECAST: dict[str, Any] = {
    "from_at": "2026-03-01T00:00:00.000Z",
    "to_at": "2026-04-01T00:00:00.000Z",
    "insufficient_traffic": False,
    "matched": _span(1_104_000, 1_200_000, 1_296_000),
    "booked": _span(258_000, 300_000, 342_000),
    "available": _span(792_000, 900_000, 1_008_000),
    "contested": _span(129_000, 150_000, 171_000),
    "delivered": _span(192_160, 200_000, 200_000),
    "spend_cents": _span(48_040, 50_000, 50_000),
    "limited_by": "budget",
    "basis": {
        "requests": 1_164_000,
        "hours": 672,
        "decisions": 2_905,
        "impressions_a_fill_percent": 94.2,
    },
    "is_test": False,
}
