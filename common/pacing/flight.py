"""The plans of a campaign's budgets: for its flight, for its day, both or none. Pure, and shared by both planes."""

from dataclasses import dataclass

from common.budget.local_day import LocalDay, local_day
from common.pacing.curve import Curve
from common.pacing.plan import Terms
from common.values.enums import Pacing, PricingModel, Priority

_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Flight:
    """``start_ms``: when it began or may begin. ``end_ms``: None without an end."""

    pacing: Pacing
    start_ms: int
    end_ms: int | None
    timezone: str


def leases_goal(priority: Priority, model: PricingModel) -> bool:
    """
    Whether fills commit to a campaign's goal, so that workers lease it as they lease a budget. A flat rate buys the
    whole flight, whatever is shown in it; house ads commit nothing.
    """
    return priority is not Priority.HOUSE and model is not PricingModel.FLAT_RATE


def total_terms(flight: Flight, total_micros: int, unit_micros: int, curve: Curve) -> Terms | None:
    """Returns None without an end, and for asap: then nothing is spread."""
    if flight.end_ms is None or flight.pacing is Pacing.ASAP:
        return None
    start_ms = min(flight.start_ms, flight.end_ms)
    return Terms(total_micros, unit_micros, flight.pacing, start_ms, flight.end_ms, curve)


def daily_terms(
    flight: Flight, daily_micros: int, unit_micros: int, curve: Curve, now_ms: int
) -> Terms | None:
    """
    Returns the terms for the part of today that lies in the flight. A campaign that begins at six in the evening has
    its whole daily budget for that evening. None for asap.
    """
    if flight.pacing is Pacing.ASAP:
        return None
    day = local_day(flight.timezone, now_ms)
    start_ms, end_ms = max(day.start_ms, flight.start_ms), day.end_ms
    if flight.end_ms is not None:
        end_ms = min(end_ms, flight.end_ms)
    return Terms(daily_micros, unit_micros, flight.pacing, min(start_ms, end_ms), end_ms, curve)


def days_hold(
    flight: Flight, *, left_micros: int, left_today_micros: int, daily_micros: int, now_ms: int
) -> bool:
    """
    Whether the daily budget alone limits the rest of the total: even with every remaining day spent in full, the total
    suffices. Then a plan of the flight would only leave the budgets of quiet days unspent.
    """
    if flight.end_ms is None:
        return True
    day = local_day(flight.timezone, now_ms)
    return left_micros >= left_today_micros + daily_micros * _days_after(day, flight.end_ms)


def reachable_micros(flight: Flight, total_micros: int, daily_micros: int | None) -> int:
    """Returns the part of the total that can be spent by the end within the daily budget."""
    if flight.end_ms is None or daily_micros is None:
        return total_micros
    first = local_day(flight.timezone, flight.start_ms)
    return min(total_micros, daily_micros * (1 + _days_after(first, flight.end_ms)))


def _days_after(day: LocalDay, end_ms: int) -> int:
    """Returns the days begun after the end of *day*. An hour more or less by daylight saving makes no day."""
    return max(0, -(-(end_ms - day.end_ms) // _DAY_MS)) if end_ms > day.end_ms else 0
