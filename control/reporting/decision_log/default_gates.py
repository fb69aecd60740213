"""What is assumed of budgets and readers where nobody recorded it: budgets as last published, a reader new to all."""

from common.budget.local_day import local_day
from common.budget.remaining import left_micros
from common.decision.rules.gates import Gates
from common.snapshot.snapshot import Snapshot


def assumed_gates(snapshot: Snapshot, now_ms: int) -> Gates:
    """Nothing stale, nothing full."""
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
