"""
Reads the delivery context of many campaigns at once: one query for any number of campaigns, and one more if some have
a goal.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import column, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from common.budget.local_day import day_of
from common.decision.rules.feature_support import targeting
from common.values.enums import EventKind, SlotStatus
from common.values.environment import Environment
from control.delivery.pacing.slot_match import AdShape, SlotShape
from control.demand.campaigns.delivery_status.delivery import DeliveryContext
from control.storage.tables.campaigns import CampaignRow

_LOOKUPS_BEFORE = timedelta(hours=1)
"""Cap look-ups are counted in the current hour and the one before."""
_KIND_OF_GOAL = {f"{kind}s": kind for kind in EventKind}


def _read_array(name: str, element: str = "varchar") -> str:
    """SQL of the parameter *name*, which `_array` writes as text, as an array of *element*."""
    return f"cast(cast(:{name} as text) as {element}[])"


_CONTEXT = text(f"""
select jsonb_build_object(
    'account', (
        select jsonb_build_array(state, stopped, funded, address_verified_at is not null)
        from accounts where accounts.id = :account
    ),
    'properties', (
        select jsonb_object_agg(id, status) from properties
        where account_id = :account and id = any({_read_array("properties")})
    ),
    'slots', (
        select jsonb_agg(jsonb_build_array(property_id, id, formats, sizes, status)) from slots
        where account_id = :account and property_id = any({_read_array("properties")})
    ),
    'spent', (
        select jsonb_object_agg(campaign_id, spent_micros) from campaign_spend
        where account_id = :account and campaign_id = any({_read_array("ids")})
    ),
    'ads', (
        select jsonb_agg(jsonb_build_array(campaign_id, status, count, shape)) from (
            select campaign_id, status, shape, count(*) as count from (
                select campaign_id, status, case when status = 'active' then jsonb_build_array(
                    format, content -> 'width', content -> 'height', slot_ids,
                    array(select jsonb_object_keys(targeting) order by 1)
                ) end as shape
                from ads where account_id = :account and campaign_id = any({_read_array("ids")})
            ) each_ad group by campaign_id, status, shape
        ) alike
    ),
    'today', (
        select jsonb_object_agg(d.campaign_id, d.spent_micros)
        from unnest(
            {_read_array("daily")}, {_read_array("days", "date")}
        ) as n(id, day)
        join campaign_spend_days d on d.campaign_id = n.id and d.day = n.day
        where d.account_id = :account
    ),
    'caps', (
        select jsonb_agg(jsonb_build_array(property_id, is_test, lookups, unknown)) from (
            select property_id, is_test, sum(lookups) as lookups, sum(unknown) as unknown from cap_lookups
            where property_id = any({_read_array("capped", "uuid")}) and hour >= :lookups_since
            group by property_id, is_test
        ) of_property
    )
) as found
""").columns(column("found", JSONB))  # noqa: S608 - constants only
"""Reads everything that comes from plain rows in one round trip, because this runs for every campaign that is shown."""

_COUNTED = text(
    "select a.campaign_id, sum(c.impressions), sum(c.clicks), sum(c.conversions) "
    "from ads a join ad_counts c on c.ad_id = cast(a.id as uuid) "
    "where a.account_id = :account and a.campaign_id = any(:ids) group by a.campaign_id"
)


async def delivery_context_of(
    session: AsyncSession, account_id: str, rows: Sequence[CampaignRow], now: datetime
) -> dict[str, DeliveryContext]:
    """Campaign id → delivery context."""
    properties = sorted({name for row in rows for name in row.property_ids})
    days = _days_of(rows, now)
    scope = {
        "account": account_id,
        "ids": _array(row.id for row in rows),
        "properties": _array(properties),
        "daily": _array(days),
        "days": _array(days.values()),
        "capped": _array(
            sorted({name for row in rows if row.frequency_caps for name in row.property_ids})
        ),
        "lookups_since": now.replace(minute=0, second=0, microsecond=0) - _LOOKUPS_BEFORE,
    }
    found = await session.scalar(_CONTEXT, scope)
    state, stopped, funded, address_verified = found["account"]
    statuses, spent = found["properties"] or {}, found["spent"] or {}
    slots = _slots_by_property(found["slots"] or ())
    ads, shapes = _ads_by_campaign(found["ads"] or ())
    today = found["today"] or {}
    lookups = {(one[0], one[1]): (one[2], one[3]) for one in found["caps"] or ()}
    counted = await _counted(session, account_id, rows)

    @cache
    def places(property_ids: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[SlotShape, ...]]:
        """Statuses and slots, which many campaigns share."""
        known = tuple(statuses[name] for name in property_ids if name in statuses)
        return known, tuple(slot for name in property_ids for slot in slots.get(name, ()))

    def of(row: CampaignRow) -> DeliveryContext:
        property_statuses, its_slots = places(tuple(row.property_ids))
        return DeliveryContext(
            account_state=state,
            account_stopped=stopped,
            account_funded=funded,
            address_verified=address_verified,
            property_statuses=property_statuses,
            spent_micros=spent.get(row.id, 0),
            spent_today_micros=today.get(row.id, 0),
            counted=counted.get(row.id, 0),
            ads=ads.get(row.id, {}),
            active_ads=tuple(shapes.get(row.id, ())),
            slots=its_slots,
            **_cap_lookups(row, lookups),
        )

    return {row.id: of(row) for row in rows}


async def counts_of(
    session: AsyncSession, account_id: str, campaign_ids: Sequence[str]
) -> dict[str, dict[EventKind, int]]:
    """All valid events of each campaign, by kind."""
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


def _cap_lookups(
    row: CampaignRow, lookups: Mapping[tuple[str, bool], tuple[int, int]]
) -> dict[str, int]:
    """The fields of `DeliveryContext` about cap look-ups; empty for a campaign without a cap."""
    if not row.frequency_caps:
        return {}
    is_test = row.environment == Environment.TEST
    counts = [lookups.get((name, is_test), (0, 0)) for name in row.property_ids]
    return {
        "cap_lookups": sum(total for total, _ in counts),
        "cap_lookups_unknown": sum(unknown for _, unknown in counts),
    }


def _days_of(rows: Sequence[CampaignRow], now: datetime) -> dict[str, str]:
    """Today's date as text, for each campaign with a daily budget."""
    zones = {row.id: row.timezone for row in rows if row.budget_daily_cents is not None}
    days = {zone: day_of(zone, now).isoformat() for zone in set(zones.values())}
    return {campaign_id: days[zone] for campaign_id, zone in zones.items()}


