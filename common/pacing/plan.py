"""
How much of a budget should be spent by now. Shares are parts per million, money is micros; nothing here is a float.

The share of a day or flight that has passed is given by whoever knows the traffic curve; a clock's share is the
uniform curve.
"""

from typing import assert_never

from common.vocabulary import Pacing

WHOLE = 1_000_000
"""Parts per million."""
_LEAD_AT_START = 400_000
_LEAD_AT_END = 50_000


def daily_budget_micros(
    *, daily_micros: int | None, remaining_micros: int | None, remaining_days: int
) -> int | None:
    """
    What may be spent today: the daily budget, or an even part of what remains in total, whichever is less; None where
    there is no budget. So a campaign with only a lifetime budget paces too.

    *remaining_days* counts today, and is at least 1.
    """
    parts = [daily_micros] if daily_micros is not None else []
    if remaining_micros is not None:
        parts.append(max(0, remaining_micros) // max(1, remaining_days))
    return min(parts, default=None)


def planned_share(pacing: Pacing, passed: int) -> int:
    """
    The share of the budget to be spent when *passed* of the traffic has come, both 0 … `WHOLE`; never falls.

    even: as much as has passed. front_loaded: ahead of that by 40 % at the start, falling in a straight line to 5 % at
    the end (Google Ad Manager's figures for FRONTLOADED). asap: everything at once.
    """
    match pacing:
        case Pacing.EVEN:
            return passed
        case Pacing.FRONT_LOADED:
            lead = _LEAD_AT_START - (_LEAD_AT_START - _LEAD_AT_END) * passed // WHOLE
            return min(WHOLE, passed * (WHOLE + lead) // WHOLE)
        case Pacing.ASAP:
            return WHOLE
        case _:
            assert_never(pacing)
