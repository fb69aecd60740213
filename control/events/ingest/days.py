"""
What campaigns were charged on each day: the day of the serve, in the campaign's timezone.

The campaigns' row locks guard these rows.
"""

from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.budget.local_day import day_of
from common.values.clock import from_ms

_QUARTER_MS = 900_000
"""Every zone's midnight falls on a quarter of an hour."""
_READ = text(
    "select d.campaign_id, d.day, d.spent_micros from campaign_spend_days d "
    "join unnest(cast(:ids as varchar[]), cast(:days as date[])) as n(id, day) "
    "on d.campaign_id = n.id and d.day = n.day"
)
CampaignDay = tuple[str, date]


def day_at(timezone: str, instant_ms: int) -> date:
    return _day_of_quarter(timezone, instant_ms // _QUARTER_MS)


async def read_days(session: AsyncSession, wanted: Iterable[CampaignDay]) -> dict[CampaignDay, int]:
    """Micros already charged; days without a charge are left out. The campaigns' rows must be locked."""
    pairs = list(wanted)
    if not pairs:
        return {}
    rows = await session.execute(
        _READ, {"ids": [one for one, _ in pairs], "days": [day for _, day in pairs]}
    )
    return {(campaign, day): micros for campaign, day, micros in rows}


@lru_cache(maxsize=20_000)
def _day_of_quarter(timezone: str, quarter: int) -> date:
    return day_of(timezone, from_ms(quarter * _QUARTER_MS))
