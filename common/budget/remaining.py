"""What the ledger leaves of a campaign's budget. Integers only."""

from common.snapshot.model import Budget, Pace


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
