"""Compares a campaign's progress with its plan: the plan that leases follow, computed over the whole flight."""

from dataclasses import dataclass
from datetime import datetime

from common.pacing.controller import WHOLE, floor_of, pace_ratio
from common.pacing.curve import Curve
from common.pacing.flight import Flight, reachable_micros, total_terms
from common.values.clock import to_ms
from common.values.enums import CampaignStatus, Pacing, PricingModel, Priority
from common.values.environment import Environment
from common.values.money import cents_to_micros
from control.demand.campaigns.delivery_status.delivery import DeliveryContext
from control.demand.campaigns.delivery_status.progress_schemas import Pace
from control.storage.tables.campaigns import CampaignRow

_TOLERANCE = WHOLE // 10
_NEVER_RAN = frozenset(
    {CampaignStatus.DRAFT, CampaignStatus.PENDING_REVIEW, CampaignStatus.REJECTED}
)


@dataclass(frozen=True, slots=True)
class SpendProgress:
    """Percents with one decimal; None if there is nothing to measure or no plan."""

    expected_percent: float | None
    actual_percent: float | None
    pace: Pace | None


def spend_progress_of(
    row: CampaignRow, context: DeliveryContext, now: datetime, curve: Curve
) -> SpendProgress:
    """Progress towards the goal, or else the total budget. *curve*: of the traffic that the campaign can reach."""
    measured = _measured(row, context)
    if measured is None:
        return SpendProgress(None, None, None)
    used, total = measured
    actual = used * WHOLE // total
    planned = _planned(row, total, now, curve)
    if planned is None:
        return SpendProgress(None, _percent(actual), None)
    ratio = pace_ratio(used_micros=used, planned_micros=planned, floor_micros=floor_of(total))
    share = planned * WHOLE // total
    return SpendProgress(_percent(share), _percent(actual), _pace(ratio, share))


def _measured(row: CampaignRow, context: DeliveryContext) -> tuple[int, int] | None:
    """
    Used and total amount: events of the goal, or micros of the budget. In test there is no budget to measure, because
    nothing is charged.
    """
    if row.goal is not None:
        return context.counted, row.goal["total"]
    if row.budget_total_cents is not None and row.environment != Environment.TEST:
        return context.spent_micros, cents_to_micros(row.budget_total_cents)
    return None


def _planned(row: CampaignRow, total: int, now: datetime, curve: Curve) -> int | None:
    """
    In the unit of *total*. None if no plan applies: in test, for a flat rate, which buys the whole flight, and for a
    house campaign, which spends nothing.
    """
    is_test = row.environment == Environment.TEST
    is_unplanned = row.pricing_model == PricingModel.FLAT_RATE or row.priority == Priority.HOUSE
    if row.status in _NEVER_RAN or is_unplanned or is_test:
        return None
    flight = Flight(
        Pacing(row.pacing),
        to_ms(row.start_at or row.created_at),
        None if row.end_at is None else to_ms(row.end_at),
        row.timezone,
    )
    if row.goal is None and row.budget_daily_cents is not None:
        total = reachable_micros(flight, total, cents_to_micros(row.budget_daily_cents))
    terms = total_terms(flight, total, 1, curve)
    return None if terms is None else terms.planned_micros(to_ms(now))


def _pace(ratio: int, share: int) -> Pace:
    if ratio > WHOLE + _TOLERANCE:
        return Pace.AHEAD
    if ratio < WHOLE - _TOLERANCE and share > 0:
        return Pace.BEHIND
    return Pace.ON_TRACK


def _percent(parts: int) -> float:
    return parts // 1_000 / 10
