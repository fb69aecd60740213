"""
Claims of export jobs: which process builds which export.

A claim is a number that only grows, and it lasts while it is renewed. Writes with an older number change nothing.
"""

from datetime import timedelta

from sqlalchemy import Update, case, func, or_, select, text, update
from sqlalchemy.orm import aliased
from sqlmodel import col

from common.values.messages import Message
from control.api.context import ControlContext
from control.reporting.exports.schemas import ExportStatus
from control.storage.tables.exports import ExportRow

MAX_FAILURES = 3
_QUEUED, _RUNNING = ExportStatus.QUEUED.value, ExportStatus.RUNNING.value
_LOCK = 0x504C_4558  # any number no other advisory lock of this database uses


class Superseded(Exception):
    """The export was deleted, or another process builds it now."""


async def claim_next(control: ControlContext) -> ExportRow | None:
    """
    Claims the oldest export that is queued, or whose claim has lapsed, of an account below its limit.

    A lapsed claim counts as a failure: a file that crashes every process that builds it is not tried for ever.
    """
    now, row, other = control.clock.now(), ExportRow, aliased(ExportRow)
    running = (
        select(func.count())
        .where(
            col(other.account_id) == col(row.account_id),
            col(other.status) == _RUNNING,
            col(other.claimed_until) >= now,
            ~col(other.is_removed),
        )
        .scalar_subquery()
    )
    waiting = (
        select(col(row.id))
        .where(
            ~col(row.is_removed),
            or_(
                col(row.status) == _QUEUED,
                (col(row.status) == _RUNNING) & (col(row.claimed_until) < now),
            ),
            running < control.settings.exports_per_account,
        )
        .order_by(col(row.created_at), col(row.id))
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    silent = case((col(row.status) == _RUNNING, 1), else_=0)
    claim = (
        update(row)
        .where(col(row.id) == waiting.scalar_subquery())
        .values(
            status=_RUNNING,
            claims=row.claims + 1,
            failures=row.failures + silent,
            claimed_until=now + _lease(control),
            has_files=True,
            progress_percent=0,
            started_at=func.coalesce(col(row.started_at), now),
        )
        .returning(row)
        .execution_options(synchronize_session=False)
    )
    async with control.database.service() as session:
        # One at a time: two concurrent counts would both find room.
        await session.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        found: ExportRow | None = await session.scalar(claim)
        return found


async def renew(control: ControlContext, row: ExportRow, progress_percent: int) -> None:
    """Renews the claim. Raises `Superseded`."""
    until = control.clock.now() + _lease(control)
    await _write(control, row, claimed_until=until, progress_percent=progress_percent)


async def finish(
    control: ControlContext, row: ExportRow, *, rows: int, size_bytes: int, sha256: str
) -> None:
    """Marks the export as ready: its file is in the store. Raises `Superseded`."""
    now = control.clock.now()
    await _write(
        control,
        row,
        status=ExportStatus.READY.value,
        claimed_until=None,
        progress_percent=100,
        rows=rows,
        bytes=size_bytes,
        sha256=sha256,
        finished_at=now,
        expires_at=now + timedelta(seconds=control.settings.export_retention_s),
    )


async def fail(control: ControlContext, row: ExportRow, error: Message) -> None:
    """Fails the export for good. Raises `Superseded`."""
    await _write(
        control,
        row,
        status=ExportStatus.FAILED.value,
        claimed_until=None,
        error=error,
        error_parts=error.to_json(),
        finished_at=control.clock.now(),
    )


async def release(control: ControlContext, row: ExportRow, *, failed: bool) -> None:
    """Requeues the export, to be built again from the start. Raises `Superseded`."""
    await _write(
        control,
        row,
        status=_QUEUED,
        claimed_until=None,
        progress_percent=0,
        failures=row.failures + int(failed),
    )


async def _write(control: ControlContext, row: ExportRow, **values: object) -> None:
    async with control.database.service() as session:
        found = await session.execute(_fenced(row).values(**values).returning(col(ExportRow.id)))
        if found.scalar_one_or_none() is None:
            raise Superseded


def _fenced(row: ExportRow) -> Update:
    return (
        update(ExportRow)
        .where(
            col(ExportRow.id) == row.id,
            col(ExportRow.claims) == row.claims,
            col(ExportRow.status) == _RUNNING,
            ~col(ExportRow.is_removed),
        )
        .execution_options(synchronize_session=False)
    )


def _lease(control: ControlContext) -> timedelta:
    return timedelta(seconds=control.settings.export_claim_s)
