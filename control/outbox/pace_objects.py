"""Pace objects of live campaigns, read for many campaigns at once from the ledger's rows and days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.budget.local_day import day_of
from common.snapshot.model import Pace
from common.values.money import cents_to_micros

_BOUNDED = (
    "c.environment = 'live' and c.status in ('active', 'paused', 'completed') "
    "and (c.budget_total_cents is not null or c.budget_daily_cents is not null or c.goal is not null)"
)
"""Campaigns with a pace object: live, held by edges, and with a limit that may be reached."""
_COLUMNS = (
    "c.id, c.account_id, c.timezone, c.budget_total_cents, c.budget_daily_cents, c.goal, "
    "s.spent_micros, s.impressions, s.clicks, s.conversions"
)
_OF = text(
    f"select {_COLUMNS} from campaigns c join campaign_spend s on s.campaign_id = c.id "  # noqa: S608 - constants only
    f"where c.id = any(:ids) and {_BOUNDED}"
)
_MOVED = text(
    f"select {_COLUMNS}, o.body from campaign_spend s join campaigns c on c.id = s.campaign_id "  # noqa: S608 - constants only
    "left join snapshot_objects o on o.type = 'pace' and o.id = c.id "
    f"where (s.updated_at >= :since or c.updated_at >= :since) and {_BOUNDED} order by s.updated_at"
)
_TODAY = text(
    "select d.campaign_id, d.spent_micros "
    "from unnest(cast(:ids as varchar[]), cast(:days as date[])) as n(id, day) "
    "join campaign_spend_days d on d.campaign_id = n.id and d.day = n.day"
)
_UNKNOWN = text(
    "select o.id from snapshot_objects o left join campaigns c on c.id = o.id "  # noqa: S608 - constants only
    f"where o.type = 'pace' and not coalesce({_BOUNDED}, false) limit :limit"
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits that end a campaign's delivery; None: no such limit."""

    total_micros: int | None = None
    daily_micros: int | None = None
    goal: int | None = None


@dataclass(frozen=True, slots=True)
class Delivered:
    """Current figures of the ledger. ``day``: today in the campaign's timezone, as an ISO date."""

    spent_micros: int
    counted: int
    day: str


@dataclass(frozen=True, slots=True)
class CampaignFigures:
    """``known``: the body of the pace object as edges hold it, where it was read and exists."""

    campaign_id: str
    account_id: str
    timezone: str
    bounds: Bounds
    spent_micros: int
    counted: int
    known: bytes | None = None

    def delivered(self, now: datetime) -> Delivered:
        return Delivered(self.spent_micros, self.counted, day_of(self.timezone, now).isoformat())


async def list_moved(session: AsyncSession, since: datetime) -> Sequence[Sequence[Any]]:
    """
    Returns campaigns changed since *since*, in themselves or in their spend, in order of the change of spend. Each is a
    row for `moved_figures`, with its id first.
    """
    return (await session.execute(_MOVED, {"since": since})).all()


def moved_figures(row: Sequence[Any]) -> CampaignFigures:
    return _figures(row[:10], bytes(row[10]) if row[10] is not None else None)


async def read_paces(
    session: AsyncSession, campaign_ids: Sequence[str], now: datetime
) -> list[tuple[Pace, str]]:
    """
    Returns pace and account of those of *campaign_ids* that have a pace object and have spent or
    counted anything.
    """
    rows = await session.execute(_OF, {"ids": list(campaign_ids)})
    found = [_figures(row) for row in rows]
    today = await _spent_today(session, found, now)
    return [(_pace(one, today, now), one.account_id) for one in found]


async def list_unknown(session: AsyncSession, limit: int) -> list[str]:
    """Returns campaigns whose pace object edges still hold and no longer need."""
    return list(await session.scalars(_UNKNOWN, {"limit": limit}))


async def _spent_today(
    session: AsyncSession, figures: Sequence[CampaignFigures], now: datetime
) -> dict[str, int]:
    days = {
        one.campaign_id: day_of(one.timezone, now)
        for one in figures
        if one.bounds.daily_micros is not None
    }
    if not days:
        return {}
    rows = await session.execute(_TODAY, {"ids": list(days), "days": list(days.values())})
    return {campaign_id: int(micros) for campaign_id, micros in rows}


def _pace(one: CampaignFigures, today: Mapping[str, int], now: datetime) -> Pace:
    daily = one.bounds.daily_micros is not None
    return Pace(
        id=one.campaign_id,
        spent_micros=one.spent_micros,
        spent_today_micros=today.get(one.campaign_id, 0),
        day=day_of(one.timezone, now).isoformat() if daily else "",
        counted=one.counted,
    )


def _figures(row: Sequence[Any], published: bytes | None = None) -> CampaignFigures:
    campaign, account, timezone, total, daily, goal, spent, *counts = row
    by_kind = dict(zip(("impressions", "clicks", "conversions"), counts, strict=True))
    return CampaignFigures(
        campaign,
        account,
        timezone,
        Bounds(
            None if total is None else cents_to_micros(total),
            None if daily is None else cents_to_micros(daily),
            None if goal is None else goal["total"],
        ),
        spent,
        0 if goal is None else by_kind[goal["kind"]],
        published,
    )
