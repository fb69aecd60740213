"""
Rows that store a keyed hash of property and uid: events, and the serves that conversions can be attributed to.

A table is found automatically if it has the columns ``person`` and ``account_id``. Erasing sets ``person`` to null if
the column allows it, because the row counts and was paid for; otherwise it deletes the row.
"""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing
from control.identity.privacy_requests.data_places import Search
from control.identity.privacy_requests.hashes import find_people

_WITH_PERSON = text("""
select quote_ident(c.relname), not a.attnotnull
from pg_attribute a join pg_class c on c.oid = a.attrelid
where a.attname = 'person' and a.atttypid = 'bytea'::regtype and not a.attisdropped
  and c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
  and exists (select 1 from pg_attribute o where o.attrelid = c.oid and o.attname = 'account_id')
order by 1
""")
_MINE = "account_id::text = :account and person = any(:people)"


class People:
    name = "events"

    def __init__(self, keys: KeyRing) -> None:
        self._keys = keys

    async def find(self, session: AsyncSession, account_id: str, uid: str) -> Search:
        requested = await self._fetch(session, account_id, uid)
        tables = [name for name, _ in await session.execute(_WITH_PERSON)]
        records = []
        for name in tables:
            rows = await session.execute(
                text(f"select to_jsonb(t) - 'xid' as row from {name} t where {_MINE}"),  # noqa: S608 - a name from the catalogue
                requested,
            )
            records += [{"table": name, **_shown(row)} for (row,) in rows]
        return Search(f"by a keyed hash of the uid on each property: {', '.join(tables)}", records)

    async def erase(self, session: AsyncSession, account_id: str, uid: str) -> int:
        requested = await self._fetch(session, account_id, uid)
        count = 0
        for name, may_be_nobody in (await session.execute(_WITH_PERSON)).all():
            act = f"update {name} set person = null" if may_be_nobody else f"delete from {name}"  # noqa: S608 - as above
            gone = await session.execute(text(f"{act} where {_MINE} returning 1"), requested)
            count += len(gone.all())
        return count

    async def _fetch(self, session: AsyncSession, account_id: str, uid: str) -> dict[str, object]:
        people: Sequence[bytes] = await find_people(session, self._keys, account_id, uid)
        return {"account": account_id, "people": list(people)}


def _shown(row: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in row.items() if value is not None}
