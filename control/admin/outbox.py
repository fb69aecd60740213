"""`control admin outbox`: compiling objects anew, where edges may have missed what the tables say."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from sqlmodel import col, select, union

from common.snapshot.model import ObjectType
from control.admin.acting import acting
from control.admin.running import run_with
from control.context import ControlContext
from control.publishing.changes import Changes
from control.publishing.outbox import flush
from control.tables.accounts import AccountRow
from control.tables.campaigns import AdRow, CampaignRow, CampaignSpendRow
from control.tables.learning import AdRatesRow
from control.tables.outbox import SnapshotObjectRow
from control.tables.properties import KeyRow, PropertyRow, SlotRow

app = typer.Typer(help="The snapshot's outbox.", no_args_is_help=True)

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
"""The column that an object of each type is named by."""


@app.command()
def replay(
    account: Annotated[str | None, typer.Option("--account", help="Only this account's.")] = None,
    batch: Annotated[int, typer.Option(min=1, max=5000, help="Objects a transaction.")] = 500,
) -> None:
    """Compile every object anew; what differs from what edges have travels to them as deltas."""
    run_with(lambda control: replay_objects(control, account, batch=batch))


async def replay_objects(
    control: ControlContext, account_id: str | None, *, batch: int
) -> dict[str, Any]:
    """Bounded transactions; broken off, it may be started again. Raises `Absent`."""
    if account_id is not None:
        async with acting(control) as act:
            await act.get(AccountRow, account_id, lock=False)
    counts = dict.fromkeys((kind.value for kind in ObjectType), 0)
    versions: list[int] = []
    for kind in ObjectType:
        after = ""
        while ids := await _some(control, kind, account_id, after, batch):
            version = await _touch(control, kind, ids)
            versions += [version] if version is not None else []
            counts[kind.value] += len(ids)
            after = ids[-1]
    detail = {"objects": sum(counts.values()), "versions": versions}
    async with acting(control) as act:
        if account_id is None:
            await act.record_of_all("outbox.replay", "snapshot", "all", **detail)
        else:
            act.record("outbox.replay", "account", account_id, account_id, **detail)
    return {"account_id": account_id, "objects": counts, "versions": versions}


async def _some(
    control: ControlContext, kind: ObjectType, account_id: str | None, after: str, batch: int
) -> Sequence[str]:
    """Of the tables, and of what edges have that the tables have no more."""
    named = _IDS[kind]
    owner = named if kind is ObjectType.ACCOUNT else named.class_.account_id
    rows = select(named.label("id")).where(named > after)
    known: Any = select(col(SnapshotObjectRow.id).label("id")).where(
        col(SnapshotObjectRow.type) == kind.value, col(SnapshotObjectRow.id) > after
    )
    if account_id is not None:
        rows = rows.where(owner == account_id)
        known = known.where(col(SnapshotObjectRow.account_id) == account_id)
    both = union(rows, known).subquery()
    async with control.database.service() as session:
        found = await session.scalars(select(both.c.id).order_by(both.c.id).limit(batch))
        return found.all()


async def _touch(control: ControlContext, kind: ObjectType, ids: Sequence[str]) -> int | None:
    changes = Changes()
    for object_id in ids:
        changes.touch(kind, object_id)
    async with control.database.service() as session:
        return await flush(session, changes, keys=control.keys, now=control.clock.now())
