"""How far a campaign has come: its delivery, its figures since ever and of today, and what kept ads from showing."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.clock import from_ms
from common.environment import Environment
from common.money import cents_to_micros, micros_to_cents
from common.vocabulary import EventKind
from control.campaigns.days import day_of, day_start
from control.campaigns.delivery import delivery_of
from control.campaigns.plan import standing_of
from control.campaigns.progress_schemas import DeliveryPublic, NoServeReason, Today
from control.campaigns.surroundings import counts_of, surroundings_of
from control.tables.campaigns import CampaignRow

_TODAY = text(
    "select kind, sum(count), sum(charged_micros) from event_hourly where account_id = :account "
    "and campaign_id = cast(:campaign as uuid) and hour >= :since and kind = any(:kinds) "
    "and (reason like 'ok%' or reason = 'retracted') group by kind"
)
_OUTCOMES = text(
    "select outcome, sum(count) from serve_hourly where account_id = :account "
    "and property_id = any(cast(:properties as uuid[])) and is_test = :is_test and hour >= :since "
    "group by outcome order by 2 desc, 1"
)
_THROUGH = text("select events_through_ms(:is_test)")
_FILL = "fill"
_MOST_REASONS = 5


async def read_progress(session: AsyncSession, row: CampaignRow, now: datetime) -> DeliveryPublic:
    around = (await surroundings_of(session, row.account_id, [row], now))[row.id]
    delivery = delivery_of(row, around, now)
    standing = standing_of(row, around, now)
    counts = (await counts_of(session, row.account_id, [row.id])).get(row.id, {})
    return DeliveryPublic(
        status=row.status,
        delivery_status=delivery.status,
        delivery_reason=delivery.reason,
        expected_percent=standing.expected_percent,
        actual_percent=standing.actual_percent,
        pace=standing.pace,
        spend_cents=micros_to_cents(around.spent_micros),
        remaining_cents=_remaining_cents(row.budget_total_cents, around.spent_micros),
        today=await _today(session, row, now),
        impressions=counts.get(EventKind.IMPRESSION, 0),
        clicks=counts.get(EventKind.CLICK, 0),
        conversions=counts.get(EventKind.CONVERSION, 0),
        max_over_delivery_cents=None,
        top_no_serve_reasons=await _no_serve_reasons(session, row, now),
        as_of=await _as_of(session, row),
    )


async def _today(session: AsyncSession, row: CampaignRow, now: datetime) -> Today:
    found = await session.execute(
        _TODAY,
        {
            "account": row.account_id,
            "campaign": row.id,
            "since": day_start(row.timezone, now),
            "kinds": list(EventKind),
        },
    )
    sums = {kind: (int(count), int(micros)) for kind, count, micros in found}
    spent_micros = sum(micros for _, micros in sums.values())
    return Today(
        date=day_of(row.timezone, now).isoformat(),
        spend_cents=micros_to_cents(spent_micros),
        remaining_cents=_remaining_cents(row.budget_daily_cents, spent_micros),
        impressions=sums.get(EventKind.IMPRESSION, (0, 0))[0],
        clicks=sums.get(EventKind.CLICK, (0, 0))[0],
        conversions=sums.get(EventKind.CONVERSION, (0, 0))[0],
    )


async def _no_serve_reasons(
    session: AsyncSession, row: CampaignRow, now: datetime
) -> list[NoServeReason]:
    scope: dict[str, Any] = {
        "account": row.account_id,
        "properties": row.property_ids,
        "is_test": row.environment == Environment.TEST,
        "since": now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=23),
    }
    found = [(outcome, int(count)) for outcome, count in await session.execute(_OUTCOMES, scope)]
    requests = sum(count for _, count in found)
    return [
        NoServeReason(reason=outcome, share=round(count / requests, 4))
        for outcome, count in found
        if outcome != _FILL
    ][:_MOST_REASONS]


async def _as_of(session: AsyncSession, row: CampaignRow) -> datetime | None:
    is_test = row.environment == Environment.TEST
    through_ms = await session.scalar(_THROUGH, {"is_test": is_test})
    return None if through_ms is None else from_ms(through_ms)


def _remaining_cents(budget_cents: int | None, spent_micros: int) -> int | None:
    """Rounded down: a part of a cent buys nothing that is shown in cents."""
    if budget_cents is None:
        return None
    return max(0, micros_to_cents(cents_to_micros(budget_cents) - spent_micros))
