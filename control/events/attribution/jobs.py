"""
The job of attribution, run by `control work` every second: due conversions are decided, charged and stored.

One transaction a batch, which takes its locks in the order of ingest: conversions, orders, campaigns, sums. Several may
run at once: each takes conversions that no other has locked. If a batch fails, each of its conversions has a
transaction of its own, and one that fails alone is postponed, so that it does not hold up the others.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.snapshot.model import ObjectType
from common.values.clock import to_ms
from common.values.enums import PIXEL_CHANNELS
from common.values.errors import Unavailable
from control.api.context import ControlContext
from control.api.job_items import FailedItems, delete_where
from control.demand.campaigns.completion import complete_spent
from control.events.attribution.batch import Batch
from control.events.attribution.pending_conversions import (
    PendingConversion,
    State,
    claim_due,
    claim_one,
    count_by_pixel,
    list_due,
    postpone,
    settle,
)
from control.events.attribution.touches import find_touches, read_through
from control.events.corrections.retract import Chosen, reopen, retract_only
from control.events.ingest import keys, ledger, staging_table, write_aggregates
from control.events.ingest.late_days import mark_late_days
from control.events.ingest.store import mark_late
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.storage.tables.conversions import ConversionRow

CONVERSIONS_KEPT = timedelta(days=91)
_AT_ONCE = 100
"""The search for a person reads all stored days, some milliseconds each: far below the statement timeout."""
_POSTPONED = timedelta(minutes=5)
"""After this time, a conversion that failed alone is tried again."""
_CAUSE = "authenticated report"
_log: structlog.stdlib.BoundLogger = structlog.get_logger("attribution")


async def attribute_conversions(control: ControlContext) -> None:
    """Attributes all due conversions, the longest waiting first."""
    while await attribute_some(control) == _AT_ONCE:
        pass


async def sweep_conversions(control: ControlContext) -> None:
    """Deletes conversions received longer ago than the touches to which they could be attributed are kept."""
    old = col(ConversionRow.heard_at) < control.clock.now() - CONVERSIONS_KEPT
    await delete_where(
        control.database, ConversionRow, old & (col(ConversionRow.state) != State.HELD.value)
    )


async def attribute_some(control: ControlContext) -> int:
    """
    Attributes one batch; returns how many were due. Raises the error of the first conversion that failed alone, after
    all others of the batch.
    """
    now = control.clock.now()
    try:
        async with control.database.service() as session:
            held = await claim_due(session, now, _AT_ONCE)
            await _attribute(control, session, held, now)
            return len(held)
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001 - whatever it was, it may concern one conversion only
        _log.warning("attribution_batch_failed", exc_info=True)
    return await _attribute_apart(control, now)


async def _attribute_apart(control: ControlContext, now: datetime) -> int:
    failed = FailedItems()
    async with control.database.service() as session:
        due = await list_due(session, now, _AT_ONCE)
    for conversion_id in due:
        with failed.catching(conversion_id):
            async with control.database.service() as session:
                held = await claim_one(session, conversion_id, now)
                await _attribute(control, session, held, now)
    for conversion_id in failed.ids:
        async with control.database.service() as session:
            await postpone(session, conversion_id, now, now + _POSTPONED)
    failed.raise_first()
    return len(due)


async def _attribute(
    control: ControlContext, session: AsyncSession, held: list[PendingConversion], now: datetime
) -> None:
    if not held:
        return
    # The order matters: everything stored up to this time is then certain to be found.
    through = await read_through(session)
    batch = Batch(await find_touches(session, held), through)
    changes = Changes()
    await _store(session, held, batch, changes, now)
    if changes:
        await flush(session, changes, keys=control.keys, now=now)


async def _store(
    session: AsyncSession,
    held: Sequence[PendingConversion],
    batch: Batch,
    changes: Changes,
    now: datetime,
) -> None:
    """Adds to *changes* the campaigns whose budget is used up, or has room again."""
    clicks = {one.click_id for one in held if one.door in PIXEL_CHANNELS and one.click_id}
    batch.by_pixel = await count_by_pixel(session, sorted(clicks))
    batch.orders = await keys.find_orders(session, batch.orders_by_pixel(held))
    for one in sorted(held, key=lambda one: (one.heard_ms, one.id)):
        batch.decide(one, to_ms(now))
    taken = await keys.take_orders(session, batch.events, batch.accounts, now.date())
    batch.drop_repeated(taken.events)
    # Before the charge, so that what an event had of a budget is there for the one that replaces it.
    retracted = await retract_only(
        session,
        [Chosen(day, event_id, _CAUSE) for day, event_id in taken.replaced],
        now,
        also_lock={one.shared_fields.campaign_id for one in batch.events},
    )
    charged = await ledger.charge(session, batch.events, batch.accounts)
    mark_late(batch.events, now)
    if batch.events:
        await staging_table.fill(session, batch.events, batch.accounts)
        await write_aggregates.add_staged(session, today=now.date())
        await mark_late_days(session, batch.events, (), batch.accounts, now)
    await settle(session, list(batch.settled.values()))
    if charged.used_up:
        await complete_spent(session, charged.used_up, now)
    for campaign_id in charged.used_up:
        changes.touch(ObjectType.CAMPAIGN, campaign_id)
    await reopen(session, changes, retracted.campaigns, now)
