"""Assumed budgets and users where nothing was recorded: budgets as last published, and a user without any counts."""

from common.budget.local_day import local_day
from common.budget.remaining import left_micros
from common.decision.rules.gates import Gates
from common.snapshot.snapshot import Snapshot


def assumed_gates(snapshot: Snapshot, now_ms: int) -> Gates:
    """Gates in which nothing is stale and no cap is reached."""
    available_micros = {
        campaign.id: left_micros(
            campaign.budget,
            snapshot.paces.get(campaign.id),
            local_day(campaign.timezone, now_ms).name,
        )
        for campaign in snapshot.campaigns.values()
        if campaign.budget is not None
    }
    return Gates(available_micros=available_micros, counts={})
