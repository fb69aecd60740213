"""Why matching requests were answered without any ad, from the edges' counts, which do not name campaigns."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.environment import Environment
from control.delivery.pacing.slot_match import slots_reached
from control.demand.campaigns.delivery_status.delivery import DeliveryContext
from control.demand.campaigns.delivery_status.progress_schemas import NoServeReason
from control.storage.tables.campaigns import CampaignRow

_OUTCOMES = text(
    "select outcome, sum(count) from serve_hourly where account_id = :account "
    "and property_id = any(cast(:properties as uuid[])) and is_test = :is_test and hour >= :since "
    "and (cast(:slots as uuid[]) is null or slot_id = any(:slots)) "
    "and (cast(:countries as varchar[]) is null or country = any(:countries)) "
    "and not country = any(cast(:no_countries as varchar[])) "
    "and (cast(:devices as varchar[]) is null or device = any(:devices)) "
    "group by outcome order by 2 desc, 1"
)
_FILL = "fill"
_MAX_REASONS = 5


async def list_no_serve_reasons(
    session: AsyncSession, row: CampaignRow, context: DeliveryContext, now: datetime
) -> list[NoServeReason]:
    """Reasons in the current hour and the 23 before it, most frequent first."""
    found = [
        (outcome, int(count))
        for outcome, count in await session.execute(_OUTCOMES, _scope(row, context, now))
    ]
    requests = sum(count for _, count in found)
    return [
        NoServeReason(reason=outcome, share=round(count / requests, 4))
        for outcome, count in found
        if outcome != _FILL
    ][:_MAX_REASONS]


def _scope(row: CampaignRow, context: DeliveryContext, now: datetime) -> dict[str, Any]:
    """Filters by slot, country and device, as the ads and the targeting narrow them; None filters nothing."""
    geo, slots = row.targeting.get("geo") or {}, row.targeting.get("slots") or {}
    reached = [
        each
        for each in slots_reached(context.active_ads, context.slots)
        if each in (slots.get("include") or [each]) and each not in (slots.get("exclude") or ())
    ]
    return {
        "account": row.account_id,
        "properties": row.property_ids,
        "is_test": row.environment == Environment.TEST,
        "since": now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=23),
        "slots": reached or None,
        "countries": [one["country"] for one in geo.get("include") or ()] or None,
        "no_countries": [
            one["country"] for one in geo.get("exclude") or () if not one.get("region")
        ],
        "devices": list((row.targeting.get("device") or {}).get("types") or ()) or None,
    }
