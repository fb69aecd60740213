"""What stands in the tables, seen past row-level security: checksums and the ids that belong to one account."""

import re
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TABLES = text(
    "select c.relname, coalesce(bool_or(a.attname = 'account_id'), false)"
    " from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'"
    " left join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'"
    " where c.relkind in ('r', 'p') and not c.relispartition group by c.relname order by c.relname"
)


@dataclass(frozen=True, slots=True)
class Rows:
    """*engine* is the administrator's: no policy holds it."""

    engine: AsyncEngine

    async def checksums(self) -> dict[str, str]:
        """Every table to a digest of all its rows."""
        async with self.engine.connect() as connection:
            return {
                table: await _digest(connection, table, "true", None)
                for table in await _owned(connection)
            }

    async def checksums_of(self, account_id: str) -> dict[str, str]:
        """Every table whose rows belong to accounts to a digest of this one's."""
        async with self.engine.connect() as connection:
            return {
                table: await _digest(connection, table, f"{column} = :account", account_id)
                for table, column in (await _owned(connection)).items()
                if column
            }

    async def ids_of(self, account_id: str) -> frozenset[str]:
        """Every UUID that stands in a row of this account, its own among them."""
        found: set[str] = set()
        async with self.engine.connect() as connection:
            for table, column in (await _owned(connection)).items():
                if column:
                    rows = await connection.scalars(
                        text(f"select t::text from {table} t where {column} = :account"),  # noqa: S608 - names from the catalogue
                        {"account": account_id},
                    )
                    found.update(name for row in rows for name in UUID.findall(row))
        return frozenset(found)


async def _owned(connection: AsyncConnection) -> dict[str, str | None]:
    """Table to the column that names its account."""
    tables = {
        table: "account_id" if has else None for table, has in await connection.execute(_TABLES)
    }
    return {**tables, "accounts": "id"}


async def _digest(
    connection: AsyncConnection, table: str, condition: str, account_id: str | None
) -> str:
    found = await connection.scalar(
        text(
            f"select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '')"  # noqa: S608 - names from the catalogue
            f" from {table} t where {condition}"
        ),
        {} if account_id is None else {"account": account_id},
    )
    return str(found)
