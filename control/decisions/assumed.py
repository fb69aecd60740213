"""What is assumed of budgets and readers where nobody recorded it: budgets as last published, a reader new to all."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from common.decision.gates import Gates
from common.snapshot.model import Budget, Campaign, Pace
from common.snapshot.snapshot import Snapshot


def assumed_gates(snapshot: Snapshot, now_ms: int) -> Gates:
    """Nothing stale, nothing full."""
    open_micros = {
        campaign.id: _open_micros(
            campaign, campaign.budget, snapshot.paces.get(campaign.id), now_ms
        )
        for campaign in snapshot.campaigns.values()
        if campaign.budget is not None
    }
    return Gates(open_micros=open_micros, counts={})


def _open_micros(campaign: Campaign, budget: Budget, pace: Pace | None, now_ms: int) -> int:
    known = pace or Pace(campaign.id)
    today = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(ZoneInfo(campaign.timezone))
    spent_today = known.spent_today_micros if known.day == today.date().isoformat() else 0
    left = []
    if budget.total_micros is not None:
        left.append(budget.total_micros - known.spent_micros)
    if budget.daily_micros is not None:
        left.append(budget.daily_micros - spent_today)
    return max(0, min(left, default=0))
