"""What decides the delivery of campaigns, read for many of them at once: a handful of queries however many."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, String, column, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.decision.support import targeting
from common.vocabulary import AdStatus, EventKind, SlotStatus
from control.campaigns.days import day_start
from control.campaigns.delivery import Surroundings
from control.campaigns.fit import AdShape, SlotShape
from control.tables.accounts import AccountRow
from control.tables.campaigns import CampaignRow, CampaignSpendRow
from control.tables.properties import PropertyRow, SlotRow

_KIND_OF_GOAL = {f"{kind}s": kind for kind in EventKind}

_AD_COUNTS = text(
    "select campaign_id, status, count(*) from ads "
    "where account_id = :account and campaign_id = any(:ids) group by campaign_id, status"
)
_AD_SHAPES = text(
    "select distinct campaign_id, format, content -> 'width' as width, content -> 'height' as height, "
    "slot_ids, array(select jsonb_object_keys(targeting) order by 1) as kinds from ads "
    "where account_id = :account and campaign_id = any(:ids) and status = :active"
).columns(
    column("campaign_id", String),
    column("format", String),
    column("width", JSONB),
    column("height", JSONB),
    column("slot_ids", JSONB),
    column("kinds", ARRAY(String)),
)
_COUNTED = text(
    "select a.campaign_id, sum(c.impressions), sum(c.clicks), sum(c.conversions) "
    "from ads a join ad_counts c on c.ad_id = cast(a.id as uuid) "
    "where a.account_id = :account and a.campaign_id = any(:ids) group by a.campaign_id"
)
_SPENT_SINCE = text(
    "select cast(h.campaign_id as varchar), sum(h.charged_micros) "
    "from unnest(cast(:ids as uuid[]), cast(:since as timestamptz[])) as n(id, since) "
    "join event_hourly h on h.campaign_id = n.id and h.hour >= n.since "
    "where h.account_id = :account group by h.campaign_id"
)


async def surroundings_of(
    session: AsyncSession, account_id: str, rows: Sequence[CampaignRow], now: datetime
) -> dict[str, Surroundings]:
    """Campaign id to what decides its delivery."""
    account = await session.get_one(AccountRow, account_id)
    scope = {"account": account_id, "ids": [row.id for row in rows]}
    properties = sorted({name for row in rows for name in row.property_ids})
    statuses = await _property_statuses(session, account_id, properties)
    slots = await _slots(session, account_id, properties)
    spent = await _spent_micros(session, scope)
    today = await _spent_today(session, account_id, rows, now)
    counted = await _counted(session, account_id, rows)
    ads = await _ad_counts(session, scope)
    shapes = await _ad_shapes(session, scope)
    return {
        row.id: Surroundings(
            account_state=account.state,
            account_stopped=account.stopped,
            property_statuses=tuple(statuses[name] for name in row.property_ids),
            spent_micros=spent.get(row.id, 0),
            spent_today_micros=today.get(row.id, 0),
            counted=counted.get(row.id, 0),
            ads=ads.get(row.id, {}),
            active_ads=tuple(shapes.get(row.id, ())),
            slots=tuple(slot for name in row.property_ids for slot in slots.get(name, ())),
        )
        for row in rows
    }


async def counts_of(
    session: AsyncSession, account_id: str, campaign_ids: Sequence[str]
) -> dict[str, dict[EventKind, int]]:
    """Valid events of each campaign, since ever."""
    rows = await session.execute(_COUNTED, {"account": account_id, "ids": list(campaign_ids)})
    return {
        row[0]: dict(
            zip(
                (EventKind.IMPRESSION, EventKind.CLICK, EventKind.CONVERSION),
                map(int, row[1:]),
                strict=True,
            )
        )
        for row in rows
    }


async def _counted(
    session: AsyncSession, account_id: str, rows: Sequence[CampaignRow]
) -> dict[str, int]:
    goals = {row.id: row.goal["kind"] for row in rows if row.goal is not None}
    if not goals:
        return {}
    found = await counts_of(session, account_id, list(goals))
    return {name: counts[_KIND_OF_GOAL[goals[name]]] for name, counts in found.items()}


async def _spent_today(
    session: AsyncSession, account_id: str, rows: Sequence[CampaignRow], now: datetime
) -> dict[str, int]:
    since = {
        row.id: day_start(row.timezone, now) for row in rows if row.budget_daily_cents is not None
    }
    if not since:
        return {}
    found = await session.execute(
        _SPENT_SINCE,
        {"account": account_id, "ids": list(since), "since": list(since.values())},
    )
    return {row[0]: int(row[1]) for row in found}


async def _property_statuses(
    session: AsyncSession, account_id: str, property_ids: Sequence[str]
) -> dict[str, str]:
    wanted = select(PropertyRow.id, PropertyRow.status).where(
        col(PropertyRow.account_id) == account_id, col(PropertyRow.id).in_(property_ids)
    )
    return dict((await session.execute(wanted)).all())


async def _slots(
    session: AsyncSession, account_id: str, property_ids: Sequence[str]
) -> dict[str, list[SlotShape]]:
    wanted = select(SlotRow).where(
        col(SlotRow.account_id) == account_id, col(SlotRow.property_id).in_(property_ids)
    )
    found: dict[str, list[SlotShape]] = defaultdict(list)
    for row in await session.scalars(wanted):
        shape = SlotShape(
            row.id,
            tuple(row.formats),
            tuple((size["width"], size["height"]) for size in row.sizes),
            row.status == SlotStatus.ACTIVE,
        )
        found[row.property_id].append(shape)
    return found


async def _spent_micros(session: AsyncSession, scope: dict[str, Any]) -> dict[str, int]:
    wanted = select(CampaignSpendRow.campaign_id, CampaignSpendRow.spent_micros).where(
        col(CampaignSpendRow.account_id) == scope["account"],
        col(CampaignSpendRow.campaign_id).in_(scope["ids"]),
    )
    return dict((await session.execute(wanted)).all())


async def _ad_counts(session: AsyncSession, scope: dict[str, Any]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for campaign_id, status, count in await session.execute(_AD_COUNTS, scope):
        found[campaign_id][status] = count
    return found


async def _ad_shapes(session: AsyncSession, scope: dict[str, Any]) -> dict[str, list[AdShape]]:
    """The different ones among each campaign's active ads: few rows, however many ads."""
    found: dict[str, list[AdShape]] = defaultdict(list)
    rows = await session.execute(_AD_SHAPES, {**scope, "active": AdStatus.ACTIVE.value})
    for campaign_id, ad_format, width, height, slot_ids, kinds in rows:
        sized = isinstance(width, int) and isinstance(height, int)
        shape = AdShape(
            ad_format,
            (width, height) if sized else None,
            tuple(slot_ids),
            tuple(targeting(kind) for kind in kinds),
        )
        found[campaign_id].append(shape)
    return found
