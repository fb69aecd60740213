"""
What is stored under a keyed hash of property and uid: rows of events and of the serves that conversions can be
attributed to, and edges' counts for frequency caps.

A table is found automatically if it has the columns ``person`` and ``account_id``. Erasing sets ``person`` to null if
the column allows it, because the row counts and was paid for; otherwise it deletes the row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from sqlalchemy import Row, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.privacy.person import hash_person
from common.service.secrets import KeyRing, Purpose
from control.identity.privacy_requests.data_places import Search, as_text
from control.ports.person_counts import FrequencyCounts
from control.storage.tables.properties import PropertyRow

_WITH_PERSON = text("""
select quote_ident(c.relname) as name, not a.attnotnull as may_be_nobody, exists (
    select from pg_attribute d where d.attrelid = c.oid and d.attname = 'stored_day'
) as is_by_day
from pg_attribute a join pg_class c on c.oid = a.attrelid
where a.attname = 'person' and a.atttypid = 'bytea'::regtype and not a.attisdropped
  and c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
  and exists (select 1 from pg_attribute o where o.attrelid = c.oid and o.attname = 'account_id')
order by 1
""")
_MINE = "account_id::text = :account and person = any(:people)"


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of the catalogue. ``days``: those of its rows, where it is read a day at a time."""

    name: str
    may_be_nobody: bool
    days: Sequence[date] | None


class People:
    name = "events"

    def __init__(self, keys: KeyRing) -> None:
        self._keys = keys

    async def find(self, session: AsyncSession, account_id: str, uid: str) -> Search:
        requested = await self._fetch(session, account_id, uid)
        tables = await _list_tables(session)
        records = []
        for table in tables:
            rows = await _run(
                session,
                table,
                f"select to_jsonb(t) - 'xid' as row from {table.name} t where {_MINE}",  # noqa: S608 - a name from the catalogue
                requested,
            )
            records += [{"table": table.name, **as_text(row)} for (row,) in rows]
        names = ", ".join(table.name for table in tables)
        return Search(f"by a keyed hash of the uid on each property: {names}", records)

    async def erase(self, session: AsyncSession, account_id: str, uid: str) -> int:
        requested = await self._fetch(session, account_id, uid)
        count = 0
        for table in await _list_tables(session):
            name = table.name
            if table.may_be_nobody:
                act = f"update {name} set person = null where {_MINE}"  # noqa: S608 - as above
            else:
                act = f"delete from {name} where {_MINE}"  # noqa: S608 - as above
            count += len(await _run(session, table, act, requested, "returning 1"))
        return count

    async def _fetch(self, session: AsyncSession, account_id: str, uid: str) -> dict[str, object]:
        people: Sequence[bytes] = await _find_people(session, self._keys, account_id, uid)
        return {"account": account_id, "people": list(people)}


async def _list_tables(session: AsyncSession) -> list[_Table]:
    """Tables by ``stored_day`` have no index on the person: one statement for all days could reach its time limit."""
    found = []
    for name, may_be_nobody, is_by_day in (await session.execute(_WITH_PERSON)).all():
        days: Sequence[date] | None = None
        if is_by_day:
            ends = text(f"select min(stored_day), max(stored_day) from {name}")  # noqa: S608 - as above
            first, last = (await session.execute(ends)).one()
            days = [] if first is None else _days(first, last)
        found.append(_Table(name, may_be_nobody, days))
    return found


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


async def _run(
    session: AsyncSession,
    table: _Table,
    statement: str,
    requested: Mapping[str, object],
    end: str = "",
) -> list[Row[Any]]:
    """The rows of *statement*, which ends with its condition, before *end*; of all days of the table."""
    if table.days is None:
        return list((await session.execute(text(f"{statement} {end}"), requested)).all())
    by_day = text(f"{statement} and stored_day = :day {end}")
    rows: list[Row[Any]] = []
    for day in table.days:
        rows += (await session.execute(by_day, {**requested, "day": day})).all()
    return rows


class CapCounts:
    name = "frequency_caps"

    def __init__(self, counts: FrequencyCounts, keys: KeyRing) -> None:
        self._counts = counts
        self._keys = keys

    async def find(self, session: AsyncSession, account_id: str, uid: str) -> Search:
        people = await _find_people(session, self._keys, account_id, uid)
        records = [dict(record) for record in await self._counts.read(people)]
        return Search("what edges count for frequency caps, by the uid on each property", records)

    async def erase(self, session: AsyncSession, account_id: str, uid: str) -> int:
        return await self._counts.erase(await _find_people(session, self._keys, account_id, uid))


async def _find_people(
    session: AsyncSession, keys: KeyRing, account_id: str, uid: str
) -> Sequence[bytes]:
    """
    Hashes the uid as events store it, keyed: for every property of the account and every key of the key file, because a
    replaced key may have been used.
    """
    mine = select(col(PropertyRow.id)).where(col(PropertyRow.account_id) == account_id)
    properties = (await session.scalars(mine)).all()
    derived = [keys.derive(Purpose.PEOPLE, key_id) for key_id in keys.keys]
    return [hash_person(key, name, uid) for name in properties for key in derived]
