"""The progress of the campaigns on one page of the list: against their plans, and over the last seven days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.pacing.curve import Curve
from common.values.clock import to_ms
from control.api.listing import read_only
from control.dashboard.page_request import PageRequest
from control.delivery.pacing.traffic_forecast import (
    Curves,
    reachable_slots,
    read_weeks,
    targeting_of,
)
from control.demand.campaigns.delivery_status.delivery import DeliveryContext
from control.demand.campaigns.delivery_status.delivery_context import surroundings_of
from control.demand.campaigns.delivery_status.expected_spend import SpendProgress, spend_progress_of
from control.reporting.reports.endpoints import GET_DELIVERY_REPORT
from control.storage.tables.campaigns import CampaignRow

DAYS = 7
MOST = 50
"""Campaigns in one report."""
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Week:
    """Of one campaign: impressions by day of UTC, ending today."""

    impressions: tuple[int, ...]
    clicks: int

    @property
    def spoken(self) -> str:
        """Oldest first."""
        return ", ".join(map(str, self.impressions))

    @property
    def click_rate(self) -> float | None:
        shown = sum(self.impressions)
        return self.clicks / shown if shown > 0 else None


@dataclass(frozen=True, slots=True)
class Planned:
    row: CampaignRow
    around: DeliveryContext
    curve: Curve


async def standings_of(
    view: PageRequest, campaigns: Sequence[Mapping[str, Any]]
) -> dict[str, SpendProgress]:
    """*campaigns* as the list of the API returns them. Uses a few queries, whatever their number."""
    found = await planned(view, [one["id"] for one in campaigns])
    return {
        one.row.id: spend_progress_of(one.row, one.around, view.now, one.curve) for one in found
    }


async def planned(view: PageRequest, ids: Sequence[str]) -> list[Planned]:
    """The inputs of the campaigns' plans."""
    account_id = view.caller.account_id
    async with view.control.database.tenant(account_id) as session:
        rows = await _rows(session, account_id, ids) if ids else []
        around = await surroundings_of(session, account_id, rows, view.now) if rows else {}
        aims = {row.id: targeting_of(row.targeting) for row in rows}
        reached = {
            row.id: reachable_slots(around[row.id].active_ads, around[row.id].slots, aims[row.id])
            for row in rows
        }
        weeks = await read_weeks(session, set().union(*reached.values()))
    curves = Curves(weeks, to_ms(view.now))
    return [
        Planned(row, around[row.id], curves.get(reached[row.id], row.timezone, aims[row.id]))
        for row in rows
    ]


async def weeks_of(view: PageRequest, ids: Sequence[str]) -> dict[str, Week] | None:
    """None for a caller who may see no reports. Days are UTC's, for which rollups exist."""
    if not view.may(GET_DELIVERY_REPORT.id):
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
            "group_by": "campaign",
            "metrics": "impressions,clicks",
            "tz": "UTC",
            "campaign_id": list(ids[:MOST]),
        },
    )
    shown: dict[str, dict[datetime, int]] = {one: {} for one in ids}
    clicks = dict.fromkeys(ids, 0)
    for row in report["data"]:
        shown[row["campaign_id"]][datetime.fromisoformat(row["period"])] = row["impressions"]
        clicks[row["campaign_id"]] += row["clicks"]
    return {one: Week(tuple(shown[one].get(day, 0) for day in days), clicks[one]) for one in ids}


async def _rows(
    session: AsyncSession, account_id: str, ids: Sequence[str]
) -> Sequence[CampaignRow]:
    wanted = select(CampaignRow).where(
        col(CampaignRow.account_id) == account_id, col(CampaignRow.id).in_(ids)
    )
    return await read_only(session, CampaignRow, wanted)
