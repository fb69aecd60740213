"""How far a campaign should be by now, and how far it is: the arithmetic of `common.pacing` on its flight. Pure."""

from dataclasses import dataclass
from datetime import datetime

from common.clock import to_ms
from common.money import cents_to_micros
from common.pacing.controller import pace_ratio
from common.pacing.plan import WHOLE, planned_share
from common.vocabulary import CampaignStatus, Pacing
from control.campaigns.delivery import Surroundings
from control.campaigns.progress_schemas import Pace
from control.tables.campaigns import CampaignRow

_TOLERANCE = WHOLE // 10
_NEVER_RAN = frozenset(
    {CampaignStatus.DRAFT, CampaignStatus.PENDING_REVIEW, CampaignStatus.REJECTED}
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Percents with one digit after the point; None where there is nothing to measure or no plan."""

    expected_percent: float | None
    actual_percent: float | None
    pace: Pace | None


def standing_of(row: CampaignRow, around: Surroundings, now: datetime) -> Standing:
    """Of the goal, else of the total budget. The flight's share that has passed is the clock's: a uniform curve."""
    measured = _measured(row, around)
    if measured is None:
        return Standing(None, None, None)
    used, total = measured
    actual = used * WHOLE // total
    share = _planned(row, now)
    if share is None:
        return Standing(None, _percent(actual), None)
    ratio = pace_ratio(used_micros=used, planned_micros=total * share // WHOLE, budget_micros=total)
    return Standing(_percent(share), _percent(actual), _pace(ratio, share))


def _measured(row: CampaignRow, around: Surroundings) -> tuple[int, int] | None:
    """What is there and what there is to reach: events of the goal, or micros of the budget."""
    if row.goal is not None:
        return around.counted, row.goal["total"]
    if row.budget_total_cents is not None:
        return around.spent_micros, cents_to_micros(row.budget_total_cents)
    return None


def _planned(row: CampaignRow, now: datetime) -> int | None:
    if row.end_at is None or row.pacing == Pacing.ASAP or row.status in _NEVER_RAN:
        return None
    start_ms = to_ms(row.start_at or row.created_at)
    flight_ms = max(1, to_ms(row.end_at) - start_ms)
    passed_ms = min(flight_ms, max(0, to_ms(now) - start_ms))
    return planned_share(Pacing(row.pacing), passed_ms * WHOLE // flight_ms)


def _pace(ratio: int, share: int) -> Pace:
    if ratio > WHOLE + _TOLERANCE:
        return Pace.AHEAD
    if ratio < WHOLE - _TOLERANCE and share > 0:
        return Pace.BEHIND
    return Pace.ON_TRACK


def _percent(parts: int) -> float:
    return parts // 1_000 / 10
