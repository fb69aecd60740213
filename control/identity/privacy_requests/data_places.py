"""
The places where a user's data could be, each with its search. A store outside PostgreSQL that begins to hold a
``uid`` must add its place to `jobs.places_of`. A table is found automatically if it has the columns ``uid`` and
``account_id``.
"""

from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession


@dataclass(frozen=True, slots=True)
class Search:
    """``searched``: a description of what was searched, for the requester; ``records``: the data, ready to be shown."""

    searched: str
    records: list[dict[str, str]]


class PersonalDataStore(Protocol):
    """
    A store that may hold data of one uid of an account. Both calls run in the job's transaction, as the service, and
    may be repeated. A place that cannot be reached raises `Unavailable`, and the job tries again later.
    """

    @property
    def name(self) -> str: ...

    async def find(self, session: AsyncSession, account_id: str, uid: str) -> Search: ...

    async def erase(self, session: AsyncSession, account_id: str, uid: str) -> int:
        """Erase the data. Returns the number of erased records."""
        ...


class Tables:
    """Every table of the database that has a uid and an account, read from the catalogue at each call."""

    name = "database"

    async def find(self, session: AsyncSession, account_id: str, uid: str) -> Search:
        names = await _tables_with_uid(session)
        records = []
        for name in names:
            rows = await session.execute(
                text(f"select to_jsonb(t) as row from {name} t where {_MINE}"),  # noqa: S608 - a name from the catalogue
                {"account": account_id, "uid": uid},
            )
            records += [{"table": name, **as_text(row)} for (row,) in rows]
        searched = ", ".join(names) or "no table has a column for it"
        return Search(f"every table with a uid: {searched}", records)

    async def erase(self, session: AsyncSession, account_id: str, uid: str) -> int:
        count = 0
        for name in await _tables_with_uid(session):
            gone = await session.execute(
                text(f"delete from {name} where {_MINE} returning 1"),  # noqa: S608 - as above
                {"account": account_id, "uid": uid},
            )
            count += len(gone.all())
        return count


@dataclass(frozen=True, slots=True)
class Without:
    """A store that cannot hold a uid. It is listed so that the answer names it and a reader can check it."""

    name: str
    because: str

    async def find(self, session: AsyncSession, account_id: str, uid: str) -> Search:
        del session, account_id, uid
        return Search(f"nothing to look through: {self.because}", [])

    async def erase(self, session: AsyncSession, account_id: str, uid: str) -> int:
        del session, account_id, uid
        return 0


PERSONAL_DATA_STORES: tuple[PersonalDataStore, ...] = (
    Tables(),
    Without(
        "event_log",
        "spool, event log and dead letters have no field for a uid; the hash they carry goes with them in days",
    ),
    Without("stored_answers", "no answer repeats a uid; they are kept for 24 hours under a hash"),
    Without("audit_log", "lines name fields, never their values"),
)

_MINE = "account_id::text = :account and uid::text = :uid"
_WITH_UID = text("""
select quote_ident(u.table_schema) || '.' || quote_ident(u.table_name)
from information_schema.columns u
join information_schema.columns a using (table_schema, table_name)
join information_schema.tables t using (table_schema, table_name)
where u.column_name = 'uid' and a.column_name = 'account_id' and t.table_type = 'BASE TABLE'
  and table_schema = 'public'
order by 1
""")


async def _tables_with_uid(session: AsyncSession) -> list[str]:
    return [name for (name,) in await session.execute(_WITH_UID)]


def as_text(row: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in row.items() if value is not None}
