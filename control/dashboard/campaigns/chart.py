"""A campaign's daily delivery compared with its plan, as numbers for a drawing and a table. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

_DAY = timedelta(days=1)
WIDTH, HEIGHT = 600, 160
_TALL = 150


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
class Chart:
    days: Sequence[Day]
    reached: str
    """Points of a polyline in a box of `WIDTH` and `HEIGHT`; empty where there is no total to measure against."""
    planned: str
    bars: Sequence[tuple[float, float, float, float]]
    """x, y, width and height of each day's impressions."""

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
) -> Chart:
    """
    *rows*: of a report by day of UTC, from *start* on; days without a row had no events.

    *measure*: the figure that counts towards *total*; *done* is its present value. *plan*: the planned share at an
    instant.
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
    return Chart(
        days,
        _line([day.reached for day in days]),
        _line([day.planned for day in days]),
        _bars([day.impressions for day in days]),
    )


def _figure(by_day: Mapping[str, Mapping[str, Any]], day: datetime, name: str) -> int:
    row = by_day.get(day.date().isoformat())
    return int(row[name] or 0) if row else 0


def _line(shares: Sequence[float | None]) -> str:
    if not shares or None in shares:
        return ""
    step = WIDTH / len(shares)
    points = [
        (step * (number + 0.5), HEIGHT - min(share or 0, 1.0) * _TALL)
        for number, share in enumerate(shares)
    ]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _bars(counts: Sequence[int]) -> list[tuple[float, float, float, float]]:
    """Each in the middle of its day; no wider than in a chart of two weeks."""
    step, most = WIDTH / max(1, len(counts)), max(counts, default=0) or 1
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
