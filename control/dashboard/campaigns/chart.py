"""A campaign's daily delivery compared with its plan, as numbers for a drawing and a table. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

_DAY = timedelta(days=1)
WIDTH, HEIGHT = 600, 160
_TALL = 150
_MAX_AHEAD = 31


@dataclass(frozen=True, slots=True)
class Day:
    """``planned`` and ``reached``: shares of the whole at the day's end, 0 to 1; None where unknown."""

    at: str
    impressions: int
    clicks: int
    conversions: int
    spend_cents: int
    reached: float | None
    planned: float | None


@dataclass(frozen=True, slots=True)
class ForecastBand:
    """The forecast until *end*: shares of the whole that will be delivered from now on, 0 to 1 and above."""

    end: datetime
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Chart:
    days: Sequence[Day]
    reached: str
    """Points of a polyline in a box of `WIDTH` and `HEIGHT`; empty where there is no total to measure against."""
    planned: str
    bars: Sequence[tuple[float, float, float, float]]
    """x, y, width and height of each day's impressions."""
    ahead: Sequence[tuple[str, float | None]] = ()
    """The days to come that the forecast covers, each with its planned share."""
    band: str = ""
    """Points of a polygon: from what is delivered now to what the forecast expects at least and at most."""
    forecast_band: "ForecastBand | None" = None

    @property
    def most(self) -> int:
        """Impressions of the best day, which sets the scale of the bars."""
        return max((day.impressions for day in self.days), default=0)

    @property
    def has_any(self) -> bool:
        return any(day.impressions or day.clicks or day.spend_cents for day in self.days)


def chart_of(
    rows: Sequence[Mapping[str, Any]],
    start: datetime,
    now: datetime,
    *,
    measure: str | None,
    done: int,
    total: int | None,
    plan: Callable[[datetime], float | None],
    forecast_band: ForecastBand | None = None,
) -> Chart:
    """
    *rows*: of a report by day of UTC, from *start* on; days without a row had no events.

    *measure*: the figure that counts towards *total*; *done* is its present value. *plan*: the planned share at an
    instant. *forecast_band*: drawn beyond *now*, at most `_MAX_AHEAD` days.
    """
    by_day = {row["period"][:10]: row for row in rows}
    starts = []
    at = start
    while at <= now:
        starts.append(at)
        at += _DAY
    counted = [_figure(by_day, day, measure) if measure else 0 for day in starts]
    before = done - sum(counted)
    days = []
    for number, day in enumerate(starts):
        end = min(day + _DAY, now)
        share = (before + sum(counted[: number + 1])) / total if measure and total else None
        days.append(
            Day(
                day.date().isoformat(),
                _figure(by_day, day, "impressions"),
                _figure(by_day, day, "clicks"),
                _figure(by_day, day, "conversions"),
                _figure(by_day, day, "spend_cents"),
                share,
                plan(end),
            )
        )
    forecast_band = forecast_band if days[-1:] and days[-1].reached is not None else None
    ahead = _ahead(starts[-1], forecast_band, plan) if forecast_band else []
    count = len(days) + len(ahead)
    planned = [*(day.planned for day in days), *(share for _, share in ahead)]
    return Chart(
        days,
        _line([day.reached for day in days], count),
        _line(planned, count),
        _bars([day.impressions for day in days], count),
        ahead,
        _band(days[-1].reached or 0, len(days), ahead, now, forecast_band) if forecast_band else "",
        forecast_band,
    )


def _ahead(
    today: datetime, forecast_band: ForecastBand, plan: Callable[[datetime], float | None]
) -> list[tuple[str, float | None]]:
    days: list[tuple[str, float | None]] = []
    at = today + _DAY
    while at < forecast_band.end and len(days) < _MAX_AHEAD:
        days.append((at.date().isoformat(), plan(min(at + _DAY, forecast_band.end))))
        at += _DAY
    return days


def _band(
    reached: float,
    passed: int,
    ahead: Sequence[tuple[str, float | None]],
    now: datetime,
    forecast_band: ForecastBand,
) -> str:
    """Straight from now to the end; cut where the chart ends before the forecast."""
    if not ahead or forecast_band.end <= now:
        return ""
    last = min(forecast_band.end, now + _DAY * len(ahead))
    part = (last - now) / (forecast_band.end - now)
    step = WIDTH / (passed + len(ahead))
    begin, end = step * (passed - 0.5), step * (passed + len(ahead) - 0.5)
    low, high = (
        _height(reached + part * share) for share in (forecast_band.low, forecast_band.high)
    )
    return f"{begin:.1f},{_height(reached):.1f} {end:.1f},{high:.1f} {end:.1f},{low:.1f}"


def _figure(by_day: Mapping[str, Mapping[str, Any]], day: datetime, name: str) -> int:
    row = by_day.get(day.date().isoformat())
    return int(row[name] or 0) if row else 0


def _line(shares: Sequence[float | None], count: int) -> str:
    """*count*: the days of the chart, of which *shares* are the first."""
    if not shares or None in shares:
        return ""
    step = WIDTH / count
    points = [(step * (number + 0.5), _height(share or 0)) for number, share in enumerate(shares)]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _height(share: float) -> float:
    return HEIGHT - min(share, 1.0) * _TALL


def _bars(counts: Sequence[int], days: int) -> list[tuple[float, float, float, float]]:
    """Each in the middle of its day; no wider than in a chart of two weeks."""
    step, most = WIDTH / max(1, days), max(counts, default=0) or 1
    wide = min(step, WIDTH / 14) * 0.7
    return [
        (
            round(step * (number + 0.5) - wide / 2, 1),
            round(HEIGHT - count * _TALL / most, 1),
            round(wide, 1),
            round(max(0, count) * _TALL / most, 1),
        )
        for number, count in enumerate(counts)
    ]
