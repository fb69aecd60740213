"""
New events on their way into the tables: a temporary table filled by binary `COPY`, from which every sum is made.

`COPY` straight into `events` is not for a role that row-level security holds for. Rows are packed here, for the driver
would encode thirty values an event one by one: what events have in common is packed once and remembered.
"""

import io
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import asyncpg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.privacy.person import PERSON_BYTES
from common.tracking.event import EventRecord
from common.vocabulary import Attribution, Reason

if TYPE_CHECKING:
    from control.ingest.arrivals import Event

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
    ("value_cents", "bigint"),
    ("currency", "text"),
    ("order_id", "text"),
    ("country", "text"),
    ("device", "text"),
    ("person", "bytea"),
    ("network", "cidr"),
    ("client", "bytea"),
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
_MAKE = (
    f"create temporary table if not exists {STAGE} "
    f"({', '.join(f'{name} {kind}' for name, kind in _COLUMNS)}) on commit delete rows"
)
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
_START = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END = b"\xff\xff"
_POSTGRES_EPOCH_MS = 946_684_800_000
_LISTED = struct.Struct(">hi16si16siqiqiqiq")
_SIGNAL = struct.Struct(">hii16siqiqiqiq")
_NO_MONEY = b"\xff" * 12
_NULL = b"\xff" * 4
_PERSON_START = PERSON_BYTES.to_bytes(4, "big")
_SHARED = struct.Struct(">i16si16si16si16sibibiq")


async def fill(
    session: AsyncSession, events: Iterable["Event"], accounts: Mapping[str, str]
) -> None:
    """
    Puts *events* on the stage, for the rest of the transaction. *accounts* by property.

    Needs the right to make temporary tables. Raises what asyncpg raises.
    """
    connection = await (await session.connection()).get_raw_connection()
    driver: Any = connection.driver_connection
    rows = b"".join([_START, *[_pack(one, accounts) for one in events], _END])
    names = [name for name, _ in _COLUMNS]
    try:
        await driver.execute(_MAKE)
        await driver.copy_to_table(STAGE, source=io.BytesIO(rows), columns=names, format="binary")
    except _LOST:
        # Asked by SQLAlchemy's own way, which then drops every connection to the server that died.
        driver.terminate()
        await session.execute(_STILL_THERE)
        raise


async def correct(session: AsyncSession, events: Sequence["Event"]) -> None:
    """What these of the stage cost, and their reason, are others than when they were put there."""
    if events:
        await session.execute(
            _CORRECT,
            {
                "ids": [one.id for one in events],
                "micros": [one.charged_micros for one in events],
                "reasons": [one.reason.value for one in events],
            },
        )


def pack_traits(
    record: EventRecord, attribution: Attribution | None, event_name: str | None
) -> bytes:
    """The columns from ``property_id`` on."""
    ids = (record.property_id, record.slot_id, record.ad_id, record.campaign_id)
    fixed = _SHARED.pack(
        *(part for one in ids for part in (16, one.bytes)),
        *(1, record.is_test, 1, record.preview),
        *(8, record.price_micros),
    )
    texts = (
        *(record.kind, record.source, record.surface, record.format),
        *(record.pricing_model, attribution, event_name),
    )
    signs = _NULL if record.signs is None else struct.pack(">ih", 2, record.signs)
    named = b"".join(_pack_text(text) for text in texts)
    return fixed + named + signs + _pack_text(record.lists_version)


def _pack(event: "Event", accounts: Mapping[str, str]) -> bytes:
    event_id, account_id = event.id, accounts[event.traits.property_id]
    at_us = (event.at_ms - _POSTGRES_EPOCH_MS) * 1000
    issued_us = (event.issued_ms - _POSTGRES_EPOCH_MS) * 1000
    counts = (8, event.charged_micros, 8, event.snapshot_version)
    rest = (16, event.token_id, 8, at_us, 8, issued_us, *counts)
    if event_id is None:
        start = _SIGNAL.pack(len(_COLUMNS), -1, *rest)
    else:
        start = _LISTED.pack(len(_COLUMNS), 16, event_id, *rest)
    return b"".join(
        (
            start,
            _pack_verdict(event.reason, event.judge_version),
            _pack_money(event),
            _pack_reader(event.country, event.device),
            _NULL if event.person is None else _PERSON_START + event.person,
            event.network or _NULL,
            _pack_client(event.client),
            _pack_account(account_id),
            event.traits.packed,
        )
    )


@lru_cache(maxsize=1000)
def _pack_verdict(reason: Reason, judge_version: int) -> bytes:
    return struct.pack(">ibih", 1, reason.valid, 2, judge_version) + _pack_text(reason)


@lru_cache(maxsize=10_000)
def _pack_reader(country: str | None, device: str | None) -> bytes:
    return _pack_text(country) + _pack_text(device)


def _pack_client(client: str | None) -> bytes:
    if client is None:
        return _NULL
    raw = bytes.fromhex(client)
    return len(raw).to_bytes(4, "big") + raw


@lru_cache(maxsize=10_000)
def _pack_account(account_id: str) -> bytes:
    return _pack_text(account_id)


def _pack_money(event: "Event") -> bytes:
    if event.value_cents is None and event.currency is None and event.order_id is None:
        return _NO_MONEY
    value = _NULL if event.value_cents is None else struct.pack(">iq", 8, event.value_cents)
    return value + _pack_text(event.currency) + _pack_text(event.order_id)


def _pack_text(text: str | None) -> bytes:
    if text is None:
        return _NULL
    raw = text.encode()
    return len(raw).to_bytes(4, "big") + raw
