"""
The properties with the newest impressions, with the requests and the fill rate of their last day. From hourly sums.

The API lists properties by age, and its reports have no instant of an impression.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from common.values.clock import to_iso
from common.values.enums import PropertyStatus
from control.dashboard.page_request import PageRequest

MAX_SITES = 8
_SPAN = timedelta(hours=23)

_READ = text("""
with sites as (
    select p.id, p.name, p.domain, p.status, h.last_at
    from properties p
    left join lateral (
        select e.last_at from event_hourly e
        where e.property_id = cast(p.id as uuid) and e.is_test = :is_test and e.kind = 'impression'
            and e.reason like 'ok%'
        order by e.hour desc, e.last_at desc limit 1
    ) h on true
    where p.account_id = :account
    order by h.last_at desc nulls last, p.id limit :most
)
select s.id, s.name, s.domain, s.status, s.last_at, d.requests, d.fills,
    (select count(*) from properties where account_id = :account) as total
from sites s
cross join lateral (
    select coalesce(sum(count), 0) as requests, coalesce(sum(count) filter (where outcome = 'fill'), 0) as fills
    from serve_hourly
    where property_id = cast(s.id as uuid) and is_test = :is_test and hour >= :since
) d
order by s.last_at desc nulls last, s.id
""")


@dataclass(frozen=True, slots=True)
class Site:
    """``last_at``: of the newest valid impression, as the API writes times. The counts are of the last day."""

    id: str
    name: str
    domain: str | None
    status: PropertyStatus
    last_at: str | None
    requests: int
    fill_rate: float | None


@dataclass(frozen=True, slots=True)
class Sites:
    """The properties with the latest impressions, and the number of all properties."""

    shown: Sequence[Site]
    total: int


async def read_sites(view: PageRequest) -> Sites:
    """In the view's environment."""
    account_id = view.caller.account_id
    environment = view.environment
    values = {
        "account": account_id,
        "is_test": environment is not None and environment.is_test,
        "most": MAX_SITES,
        "since": view.now.replace(minute=0, second=0, microsecond=0) - _SPAN,
    }
    async with view.control.database.tenant(account_id) as session:
        rows = (await session.execute(_READ, values)).all()
    sites = [
        Site(
            row.id,
            row.name,
            row.domain,
            PropertyStatus(row.status),
            _iso(row.last_at),
            int(row.requests),
            int(row.fills) / int(row.requests) if row.requests else None,
        )
        for row in rows
    ]
    return Sites(sites, rows[0].total if rows else 0)


def _iso(at: datetime | None) -> str | None:
    return None if at is None else to_iso(at)
