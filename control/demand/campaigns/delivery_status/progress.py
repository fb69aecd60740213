"""A campaign's progress: its delivery, its totals, today's figures, and the reasons why no ad was shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.budget.local_day import day_of, day_start
from common.pacing.curve import Curve
from common.values.clock import from_ms, to_ms
from common.values.enums import EventKind
from common.values.environment import Environment
from common.values.money import cents_to_micros, micros_to_cents
from control.api.listing import read_only
from control.delivery.leasing.lease_journal import FIND_OUTSTANDING
from control.delivery.pacing.traffic_forecast import (
    Curves,
    reachable_slots,
    read_weeks,
    targeting_of,
)
from control.demand.campaigns.delivery_status.delivery import DeliveryContext, delivery_of
from control.demand.campaigns.delivery_status.delivery_context import counts_of, delivery_context_of
from control.demand.campaigns.delivery_status.expected_spend import SpendProgress, spend_progress_of
from control.demand.campaigns.delivery_status.no_fill_reasons import list_no_serve_reasons
from control.demand.campaigns.delivery_status.progress_schemas import DeliveryPublic, Today
from control.storage.tables.campaigns import CampaignRow

_TODAY = text(
    "select kind, sum(case when reason = 'retracted' then -abs(count) else count end), sum(charged_micros) "
    "from event_hourly where account_id = :account and campaign_id = cast(:campaign as uuid) "
    "and hour >= :since and kind = any(:kinds) and (reason like 'ok%' or reason = 'retracted') group by kind"
)
"""An event retracted today counts -1 today."""
_FLAT_RATE = text("select micros from flat_rate_days where campaign_id = :campaign and day = :day")
_THROUGH = text("select events_through_ms(:is_test)")
_OUTSTANDING_OLD = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """A campaign with the inputs of its plan. ``curve``: of the traffic that it can reach."""

    row: CampaignRow
    context: DeliveryContext
    curve: Curve

    def progress_at(self, at: datetime) -> SpendProgress:
        return spend_progress_of(self.row, self.context, at, self.curve)


async def read_plans(
    session: AsyncSession, account_id: str, ids: Sequence[str], now: datetime
) -> dict[str, CampaignPlan]:
    """
    Plans of many campaigns by id, in a few queries whatever their number.

    The API has the progress of one campaign at a time and at the present; pages show that of a list and of past days.
    """
    wanted = select(CampaignRow).where(
        col(CampaignRow.account_id) == account_id, col(CampaignRow.id).in_(ids)
    )
    rows = await read_only(session, CampaignRow, wanted) if ids else ()
    return await _plans_of(session, account_id, rows, now) if rows else {}


async def read_progress(session: AsyncSession, row: CampaignRow, now: datetime) -> DeliveryPublic:
    """Reads what `GET /v1/campaigns/{id}/delivery` returns."""
    plan = (await _plans_of(session, row.account_id, [row], now))[row.id]
    context, progress = plan.context, plan.progress_at(now)
    delivery = delivery_of(row, context, now)
    counts = (await counts_of(session, row.account_id, [row.id])).get(row.id, {})
    return DeliveryPublic(
        status=row.status,
        delivery_status=delivery.status,
        delivery_reason=delivery.reason,
        expected_percent=progress.expected_percent,
        actual_percent=progress.actual_percent,
        pace=progress.pace,
        spend_cents=micros_to_cents(context.spent_micros),
        remaining_cents=_remaining_cents(row.budget_total_cents, context.spent_micros),
        today=await _today(session, row, context, now),
        impressions=counts.get(EventKind.IMPRESSION, 0),
        clicks=counts.get(EventKind.CLICK, 0),
        conversions=counts.get(EventKind.CONVERSION, 0),
        max_over_delivery_cents=await _over_delivery_cents(session, row, now),
        top_no_serve_reasons=await list_no_serve_reasons(session, row, context, now),
        as_of=await _as_of(session, row),
    )


async def _plans_of(
    session: AsyncSession, account_id: str, rows: Sequence[CampaignRow], now: datetime
) -> dict[str, CampaignPlan]:
    contexts = await delivery_context_of(session, account_id, rows, now)
    aims = {row.id: targeting_of(row.targeting) for row in rows}
    reached = {
        row.id: reachable_slots(contexts[row.id].active_ads, contexts[row.id].slots, aims[row.id])
        for row in rows
    }
    curves = Curves(await read_weeks(session, set().union(*reached.values())), to_ms(now))
    return {
        row.id: CampaignPlan(
            row, contexts[row.id], curves.get(reached[row.id], row.timezone, aims[row.id])
        )
        for row in rows
    }


async def _over_delivery_cents(
    session: AsyncSession, row: CampaignRow, now: datetime
) -> int | None:
    if row.environment == Environment.TEST or not (
        row.budget_total_cents or row.budget_daily_cents
    ):
        return None
    found = (await session.execute(FIND_OUTSTANDING, {"campaign": row.id})).first()
    if found is None or now - found.at > _OUTSTANDING_OLD:
        return None
    micros: int = found.micros
    return -(-micros // cents_to_micros(1))


async def _today(
    session: AsyncSession, row: CampaignRow, context: DeliveryContext, now: datetime
) -> Today:
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
    day = day_of(row.timezone, now)
    part = await session.scalar(_FLAT_RATE, {"campaign": row.id, "day": day})
    spent_micros = sum(micros for _, micros in sums.values()) + (part or 0)
    return Today(
        date=day.isoformat(),
        spend_cents=micros_to_cents(spent_micros),
        remaining_cents=_remaining_cents(row.budget_daily_cents, context.spent_today_micros),
        impressions=sums.get(EventKind.IMPRESSION, (0, 0))[0],
        clicks=sums.get(EventKind.CLICK, (0, 0))[0],
        conversions=sums.get(EventKind.CONVERSION, (0, 0))[0],
    )


async def _as_of(session: AsyncSession, row: CampaignRow) -> datetime | None:
    is_test = row.environment == Environment.TEST
    through_ms = await session.scalar(_THROUGH, {"is_test": is_test})
    return None if through_ms is None else from_ms(through_ms)


def _remaining_cents(budget_cents: int | None, spent_micros: int) -> int | None:
    """Rounded down, because a fraction of a cent buys nothing."""
    if budget_cents is None:
        return None
    return max(0, micros_to_cents(cents_to_micros(budget_cents) - spent_micros))
