"""
Ships queued hours to the report store, each exactly once: `ship_report_hours`, a job of every second.

A shipment is the first rows of the queue in the order of (transaction, id), of transactions that are over, so that no
row can join it later. Its end and a random token are committed before it is sent. The store inserts it only after
exactly the shipments before it, so that it may be sent any number of times, by any process, and arrives once. Its rows
leave the queue in the transaction that counts it.

Where the store has received other shipments than PostgreSQL sent, one of them was restored from a backup: nothing is
sent, because it would be lost or counted twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.api.context import ControlContext
from control.events.ingest.report_queue import NO_UUID
from control.ports.report_store import Received, ReportStore, ReportStoreUnavailable
from control.storage.database import Database

ROWS_AT_ONCE = 10_000
"""Read and deleted within the time of one statement, also on a busy machine."""
_BEGIN = text(
    "update report_store set next_xid = b.xid, next_id = b.id, next_token = 1 + cast(2000000000 * random() as bigint) "
    "from (select xid, id from (select xid, id from report_store_queue "
    "where xid < pg_snapshot_xmin(pg_current_snapshot()) order by xid, id limit :most) q "
    "order by xid desc, id desc limit 1) b where next_xid is null"
)
_BEGUN = text("select sent, sent_tokens, next_token from report_store for update")
_NEXT = "(select next_{0} from report_store where sent = :sent)"
_OF_SHIPMENT = f"(q.xid, q.id) <= ({_NEXT.format('xid')}, {_NEXT.format('id')})"
BY_INDEX = text("set local enable_seqscan = off")
"""The queue fills and empties within seconds, so its statistics are of another moment."""
KEY = (
    "q.account_id, q.is_test, q.kind, cast(extract(epoch from q.hour) as bigint), q.property_id, q.slot_id, "
    f"coalesce(q.campaign_id, {NO_UUID}), coalesce(q.ad_id, {NO_UUID}), q.reason, q.country, q.device, "
    "q.format, q.source, q.surface, q.attribution"
)
ROWS = text(
    f"select {KEY}, q.count, q.charged_micros, q.value_cents from report_store_queue q where {_OF_SHIPMENT} "  # noqa: S608 - constants only
    "order by q.xid, q.id"
)
TAKE = text(f"delete from report_store_queue q where {_OF_SHIPMENT}")  # noqa: S608 - constants only
_COUNT = text(
    "update report_store set sent = sent + 1, sent_tokens = sent_tokens + next_token, next_xid = null, next_id = null, "
    "next_token = null, sent_at = now() where sent = :sent and next_xid is not null"
)
_AS_OF = ", ".join(
    f"'{name}', jsonb_build_array(events_stored_at({test}), events_through_ms({test}))"
    for name, test in (("live", "false"), ("test", "true"))
)
_NOTE_AS_OF = text(
    f"update report_store set next_as_of = jsonb_build_object({_AS_OF}), "  # noqa: S608 - constants only
    "next_as_of_xid = pg_snapshot_xmax(pg_current_snapshot()) where next_as_of is null"
)
_TAKE_AS_OF = text(
    "update report_store set as_of = next_as_of, next_as_of = null, next_as_of_xid = null "
    "where next_as_of_xid <= pg_snapshot_xmin(pg_current_snapshot()) "
    "and not exists (select from report_store_queue where xid < next_as_of_xid)"
)
"""Every transaction that the noted instant saw is over, and its rows were sent."""
_RESPONDED = text("update report_store set sent_at = now()")
_BEHIND = text("select cast(extract(epoch from now() - sent_at) as float8) from report_store")
_log: structlog.stdlib.BoundLogger = structlog.get_logger("work")


@dataclass(frozen=True, slots=True)
class Shipment:
    """``sent``: all shipments before it. ``token``: a positive number of 31 bits, drawn when it was begun."""

    sent: Received
    token: int
    rows: list[tuple[Any, ...]]


async def ship_report_hours(control: ControlContext) -> None:
    """Raises `ReportStoreUnavailable`; what was not sent stays in the queue."""
    try:
        await ship(control.database, control.report_store)
    except ReportStoreUnavailable as error:
        _log.warning("report_store_unavailable", reason=error.reason)
        raise
    finally:
        async with control.database.service() as session:
            behind_s = await session.scalar(_BEHIND)
        control.metrics.report_store_behind.set(behind_s or 0)


async def ship(database: Database, store: ReportStore, *, most: int = ROWS_AT_ONCE) -> None:
    """Sends all rows of transactions that are over, at most *most* in a shipment; then moves what reports state."""
    async with database.service() as session:
        await session.execute(_NOTE_AS_OF)
    while True:
        shipment = await begin(database, most)
        if shipment is None:
            break
        await send(store, shipment)
        await count(database, shipment)
    async with database.service() as session:
        await session.execute(_RESPONDED)
        await session.execute(_TAKE_AS_OF)


async def begin(database: Database, most: int = ROWS_AT_ONCE) -> Shipment | None:
    """Returns the shipment that was begun and not counted, or a new one; None where nothing is to be sent."""
    async with database.service() as session:
        await session.execute(_BEGIN, {"most": most})
        found = (await session.execute(_BEGUN)).one_or_none()
    if found is None or found.next_token is None:
        return None
    async with database.service() as session:
        rows = await _rows(session, found.sent)
    return Shipment(Received(found.sent, found.sent_tokens), found.next_token, rows)


async def send(store: ReportStore, shipment: Shipment) -> None:
    """Inserts *shipment* unless the store has it. Raises `ReportStoreUnavailable`, also where the two sides differ."""
    sent, token = shipment.sent, shipment.token
    await store.insert(shipment.rows, after=sent, token=token)
    received = await store.received()
    if received != (sent.shipments + 1, sent.tokens + token):
        raise ReportStoreUnavailable(
            f"The store has {received.shipments} shipments, but PostgreSQL sent {sent.shipments}, or others: one of "
            "them was restored from an older backup. See Report store in docs/operations.md."
        )


async def count(database: Database, shipment: Shipment) -> None:
    """Removes the rows from the queue. Does nothing where another process did so."""
    async with database.service() as session:
        (await session.execute(_BEGUN)).all()
        await session.execute(BY_INDEX)
        await session.execute(TAKE, {"sent": shipment.sent.shipments})
        await session.execute(_COUNT, {"sent": shipment.sent.shipments})


async def _rows(session: AsyncSession, sent: int) -> list[tuple[Any, ...]]:
    await session.execute(BY_INDEX)
    found = await session.execute(ROWS, {"sent": sent})
    return [as_json(row) for row in found]


def as_json(row: Sequence[Any]) -> tuple[Any, ...]:
    """A row with ids as text, as the store takes and returns them."""
    return tuple(str(one) if isinstance(one, UUID) else one for one in row)
