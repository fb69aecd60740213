"""Background jobs of assets: inspect audio and video, and delete what is no longer needed."""

import asyncio
from datetime import datetime, timedelta

from sqlalchemy import delete, exists, func, or_, select, update
from sqlmodel import col

from common.values.enums import AssetStatus
from common.values.errors import Unavailable
from common.values.messages import Message
from control.api.context import ControlContext
from control.demand.assets import rules, store_asset
from control.demand.assets.inspection import Finding, Rejected
from control.ports.assets import ObjectAbsent
from control.storage.tables.assets import AssetObjectRow, AssetRow

_FILES_AT_ONCE = 20
_ROWS_AT_ONCE = 200
_CLAIM = timedelta(minutes=10)
"""Longer than any file takes. If a scheduler dies, its file becomes available again after this time."""
_MAX_ATTEMPTS = 3
_REFERRED_WITHIN = timedelta(hours=1)
"""Upper bound of the time between recording a name and committing the row that refers to it."""


async def inspect_assets(control: ControlContext) -> None:
    """
    Turn each `processing` asset into `ready` or `rejected`. Raises `Unavailable` while the store is unavailable, and
    OSError while the machine lacks resources; the next run begins with the other assets. A scheduler that is stopped
    releases its asset, so that the next one need not wait for the end of the claim.
    """
    for _ in range(_FILES_AT_ONCE):
        until = control.clock.now() + _CLAIM
        try:
            row = await _claim_next(control, until)
            if row is None:
                return
            await _write(control, row.id, await _find_out(control, row))
        except (Unavailable, OSError, asyncio.CancelledError):
            await _release(control, until)
            raise
        await store_asset.delete_upload(control, row.id)


async def purge_uploads(control: ControlContext) -> None:
    """Delete announced assets whose file did not arrive within a day."""
    before = control.clock.now() - rules.UPLOADS_KEPT
    async with control.database.service() as session:
        await session.execute(
            delete(AssetRow).where(
                col(AssetRow.status) == AssetStatus.UPLOADING.value,
                col(AssetRow.updated_at) < before,
            )
        )


async def purge_archived(control: ControlContext) -> None:
    """Drop the references of long archived assets to their files; the assets themselves stay."""
    before = control.clock.now() - rules.ARCHIVED_KEPT
    async with control.database.service() as session:
        await session.execute(
            update(AssetRow)
            .where(
                col(AssetRow.status) == AssetStatus.ARCHIVED.value,
                col(AssetRow.updated_at) < before,
                col(AssetRow.object_name).is_not(None),
            )
            .values(object_name=None, renditions_name=None)
        )


async def sweep_objects(control: ControlContext) -> None:
    """
    Delete objects in the store that no asset refers to. A name is marked first, so that no asset can begin to refer to
    it; then the object is removed, then the name is deleted. After an interruption, the next run continues.
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


async def _claim_next(control: ControlContext, until: datetime) -> AssetRow | None:
    waiting = (
        select(col(AssetRow.id))
        .where(
            col(AssetRow.status) == AssetStatus.PROCESSING.value,
            or_(
                col(AssetRow.claimed_until).is_(None),
                col(AssetRow.claimed_until) < control.clock.now(),
            ),
        )
        .order_by(func.coalesce(col(AssetRow.claimed_until), col(AssetRow.updated_at)))
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    async with control.database.service() as session:
        found: AssetRow | None = await session.scalar(
            update(AssetRow)
            .where(col(AssetRow.id) == waiting.scalar_subquery())
            .values(claimed_until=until, attempts=AssetRow.attempts + 1)
            .returning(AssetRow)
            .execution_options(synchronize_session=False)
        )
        return found


async def _find_out(control: ControlContext, row: AssetRow) -> Finding:
    if row.attempts > _MAX_ATTEMPTS:
        return Rejected(
            Message("The file could not be inspected, in several attempts. Send a simpler one.")
        )
    try:
        return await store_asset.examine_upload(control, row)
    except ObjectAbsent:
        return Rejected(
            Message("The uploaded file is no longer available. Create the asset again.")
        )


async def _release(control: ControlContext, until: datetime) -> None:
    """
    End the claim that lasts until *until*, if it was committed, and do not count an outage as an attempt. The time
    identifies the claim, because its asset may be unknown here. The asset is behind those that wait.
    """
    async with control.database.service() as session:
        await session.execute(
            update(AssetRow)
            .where(
                col(AssetRow.status) == AssetStatus.PROCESSING.value,
                col(AssetRow.claimed_until) == until,
            )
            .values(claimed_until=control.clock.now(), attempts=AssetRow.attempts - 1)
        )


async def _write(control: ControlContext, asset_id: str, finding: Finding) -> None:
    """Write the finding, unless the asset was archived meanwhile; the sweep then removes its objects."""
    async with control.database.service() as session:
        row = await session.scalar(
            select(AssetRow).where(col(AssetRow.id) == asset_id).with_for_update()
        )
        if row is not None and row.status == AssetStatus.PROCESSING:
            rules.settle(row, finding, control.clock.now())


async def _mark_unreferred(control: ControlContext, before: datetime) -> list[str]:
    """Mark unreferenced names and return them, together with names marked earlier."""
    name = col(AssetObjectRow.name)
    referred = exists().where(
        or_(
            col(AssetRow.object_name) == name,
            col(AssetRow.renditions_name) == name,
            col(AssetRow.upload_name) == name,
        )
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
