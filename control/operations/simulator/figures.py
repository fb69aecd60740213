"""
A campaign's budget figures for the lease allocator, from the simulated ledger.

They have the form of `control.delivery.leasing.budget_limits_query`.
"""

from common.budget.local_day import local_day
from common.pacing.curve import Curve
from common.pacing.flight import Flight, daily_terms, days_hold, total_terms
from common.snapshot.model import Budget
from control.delivery.leasing.budget_limits import BudgetFigures, BudgetLimit
from control.operations.simulator.ledger import Ledger
from control.operations.simulator.world import SimulatedCampaign

_NONE = Budget(None, None)


def figures_of(
    order: SimulatedCampaign, ledger: Ledger, curve: Curve, now_ms: int
) -> BudgetFigures:
    """The figures that `control pace` would read of the campaign, from the simulated ledger."""
    campaign = order.campaign
    unit, budget = order.unit_micros, campaign.budget or _NONE
    flight = Flight(order.pacing, order.start_ms, order.end_ms, campaign.timezone)
    account = ledger.accounts[campaign.id]
    charged = account.charged_micros, ledger.young_micros(campaign, now_ms)
    total, daily = budget.total_micros, budget.daily_micros
    terms = None if total is None else total_terms(flight, total, unit, curve)
    if daily is None:
        bound = None if total is None else BudgetLimit(total, *charged, terms)
        return BudgetFigures(unit, bound, None)
    day = local_day(campaign.timezone, now_ms)
    spent_today = account.by_day[day.name]
    days_alone = total is not None and days_hold(
        flight,
        left_micros=total - account.charged_micros,
        left_today_micros=max(0, daily - spent_today),
        daily_micros=daily,
        now_ms=now_ms,
    )
    bound = None if total is None else BudgetLimit(total, *charged, None if days_alone else terms)
    young_today = ledger.young_micros(campaign, now_ms, day.start_ms)
    of_day = daily_terms(flight, daily, unit, curve, now_ms)
    today = BudgetLimit(daily, spent_today, young_today, of_day)
    return BudgetFigures(unit, bound, today, day.name, day.start_ms)
