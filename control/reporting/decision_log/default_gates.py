"""Assumed budgets and users where nothing was recorded: budgets as last published, and a user without any counts."""

from common.budget.local_day import local_day
from common.budget.remaining import left_micros
from common.decision.rules.gates import Gates
from common.snapshot.model import Budget, Campaign
from common.snapshot.snapshot import Snapshot

_PLENTY = 2**62


def assumed_gates(snapshot: Snapshot, now_ms: int) -> Gates:
    """Gates in which nothing is stale, no cap is reached and no plan holds a campaign back."""
    available_micros = {
        campaign.id: _left_micros(snapshot, campaign, campaign.budget, now_ms)
        for campaign in snapshot.campaigns.values()
        if campaign.budget is not None
    }
    return Gates(available_micros=available_micros, counts={})


def _left_micros(snapshot: Snapshot, campaign: Campaign, budget: Budget, now_ms: int) -> int:
    """A goal without a budget is checked by a gate of its own."""
    if budget.total_micros is None and budget.daily_micros is None:
        return _PLENTY
    day = local_day(campaign.timezone, now_ms).name
    return left_micros(budget, snapshot.paces.get(campaign.id), day)
