"""The progress of the campaigns or ads on one page of a list: against their plans, and over the last seven days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from control.dashboard.page_request import PageRequest
from control.demand.campaigns.delivery_status.expected_spend import SpendProgress
from control.demand.campaigns.delivery_status.progress import CampaignPlan, read_plans
from control.reporting.reports.endpoints import GET_DELIVERY_REPORT

DAYS = 7
MAX_ROWS = 50
"""Campaigns or ads in one report."""
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Week:
    """Of one campaign or ad: impressions by day of UTC, ending today. Spend is in cents, each day rounded down."""

    impressions: tuple[int, ...]
    clicks: int
    spend_cents: int

    @property
    def shown(self) -> int:
        return sum(self.impressions)

    @property
    def spoken(self) -> str:
        """Oldest first."""
        return ", ".join(map(str, self.impressions))

    @property
    def click_rate(self) -> float | None:
        return self.clicks / self.shown if self.shown > 0 else None


async def progress_of(
    view: PageRequest, campaigns: Sequence[Mapping[str, Any]]
) -> dict[str, SpendProgress]:
    """*campaigns* as the list of the API returns them."""
    plans = await plans_of(view, [one["id"] for one in campaigns])
    return {campaign_id: plan.progress_at(view.now) for campaign_id, plan in plans.items()}


async def plans_of(view: PageRequest, ids: Sequence[str]) -> dict[str, CampaignPlan]:
    account_id = view.caller.account_id
    async with view.control.database.tenant(account_id) as session:
        return await read_plans(session, account_id, ids, view.now)


async def weeks_of(
    view: PageRequest, ids: Sequence[str], by: Literal["campaign", "ad"] = "campaign"
) -> dict[str, Week] | None:
    """By id, at most `MAX_ROWS`. None for a caller who may see no reports. Days are UTC's, for which rollups exist."""
    if not view.can(GET_DELIVERY_REPORT.id):
        return None
    if not ids:
        return {}
    today = view.now.replace(hour=0, minute=0, second=0, microsecond=0)
    days = [today - _DAY * back for back in reversed(range(DAYS))]
    report = await view.call(
        GET_DELIVERY_REPORT,
        query={
            "from": days[0].date().isoformat(),
            "granularity": "day",
            "group_by": by,
            "metrics": "impressions,clicks,spend_cents",
            "tz": "UTC",
            f"{by}_id": list(ids[:MAX_ROWS]),
        },
    )
    shown: dict[str, dict[datetime, int]] = {one: {} for one in ids}
    clicks, spend_cents = dict.fromkeys(ids, 0), dict.fromkeys(ids, 0)
    for row in report["data"]:
        shown[row[f"{by}_id"]][datetime.fromisoformat(row["period"])] = row["impressions"]
        clicks[row[f"{by}_id"]] += row["clicks"]
        spend_cents[row[f"{by}_id"]] += row["spend_cents"]
    return {
        one: Week(tuple(shown[one].get(day, 0) for day in days), clicks[one], spend_cents[one])
        for one in ids
    }
