"""Which plans a campaign's budgets have: of its flight, of its day, both or none. Pure, and one for both planes."""

from dataclasses import dataclass

from common.budget.local_day import LocalDay, local_day
from common.pacing.curve import Curve
from common.pacing.plan import Terms
from common.values.enums import Pacing, PricingModel

_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Flight:
    """``start_ms``: when it began or may begin. ``end_ms``: None without an end."""

    pacing: Pacing
    start_ms: int
    end_ms: int | None
    timezone: str


def spreads_goal(pacing: Pacing, model: PricingModel, *, has_goal: bool, has_end: bool) -> bool:
    """
    Whether a campaign's goal has a plan. It needs an end to be spread to; a flat rate buys the whole flight, however
    much is shown in it.
    """
    is_paced = pacing is not Pacing.ASAP and model is not PricingModel.FLAT_RATE
    return has_goal and has_end and is_paced


def total_terms(flight: Flight, total_micros: int, unit_micros: int, curve: Curve) -> Terms | None:
    """None without an end, and for asap: there is nothing to spread over, or no wish to."""
    if flight.end_ms is None or flight.pacing is Pacing.ASAP:
        return None
    start_ms = min(flight.start_ms, flight.end_ms)
    return Terms(total_micros, unit_micros, flight.pacing, start_ms, flight.end_ms, curve)


def daily_terms(
    flight: Flight, daily_micros: int, unit_micros: int, curve: Curve, now_ms: int
) -> Terms | None:
    """
    Of the part of today that is in the flight: a campaign that begins at six in the evening has its whole daily budget
    for the evening. None for asap.
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
    Whether the daily budget alone holds what is *left* of the total: were every day left spent in full, no more would
    go. Then a plan of the flight beside it would only leave quiet days' budgets unspent.
    """
    if flight.end_ms is None:
        return True
    day = local_day(flight.timezone, now_ms)
    return left_micros >= left_today_micros + daily_micros * _days_after(day, flight.end_ms)


def reachable_micros(flight: Flight, total_micros: int, daily_micros: int | None) -> int:
    """What of the total can be spent by the end, though each day may spend its budget only."""
    if flight.end_ms is None or daily_micros is None:
        return total_micros
    first = local_day(flight.timezone, flight.start_ms)
    return min(total_micros, daily_micros * (1 + _days_after(first, flight.end_ms)))


def _days_after(day: LocalDay, end_ms: int) -> int:
    """Begun days from the end of *day*, whatever clocks do: an hour more or less makes no day."""
    return max(0, -(-(end_ms - day.end_ms) // _DAY_MS)) if end_ms > day.end_ms else 0
