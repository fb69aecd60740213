"""The remaining budget of a campaign according to the ledger. Integers only."""

from common.snapshot.model import Budget, Pace
from common.values.enums import PricingModel
from common.values.environment import Environment
from common.values.money import cpm_price_micros


def least_charge_micros(environment: Environment, model: PricingModel, bid_cents: int) -> int:
    """
    The least remainder of a budget with which a campaign still serves, in micros. Edges show an ad only if the budget
    pays for the whole impression. The last click or conversion takes the remainder, and test spends nothing. A flat
    rate serves without any remainder, to the end of the last day that is paid.
    """
    if model is PricingModel.FLAT_RATE:
        return 0
    if environment.is_test or model is not PricingModel.CPM:
        return 1
    return max(1, cpm_price_micros(bid_cents))


def is_used_up(limit_micros: int, spent_micros: int, least_micros: int) -> bool:
    """Whether a budget is spent for good. *least_micros*: of `least_charge_micros`."""
    return limit_micros - spent_micros < least_micros


def total_left_micros(budget: Budget, pace: Pace | None) -> int | None:
    """Returns None where there is no total limit. Without a pace, nothing is spent."""
    if budget.total_micros is None:
        return None
    return budget.total_micros - (pace.spent_micros if pace else 0)


def daily_left_micros(budget: Budget, pace: Pace | None, day: str) -> int | None:
    """
    Returns None without a daily limit. *day*: today's ISO date in the campaign's zone; a pace of an earlier day is
    ignored.
    """
    if budget.daily_micros is None:
        return None
    spent = pace.spent_today_micros if pace is not None and pace.day >= day else 0
    return budget.daily_micros - spent


def left_micros(budget: Budget, pace: Pace | None, day: str) -> int:
    """Returns the tighter of both limits on *day*; never below 0, and 0 for a budget without limits."""
    bounds = (total_left_micros(budget, pace), daily_left_micros(budget, pace, day))
    return max(0, min((left for left in bounds if left is not None), default=0))
