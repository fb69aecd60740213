"""Recompiles all objects: those that edges lack, or hold in an earlier release's form, are sent as deltas."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, text
from sqlmodel import col, select, union

from common.snapshot.model import ObjectType
from control.api.context import ControlContext
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.storage.tables.accounts import AccountRow
from control.storage.tables.campaigns import AdRow, CampaignRow, CampaignSpendRow
from control.storage.tables.learning import AdRatesRow
from control.storage.tables.outbox import SnapshotHeadRow, SnapshotObjectRow
from control.storage.tables.properties import KeyRow, PropertyRow, SlotRow

COMPILED_AS = 3
"""
Version of this release's compiled objects. Raise it when the compiler's output for stored rows changes, or when a
migration changes rows that edges hold. After the upgrade, `control work` replays everything once.

1: the goals of campaigns are paced, and slots have a refresh of at least 30 seconds.
2: goals without a plan are leased, too.
3: a budget that pays for no impression is spent, and a flat rate serves to the end of the last day that is paid.
"""
BATCH = 500
_NOTE = text("update snapshot_head set compiled_as = :compiled_as")
_IDS: dict[ObjectType, Any] = {
    ObjectType.ACCOUNT: AccountRow.id,
    ObjectType.PROPERTY: PropertyRow.id,
    ObjectType.SLOT: SlotRow.id,
    ObjectType.KEY: KeyRow.id,
    ObjectType.CAMPAIGN: CampaignRow.id,
    ObjectType.AD: AdRow.id,
    ObjectType.PACE: CampaignSpendRow.campaign_id,
    ObjectType.RATES: AdRatesRow.ad_id,
}
"""The column that holds the id of each type's objects."""


async def replay_after_upgrade(control: ControlContext) -> None:
    """Replays once for each `COMPILED_AS`. After an interruption, it starts again."""
    async with control.database.service() as session:
        if await session.scalar(select(func.min(SnapshotHeadRow.compiled_as))) == COMPILED_AS:
            return
    await replay(control, None)
    async with control.database.service() as session:
        await session.execute(_NOTE, {"compiled_as": COMPILED_AS})


async def replay(
    control: ControlContext, account_id: str | None, *, batch: int = BATCH
) -> tuple[dict[str, int], list[int]]:
    """
    Recompiles the objects of *account_id*, or of all accounts where it is None. Returns the number of objects of each
    type, and the versions created. *batch*: objects a transaction. After an interruption, it may be started again.
    """
    counts = dict.fromkeys((kind.value for kind in ObjectType), 0)
    versions: list[int] = []
    for kind in ObjectType:
        after = ""
        while ids := await _some(control, kind, account_id, after, batch):
            version = await _touch(control, kind, ids)
            versions += [version] if version is not None else []
            counts[kind.value] += len(ids)
            after = ids[-1]
    return counts, versions


async def _some(
    control: ControlContext, kind: ObjectType, account_id: str | None, after: str, batch: int
) -> Sequence[str]:
    """Returns ids of the tables, and of objects that edges hold although the tables no longer do."""
    named = _IDS[kind]
    owner = named if kind is ObjectType.ACCOUNT else named.class_.account_id
    rows = select(named.label("id")).where(named > after)
    values: Any = select(col(SnapshotObjectRow.id).label("id")).where(
        col(SnapshotObjectRow.type) == kind.value, col(SnapshotObjectRow.id) > after
    )
    if account_id is not None:
        rows = rows.where(owner == account_id)
        values = values.where(col(SnapshotObjectRow.account_id) == account_id)
    both = union(rows, values).subquery()
    async with control.database.service() as session:
        found = await session.scalars(select(both.c.id).order_by(both.c.id).limit(batch))
        return found.all()


async def _touch(control: ControlContext, kind: ObjectType, ids: Sequence[str]) -> int | None:
    changes = Changes()
    for object_id in ids:
        changes.touch(kind, object_id)
    async with control.database.service() as session:
        return await flush(session, changes, keys=control.keys, now=control.clock.now())
