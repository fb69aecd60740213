"""Reads the new events of many readers of the feed in one statement, which PostgreSQL plans once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncSession

from control.events.events_api.positions import Position
from control.events.events_api.queries import SHOWN, Filters

_SKEW = timedelta(days=1)
_COLUMNS = ", ".join(f"e.{column.key}" for column in SHOWN)

_FIND_NEW = text(f"""
select requested.number, e.* from unnest(
    cast(:accounts as text[]), cast(:xids as xid8[]), cast(:ids as uuid[]), cast(:days as date[]),
    cast(:properties as text[]), cast(:kinds as text[]), cast(:valids as boolean[]), cast(:tests as boolean[]),
    cast(:environments as boolean[]), cast(:sinces as timestamptz[]), cast(:untils as timestamptz[])
) with ordinality as requested (
    account_id, xid, id, day, properties, kinds, valid, is_test, environment, since, until, number
)
cross join lateral (
    select {_COLUMNS} from events e
    where e.account_id = requested.account_id and (e.xid, e.id) > (requested.xid, requested.id)
      and e.xid < cast(:horizon as xid8) and e.stored_day >= requested.day
      and (requested.properties = '' or e.property_id = any(string_to_array(requested.properties, ',')::uuid[]))
      and (requested.kinds = '' or e.kind = any(string_to_array(requested.kinds, ',')))
      and (requested.valid is null or e.valid = requested.valid)
      and (requested.is_test is null or e.is_test = requested.is_test)
      and (requested.environment is null or e.is_test = requested.environment)
      and (requested.since is null or e.at >= requested.since)
      and (requested.until is null or e.at < requested.until)
    order by e.xid, e.id limit :limit
) e
order by requested.number, e.xid, e.id
""")  # noqa: S608 - columns of ours


@dataclass(frozen=True, slots=True)
class PollRequest:
    """One reader's filters and its position in the feed."""

    filters: Filters
    position: Position


async def find_new(
    session: AsyncSession, requested: Sequence[PollRequest], *, horizon: int, limit: int
) -> list[list[Row[Any]]]:
    """For each of *requested*, the events below *horizon*, oldest first, at most *limit* each."""
    wanted = [one.filters for one in requested]
    positions = [one.position for one in requested]
    found = await session.execute(
        _FIND_NEW,
        {
            "accounts": [one.account_id for one in wanted],
            "xids": [position.xid for position in positions],
            "ids": [position.id for position in positions],
            "days": [position.day - _SKEW for position in positions],
            "properties": [",".join(one.property_ids) for one in wanted],
            "kinds": [",".join(one.kinds) for one in wanted],
            "valids": [one.valid for one in wanted],
            "tests": [one.is_test for one in wanted],
            "environments": [one.environment and one.environment.is_test for one in wanted],
            "sinces": [one.since for one in wanted],
            "untils": [one.until for one in wanted],
            "horizon": horizon,
            "limit": limit,
        },
    )
    rows: list[list[Row[Any]]] = [[] for _ in requested]
    for row in found:
        rows[row.number - 1].append(row)
    return rows
