"""Reads the inputs of a forecast from PostgreSQL: few statements, and a limited number of decisions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.pacing.curve import HOUR_MS, HOURS
from common.snapshot.messages import ObjectChange
from common.snapshot.model import ObjectType
from common.values.clock import to_ms
from common.values.enums import Pacing
from common.values.environment import Environment
from control.reporting.decision_log.retention import KEPT
from control.reporting.forecast.job import Week

LOOK_BACK = timedelta(weeks=4)
MAX_RECORDS = 30_000
_MAX_READ = 400_000
"""Rows scanned to find the records; beyond it, whole pages are skipped at random."""
_MIN_FILLS = 100
_OBJECTS = text(
    "select type, id, body from snapshot_objects where account_id = :account "
    "and (environment is null or environment = :environment)"
)
_PACINGS = text(
    "select id, pacing from campaigns where account_id = :account and environment = :environment "
    "and status = 'active'"
)
_REQUESTS = text(
    "select slot_id, hour, sum(count), sum(count) filter (where outcome = 'fill') from serve_hourly "
    "where account_id = :account and property_id = any(cast(:properties as uuid[])) "
    "and is_test = :is_test and hour >= :since and hour < :until group by 1, 2 order by 2, 1"
)
_IMPRESSIONS = text(
    "select coalesce(sum(count), 0) from event_hourly where account_id = :account "
    "and property_id = any(cast(:properties as uuid[])) and is_test = :is_test "
    "and kind = 'impression' and reason like 'ok%' and hour >= :since and hour < :until"
)
_RECORDS_KEPT = text(
    "select coalesce(sum(greatest(c.reltuples, 0)), 0) from pg_inherits i "
    "join pg_class c on c.oid = i.inhrelid where i.inhparent = 'decision_records'::regclass"
)
_RECORDS = (
    "select body from decision_records {sample} where day >= :day and account_id = :account "
    "and property_id = any(cast(:properties as uuid[])) and is_test = :is_test "
    "order by hashtextextended(cast(id as text), 0) limit :most"
)


@dataclass(frozen=True, slots=True)
class Reach:
    """The properties to read: of one account, in one environment."""

    account_id: str
    property_ids: Sequence[str]
    environment: Environment


@dataclass(frozen=True, slots=True)
class Traffic:
    """``weeks``: by slot; ``days``: requests of whole days; ``shown``: impressions a fill; ``hours``: observed."""

    weeks: dict[str, Week]
    days: list[int]
    shown: float
    requests: int
    hours: int
    since: datetime | None


async def read_entries(session: AsyncSession, reach: Reach) -> list[ObjectChange]:
    """The account's published objects. Runs as the service role."""
    rows = await session.execute(
        _OBJECTS, {"account": reach.account_id, "environment": reach.environment.value}
    )
    return [ObjectChange(ObjectType(kind), name, bytes(body)) for kind, name, body in rows]


async def read_pacings(session: AsyncSession, reach: Reach) -> dict[str, Pacing]:
    rows = await session.execute(
        _PACINGS, {"account": reach.account_id, "environment": reach.environment.value}
    )
    return {name: Pacing(pacing) for name, pacing in rows}


async def read_traffic(session: AsyncSession, reach: Reach, now: datetime) -> Traffic:
    """Traffic of the campaign's properties in whole hours, from the first request within the last four weeks."""
    until = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    where = _where(reach) | {"since": until - LOOK_BACK, "until": until}
    counted = [
        (str(slot_id), hour, int(requests), int(fills or 0))
        for slot_id, hour, requests, fills in await session.execute(_REQUESTS, where)
    ]
    if not counted:
        return Traffic({}, [], 1.0, 0, 0, None)
    since = counted[0][1]
    fills = sum(one[3] for one in counted)
    impressions = int(await session.scalar(_IMPRESSIONS, where | {"since": since}) or 0)
    return Traffic(
        weeks=_weeks(counted, since, until),
        days=_days(counted, since, until),
        shown=min(1.0, impressions / fills) if fills >= _MIN_FILLS and impressions else 1.0,
        requests=sum(one[2] for one in counted),
        hours=(to_ms(until) - to_ms(since)) // HOUR_MS,
        since=since,
    )


async def read_records(session: AsyncSession, reach: Reach, now: datetime) -> list[bytes]:
    """A random sample of the campaign's properties' recorded decisions; the same sample on every call."""
    kept = float(await session.scalar(_RECORDS_KEPT) or 0)
    sample = ""
    if kept > _MAX_READ:
        sample = f"tablesample system ({100 * _MAX_READ / kept:.6f}) repeatable (1)"
    where = _where(reach) | {"day": (now - KEPT).date(), "most": MAX_RECORDS}
    found = await session.scalars(text(_RECORDS.format(sample=sample)), where)
    return [bytes(body) for body in found]


def _where(reach: Reach) -> dict[str, Any]:
    return {
        "account": reach.account_id,
        "properties": list(reach.property_ids),
        "is_test": reach.environment.is_test,
    }


_Counted = Sequence[tuple[str, datetime, int, int]]


def _weeks(counted: _Counted, since: datetime, until: datetime) -> dict[str, Week]:
    first, last = to_ms(since) // HOUR_MS, to_ms(until) // HOUR_MS
    seen = [0] * HOURS
    for hour in range(first, last):
        seen[hour % HOURS] += 1
    requests: dict[str, list[int]] = {}
    for slot_id, at, count, _ in counted:
        requests.setdefault(slot_id, [0] * HOURS)[to_ms(at) // HOUR_MS % HOURS] += count
    return {slot_id: Week(tuple(of), tuple(seen)) for slot_id, of in requests.items()}


def _days(counted: _Counted, since: datetime, until: datetime) -> list[int]:
    """Requests of whole days, in UTC."""
    sums: dict[date, int] = {}
    for _, at, count, _ in counted:
        day = at.astimezone(UTC).date()
        sums[day] = sums.get(day, 0) + count
    return [sums.get(day, 0) for day in _whole_days(since, until)]


def _whole_days(since: datetime, until: datetime) -> Iterable[date]:
    day = since.astimezone(UTC).date()
    if since.astimezone(UTC).hour:
        day += timedelta(days=1)
    while day < until.date():
        yield day
        day += timedelta(days=1)
