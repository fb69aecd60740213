"""A row for any table of the release before, made from its columns: enough to see whether a migration keeps it."""

from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

ACCOUNT, USER, PROPERTY, SLOT, CAMPAIGN, AD, KEY = (
    f"01940b3e-0000-7000-8000-00000000{number:04x}" for number in range(1, 8)
)
_AT = "2026-03-01T00:00:00+00:00"
_BYTES = "\\x" + "ab" * 32
_OF_TYPE: dict[str, Any] = {
    "varchar": "x",
    "text": "x",
    "uuid": AD,
    "jsonb": {},
    "int2": 1,
    "int4": 1,
    "int8": 1,
    "numeric": 1,
    "xid8": "1",
    "int8multirange": "{[1,2]}",
    "bool": False,
    "bytea": _BYTES,
    "date": "2026-03-01",
    "timestamptz": _AT,
}
_OF_NAME: dict[str, Any] = {
    "account_id": ACCOUNT,
    "user_id": USER,
    "created_by": USER,
    "property_id": PROPERTY,
    "slot_id": SLOT,
    "campaign_id": CAMPAIGN,
    "ad_id": AD,
    "environment": "live",
    "status": "active",
    "currency": "USD",
    "timezone": "UTC",
    "role": "owner",
    "property_ids": [PROPERTY],
    "charged_micros": 0,
}
_LISTS = frozenset(
    {
        *("formats", "sizes", "frequency_caps", "slot_ids", "categories", "scopes"),
        *("allowed_origins", "excluded_ip_ranges", "blocked_categories", "blocked_ad_ids"),
        "blocked_advertiser_domains",
    }
)
_OF_TABLE: dict[str, dict[str, Any]] = {
    "accounts": {"id": ACCOUNT, "state": "active", "billing_mode": "invoiced"},
    "users": {"id": USER, "email": "ana@acme.example"},
    "access_tokens": {"kind": "access"},
    "idempotency": {"status": 201},
    "properties": {"id": PROPERTY, "kind": "web", "status": "verified", "token_ttl_seconds": 600},
    "property_secrets": {"state": "sign"},
    "slots": {"id": SLOT, "key": "top"},
    "keys": {"id": KEY, "kind": "publishable"},
    "campaigns": {
        "id": CAMPAIGN,
        "objective": "traffic",
        "pricing_model": "cpm",
        "pacing": "even",
        "priority": "auction",
    },
    "ads": {"id": AD, "format": "banner"},
    "snapshot_objects": {"type": "campaign", "id": CAMPAIGN},
    "event_keys": {"key": "\\x" + "ab" * 16},
}
_TABLES = text(
    "select relname from pg_class where relnamespace = 'public'::regnamespace"
    " and relkind in ('r', 'p') and not relispartition and relname <> 'alembic_version'"
    " order by relname"
)
_COLUMNS = text(
    "select column_name, udt_name, is_nullable = 'YES' from information_schema.columns"
    " where table_schema = 'public' and table_name = :table and is_generated = 'NEVER'"
)


@dataclass(frozen=True, slots=True)
class Filled:
    """Every table to its rows, each as column to value."""

    rows: dict[str, list[dict[str, Any]]]

    @classmethod
    async def read(cls, connection: AsyncConnection) -> "Filled":
        found = {}
        for table in await connection.scalars(_TABLES):
            rows = await connection.scalars(
                text(f"select to_jsonb(t) from {table} t order by t::text")  # noqa: S608 - a name from the catalogue
            )
            found[table] = list(rows)
        return cls(found)

    def kept_in(self, later: "Filled") -> list[str]:
        """What is gone or other in *later*, of the columns that it still has."""
        return [
            f"{table}: {row} became {later.rows.get(table)}"
            for table, rows in self.rows.items()
            for row in rows
            if not any(_agrees(row, other) for other in later.rows.get(table, ()))
        ]


async def fill(connection: AsyncConnection) -> None:
    """One row in every table that has none. *connection* is the administrator's."""
    await connection.execute(text("set local session_replication_role = replica"))
    for table in (await connection.scalars(_TABLES)).all():
        if await connection.scalar(text(f"select exists (select from {table})")):  # noqa: S608 - a name from the catalogue
            continue
        values = {
            name: _value(table, name, kind)
            for name, kind, nullable in await connection.execute(_COLUMNS, {"table": table})
            if not nullable or name in _OF_NAME or name in _OF_TABLE.get(table, {})
        }
        columns = ", ".join(values)
        await connection.execute(
            text(
                f"insert into {table} ({columns}) overriding system value"  # noqa: S608 - names from the catalogue
                f" select {columns} from jsonb_populate_record(null::{table}, cast(:row as jsonb))"
            ),
            {"row": orjson.dumps(values).decode()},
        )
    await connection.execute(text("set local session_replication_role = origin"))


def _value(table: str, name: str, kind: str) -> Any:
    own = _OF_TABLE.get(table, {})
    if name in own:
        return own[name]
    if name in _LISTS:
        return []
    return _OF_NAME.get(name, _OF_TYPE[kind])


def _agrees(row: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(other[name] == value for name, value in row.items() if name in other)
