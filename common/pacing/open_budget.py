"""
What one of several spenders may still commit of a budget when none of them knows what the others do. Integers only.

Each has an equal, fixed share of what the ledger says is left, rounded up to a whole event, less what it committed
itself and cannot have come back to the ledger yet. So all of them together never commit more than what is left and
one event each, however the traffic falls on them.
"""

from common.snapshot.model import Budget, Campaign, Pace
from common.vocabulary import PricingModel


def unit_micros(campaign: Campaign) -> int:
    """The least that is worth sharing out: an impression of a CPM campaign; of clicks and conversions any part."""
    return max(1, campaign.bid_micros) if campaign.pricing_model is PricingModel.CPM else 1


def share_micros(left_micros: int, *, shares: int, unit_micros: int) -> int:
    """An equal part of *left_micros*, rounded up to whole units; 0 where nothing is left."""
    if left_micros <= 0:
        return 0
    return -(-left_micros // (unit_micros * shares)) * unit_micros


def total_left_micros(budget: Budget, pace: Pace | None) -> int | None:
    """None: no bound in total. Without a pace nothing is spent."""
    if budget.total_micros is None:
        return None
    return budget.total_micros - (pace.spent_micros if pace else 0)


def daily_left_micros(budget: Budget, pace: Pace | None, day: str) -> int | None:
    """None: no daily bound. *day*: the ISO date it is in the campaign's zone; a pace of an earlier one says nothing."""
    if budget.daily_micros is None:
        return None
    spent = pace.spent_today_micros if pace is not None and pace.day >= day else 0
    return budget.daily_micros - spent


def left_micros(budget: Budget, pace: Pace | None, day: str) -> int:
    """By whichever bound is tighter on *day*; never below 0, and 0 for a budget without bounds."""
    bounds = (total_left_micros(budget, pace), daily_left_micros(budget, pace, day))
    return max(0, min((left for left in bounds if left is not None), default=0))