def _array(values: Iterable[str]) -> str:
    """Ids or days as a PostgreSQL array literal: the driver would inspect every element several times."""
    return f"{{{','.join(values)}}}"


def _slots_by_property(rows: Iterable[list[Any]]) -> dict[str, list[SlotShape]]:
    found: dict[str, list[SlotShape]] = defaultdict(list)
    for property_id, slot_id, formats, sizes, status in rows:
        shape = SlotShape(
            slot_id,
            tuple(formats),
            tuple((size["width"], size["height"]) for size in sizes),
            status == SlotStatus.ACTIVE,
        )
        found[property_id].append(shape)
    return found


def _ads_by_campaign(
    rows: Iterable[list[Any]],
) -> tuple[dict[str, dict[str, int]], dict[str, list[AdShape]]]:
    """Ads by status, and the distinct shapes of the active ones: few shapes, however many ads there are."""
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    shapes: dict[str, list[AdShape]] = defaultdict(list)
    for campaign_id, status, count, shape in rows:
        of_campaign = counts[campaign_id]
        of_campaign[status] = of_campaign.get(status, 0) + count
        if shape is not None:
            shapes[campaign_id].append(_ad_shape(*shape))
    return counts, shapes


def _ad_shape(
    ad_format: str, width: int | None, height: int | None, slot_ids: list[str], kinds: list[str]
) -> AdShape:
    return AdShape(
        ad_format,
        (width, height) if width is not None and height is not None else None,
        tuple(slot_ids),
        tuple(targeting(kind) for kind in kinds),
    )
