"""
The job of attribution, run by `control work` every second: due conversions are decided, charged and stored.

One transaction a batch, which takes its locks in the order of ingest: conversions, orders, campaigns, sums. Several may
run at once: each takes conversions that no other has locked.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.snapshot.model import ObjectType
from common.values.clock import to_ms
from common.values.enums import PIXEL_CHANNELS
from control.api.context import ControlContext
from control.demand.campaigns.completion import complete_spent
from control.events.attribution.batch import Batch
from control.events.attribution.pending_conversions import (
    PendingConversion,
    claim_due,
    count_by_pixel,
    settle,
)
from control.events.attribution.touches import find_touches, read_through
from control.events.corrections.retract import Chosen, reopen, retract_only
from control.events.ingest import keys, ledger, staging_table, write_aggregates
from control.events.ingest.late_days import mark_late_days
from control.events.ingest.store import mark_late
from control.outbox.changes import Changes
from control.outbox.outbox import flush

CONVERSIONS_KEPT = timedelta(days=91)
_AT_ONCE = 100
"""The search for a person reads all stored days, some milliseconds each: far below the statement timeout."""
_CAUSE = "authenticated report"
_SWEEP = text("delete from conversions where heard_at < :before and state <> 'held'")


async def attribute_conversions(control: ControlContext) -> None:
    """Attributes all due conversions, the longest waiting first."""
    while await attribute_some(control) == _AT_ONCE:
        pass


async def sweep_conversions(control: ControlContext) -> None:
    """Deletes conversions received longer ago than the touches to which they could be attributed are kept."""
    async with control.database.service() as session:
        await session.execute(_SWEEP, {"before": control.clock.now() - CONVERSIONS_KEPT})


async def attribute_some(control: ControlContext) -> int:
    """Attributes one batch; returns how many were due."""
    async with control.database.service() as session:
        now = control.clock.now()
        held = await claim_due(session, now, _AT_ONCE)
        if held:
            # The order matters: everything stored up to this time is then certain to be found.
            through = await read_through(session)
            batch = Batch(await find_touches(session, held), through)
            changes = Changes()
            await _store(session, held, batch, changes, now)
            if changes:
                await flush(session, changes, keys=control.keys, now=now)
        return len(held)


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
        also_lock={one.traits.campaign_id for one in batch.events},
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
