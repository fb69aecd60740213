"""What is done about assets without anybody asking: looking into sound and film, and taking away what nobody needs."""

from datetime import datetime, timedelta

from sqlalchemy import delete, exists, or_, select, update
from sqlmodel import col

from common.values.enums import AssetStatus
from common.values.errors import Unavailable
from control.api.context import ControlContext
from control.demand.assets import keeping, rules
from control.demand.assets.inspection import Finding, Rejected
from control.ports.assets import ObjectAbsent
from control.storage.tables.assets import AssetObjectRow, AssetRow

_FILES_AT_ONCE = 20
_ROWS_AT_ONCE = 200
_CLAIM = timedelta(minutes=10)
"""Longer than a file may take; a scheduler that died gives its file back by then."""
_MAX_ATTEMPTS = 3
_REFERRED_WITHIN = timedelta(hours=1)
"""From the note of a name to the commit of what refers to it, at the very most."""


async def inspect_assets(control: ControlContext) -> None:
    """Each `processing` asset becomes `ready` or `rejected`. Raises `Unavailable` while the store is away."""
    for _ in range(_FILES_AT_ONCE):
        row = await _claim_next(control)
        if row is None:
            return
        try:
            finding = await _find_out(control, row)
        except Unavailable:
            await _give_back(control, row.id)
            raise
        await _write(control, row.id, finding)
        await keeping.forget_upload(control, row.id)


async def forget_uploads(control: ControlContext) -> None:
    """Announced files that never came, a day later."""
    before = control.clock.now() - rules.UPLOADS_KEPT
    async with control.database.service() as session:
        await session.execute(
            delete(AssetRow).where(
                col(AssetRow.status) == AssetStatus.UPLOADING.value,
                col(AssetRow.updated_at) < before,
            )
        )


async def forget_archived(control: ControlContext) -> None:
    """The files of assets archived long ago; the assets themselves stay."""
    before = control.clock.now() - rules.ARCHIVED_KEPT
    async with control.database.service() as session:
        await session.execute(
            update(AssetRow)
            .where(
                col(AssetRow.status) == AssetStatus.ARCHIVED.value,
                col(AssetRow.updated_at) < before,
                col(AssetRow.object_name).is_not(None),
            )
            .values(object_name=None)
        )


async def sweep_objects(control: ControlContext) -> None:
    """
    What the store holds and no asset refers to. A name is marked first, so that nobody can begin to refer to it; then
    it is removed, then forgotten: broken off anywhere, the next run goes on.
    """
    before = control.clock.now() - _REFERRED_WITHIN
    await control.assets.tidy(before)
    while True:
        names = await _mark_unreferred(control, before)
        for name in names:
            await control.assets.remove(name)
        async with control.database.service() as session:
            await session.execute(
                delete(AssetObjectRow).where(
                    col(AssetObjectRow.name).in_(names),
                    col(AssetObjectRow.removing_since).is_not(None),
                )
            )
        if len(names) < _ROWS_AT_ONCE:
            return


async def _claim_next(control: ControlContext) -> AssetRow | None:
    now = control.clock.now()
    waiting = (
        select(col(AssetRow.id))
        .where(
            col(AssetRow.status) == AssetStatus.PROCESSING.value,
            or_(col(AssetRow.claimed_until).is_(None), col(AssetRow.claimed_until) < now),
        )
        .order_by(col(AssetRow.updated_at))
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    async with control.database.service() as session:
        found: AssetRow | None = await session.scalar(
            update(AssetRow)
            .where(col(AssetRow.id) == waiting.scalar_subquery())
            .values(claimed_until=now + _CLAIM, attempts=AssetRow.attempts + 1)
            .returning(AssetRow)
            .execution_options(synchronize_session=False)
        )
        return found


async def _find_out(control: ControlContext, row: AssetRow) -> Finding:
    if row.attempts > _MAX_ATTEMPTS:
        return Rejected("Looking into the file failed again and again. Send a simpler one.")
    try:
        return await keeping.examine_upload(control, row)
    except ObjectAbsent:
        return Rejected("The file is no longer there. Create the asset again.")


async def _give_back(control: ControlContext, asset_id: str) -> None:
    """An outage is no attempt."""
    async with control.database.service() as session:
        await session.execute(
            update(AssetRow)
            .where(col(AssetRow.id) == asset_id)
            .values(claimed_until=None, attempts=AssetRow.attempts - 1)
        )


async def _write(control: ControlContext, asset_id: str, finding: Finding) -> None:
    """Nothing where the asset was archived meanwhile: what was kept for it is swept."""
    async with control.database.service() as session:
        row = await session.scalar(
            select(AssetRow).where(col(AssetRow.id) == asset_id).with_for_update()
        )
        if row is not None and row.status == AssetStatus.PROCESSING:
            rules.settle(row, finding, control.clock.now())


async def _mark_unreferred(control: ControlContext, before: datetime) -> list[str]:
    """Those that were marked before, too."""
    name = col(AssetObjectRow.name)
    referred = exists().where(
        or_(col(AssetRow.object_name) == name, col(AssetRow.upload_name) == name)
    )
    unreferred = (
        select(name)
        .where(
            or_(
                col(AssetObjectRow.removing_since).is_not(None),
                (col(AssetObjectRow.claimed_at) < before) & ~referred,
            )
        )
        .limit(_ROWS_AT_ONCE)
        .with_for_update(skip_locked=True)
    )
    async with control.database.service() as session:
        found = await session.scalars(
            update(AssetObjectRow)
            .where(name.in_(unreferred))
            .values(removing_since=control.clock.now())
            .returning(name)
            .execution_options(synchronize_session=False)
        )
        return list(found)
