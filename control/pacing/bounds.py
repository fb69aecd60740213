"""What the ledger says of campaigns whose budgets are leased, read for many at once."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.clock import to_ms
from common.money import cents_to_micros
from common.vocabulary import PricingModel
from control.pacing.grantor import STEP_MS, Bound, Figures
from control.publishing.objects import price_micros

_CLICK_PARTS = 100
"""Of a click's price: about what an impression is expected to cost, at a click rate of a hundredth."""
_READ = text("""
select c.id, c.pricing_model, c.bid_cents, c.budget_total_cents, c.budget_daily_cents,
    coalesce(s.spent_micros, 0), coalesce(d.spent_micros, 0), z.day, z.day_start,
    coalesce((select sum(m.spent_micros) from campaign_spend_minutes m
        where m.campaign_id = c.id and m.minute >= :young), 0),
    coalesce((select sum(m.spent_micros) from campaign_spend_minutes m where m.campaign_id = c.id
        and m.minute >= greatest(:young, floor(extract(epoch from z.day_start) / 60))), 0)
from campaigns c
cross join lateral (select cast(cast(:now as timestamptz) at time zone c.timezone as date) as day,
    date_trunc('day', cast(:now as timestamptz) at time zone c.timezone) at time zone c.timezone as day_start) z
left join campaign_spend s on s.campaign_id = c.id
left join campaign_spend_days d on d.campaign_id = c.id and d.day = z.day
where c.id = any(:ids) and c.environment = 'live' and c.status = 'active'
    and c.pricing_model <> 'flat_rate'
    and (c.budget_total_cents is not null or c.budget_daily_cents is not null)
""")


async def read_figures(
    session: AsyncSession, campaign_ids: Sequence[str], *, now: datetime, settle_ms: int
) -> dict[str, Figures]:
    """Of those of *campaign_ids* that may spend a budget now."""
    young = (to_ms(now) - settle_ms) // STEP_MS
    rows = await session.execute(_READ, {"ids": list(campaign_ids), "now": now, "young": young})
    return {row[0]: _figures(row) for row in rows}


def _figures(row: Any) -> Figures:
    _, model, bid_cents, total, daily, spent, spent_today, day, day_start, young, young_today = row
    return Figures(
        unit_micros=_unit_micros(PricingModel(model), bid_cents),
        total=None if total is None else Bound(cents_to_micros(total), int(spent), int(young)),
        daily=None
        if daily is None
        else Bound(cents_to_micros(daily), int(spent_today), int(young_today)),
        day="" if daily is None else day.isoformat(),
        day_start_ms=0 if daily is None else to_ms(day_start),
    )


def _unit_micros(model: PricingModel, bid_cents: int) -> int:
    """About what one fill commits."""
    price = price_micros(model, bid_cents)
    return max(1, price if model is PricingModel.CPM else price // _CLICK_PARTS)
