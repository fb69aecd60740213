"""Scheduler jobs of exports: build the files, and delete them after retention."""

import asyncio
from datetime import datetime, timedelta

from sqlalchemy import delete, or_, select, update
from sqlmodel import col

from control.api.context import ControlContext
from control.reporting.exports.job_claims import claim_next
from control.reporting.exports.run_export import run_export
from control.reporting.exports.schemas import ExportStatus
from control.storage.tables.exports import ExportRow

_ROWS_AT_ONCE = 200
_HISTORY = timedelta(days=90)
_UNFINISHED = timedelta(hours=1)
"""Longer than an upload can take."""


async def make_exports(control: ControlContext) -> None:
    """Runs until no export is queued. Raises `Unavailable` while the store or the database is unavailable."""
    makers = [_make_some(control) for _ in range(control.settings.exports_at_once)]
    for ended in await asyncio.gather(*makers, return_exceptions=True):
        if isinstance(ended, BaseException):
            raise ended


async def sweep_exports(control: ControlContext) -> None:
    """
    Deletes files of expired, failed and deleted exports, then old rows of the list.

    It can be interrupted anywhere; the next run continues.
    """
    now = control.clock.now()
    await _expire(control, now)
    await control.exports.tidy(now - _UNFINISHED)
    while True:
        rows = await _list_over(control, now)
        for row in rows:
            for number in range(1, row.claims + 1):
                await control.exports.remove(f"{row.id}/{number}")
            await _delete_files(control, row)
        if len(rows) < _ROWS_AT_ONCE:
            break
    async with control.database.service() as session:
        old = col(ExportRow.created_at) < now - _HISTORY
        await session.execute(
            delete(ExportRow).where(
                ~col(ExportRow.has_files),
                or_(col(ExportRow.is_removed), old & col(ExportRow.finished_at).is_not(None)),
            )
        )


async def _make_some(control: ControlContext) -> None:
    while (row := await claim_next(control)) is not None:
        await run_export(control, row)


async def _expire(control: ControlContext, now: datetime) -> None:
    """Runs before the files are deleted, so that no link to a missing file is given out."""
    async with control.database.service() as session:
        await session.execute(
            update(ExportRow)
            .where(
                col(ExportRow.status) == ExportStatus.READY.value, col(ExportRow.expires_at) <= now
            )
            .values(status=ExportStatus.EXPIRED.value)
        )


async def _list_over(control: ControlContext, now: datetime) -> list[ExportRow]:
    """
    Lists exports whose claim has lapsed. The builder of a deleted export notices within its claim, and writes no file
    later.
    """
    row = ExportRow
    over = (ExportStatus.EXPIRED.value, ExportStatus.FAILED.value)
    async with control.database.service() as session:
        found = await session.scalars(
            select(row)
            .where(
                col(row.has_files),
                or_(col(row.status).in_(over), col(row.is_removed)),
                or_(col(row.claimed_until).is_(None), col(row.claimed_until) < now),
            )
            .limit(_ROWS_AT_ONCE)
        )
        return list(found)


async def _delete_files(control: ControlContext, row: ExportRow) -> None:
    async with control.database.service() as session:
        await session.execute(
            update(ExportRow)
            .where(col(ExportRow.id) == row.id, col(ExportRow.claims) == row.claims)
            .values(has_files=False)
        )
