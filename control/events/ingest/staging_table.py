"""
New events on their way into the tables: a temporary table filled by binary `COPY`, from which every sum is made.

`COPY` straight into `events` is forbidden to a role under row-level security.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import asyncpg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.events.ingest.parsed_records import Event
from control.events.ingest.rows import pack_rows

STAGE = "event_stage"
_COLUMNS = (
    ("id", "uuid"),
    ("token_id", "uuid"),
    ("at", "timestamptz"),
    ("issued_at", "timestamptz"),
    ("charged_micros", "bigint"),
    ("snapshot_version", "bigint"),
    ("valid", "boolean"),
    ("judge_version", "smallint"),
    ("reason", "text"),
    ("live_reason", "text"),
    ("value_cents", "bigint"),
    ("currency", "text"),
    ("order_id", "text"),
    ("country", "text"),
    ("device", "text"),
    ("person", "bytea"),
    ("network", "cidr"),
    ("client", "bytea"),
    ("agent_family", "text"),
    ("agent_major", "text"),
    ("agent_pattern", "text"),
    ("account_id", "text"),
    ("property_id", "uuid"),
    ("slot_id", "uuid"),
    ("ad_id", "uuid"),
    ("campaign_id", "uuid"),
    ("is_test", "boolean"),
    ("preview", "boolean"),
    ("price_micros", "bigint"),
    ("kind", "text"),
    ("source", "text"),
    ("surface", "text"),
    ("format", "text"),
    ("pricing_model", "text"),
    ("attribution", "text"),
    ("event_name", "text"),
    ("signs", "smallint"),
    ("lists_version", "text"),
)
MAKE_STAGE = (
    f"create temporary table if not exists {STAGE} "
    f"({', '.join(f'{name} {kind}' for name, kind in _COLUMNS)}) on commit delete rows"
)
_HEAD, _END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
"""Header and trailer of binary `COPY`."""
_SLICE = 500
"""Events packed at once, in less than a millisecond: PostgreSQL reads them while the next are packed."""
_LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InterfaceError,
    OSError,
)
_STILL_THERE = text("select 1")
_CORRECT = text(
    f"update {STAGE} s set charged_micros = n.micros, reason = n.reason "  # noqa: S608 - constants only
    "from unnest(cast(:ids as bytea[]), cast(:micros as bigint[]), cast(:reasons as text[])) as n(id, micros, reason) "
    "where s.id = cast(encode(n.id, 'hex') as uuid)"
)


async def fill(session: AsyncSession, events: Sequence[Event], accounts: Mapping[str, str]) -> None:
    """
    Puts *events* into the staging table, for the rest of the transaction. *accounts* by property.

    Needs the right to create temporary tables. Raises what asyncpg raises.
    """
    connection = await (await session.connection()).get_raw_connection()
    driver: Any = connection.driver_connection
    rows = _packed(events, accounts)
    names = [name for name, _ in _COLUMNS]
    try:
        await driver.execute(MAKE_STAGE)
        await driver.copy_to_table(STAGE, source=rows, columns=names, format="binary")
    except _LOST:
        # A query through SQLAlchemy makes it drop every connection to the failed server.
        driver.terminate()
        await session.execute(_STILL_THERE)
        raise


async def _packed(events: Sequence[Event], accounts: Mapping[str, str]) -> AsyncIterator[bytes]:
    yield _HEAD
    for first in range(0, len(events), _SLICE):
        yield pack_rows(events[first : first + _SLICE], accounts)
        await asyncio.sleep(0)
    yield _END


async def correct(session: AsyncSession, events: Sequence[Event]) -> None:
    """Corrects the charge and the reason of events that are already staged."""
    if events:
        await session.execute(
            _CORRECT,
            {
                "ids": [one.id for one in events],
                "micros": [one.charged_micros for one in events],
                "reasons": [one.reason.value for one in events],
            },
        )
