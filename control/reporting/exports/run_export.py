"""Builds one export: writes the rows of one instant into an unnamed file, stores it, and marks the export ready."""

import asyncio
from dataclasses import dataclass
from typing import BinaryIO

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.errors import Unavailable
from common.values.messages import Message
from control.api.context import ControlContext
from control.foundation.http.uploads import nameless_file
from control.reporting.exports import job_claims
from control.reporting.exports.events import open_events
from control.reporting.exports.export_query import EventsQuery, of_row
from control.reporting.exports.formats import MEDIA_TYPES, open_file
from control.reporting.exports.hashing_writer import HashingWriter, TooLarge
from control.reporting.exports.job_claims import Superseded
from control.reporting.exports.report import MAX_ROWS, open_report
from control.reporting.exports.rows import object_name
from control.reporting.exports.schemas import ExportFormat
from control.reporting.exports.table_schema import Pages
from control.reporting.reports.queries import TooManyRows
from control.storage.tables.exports import ExportRow

_RELEASE_S = 5.0  # a scheduler that stops may wait this long for the database
_MAX_UNFINISHED_PERCENT = 99
_log: structlog.stdlib.BoundLogger = structlog.get_logger("exports")


@dataclass(slots=True)
class _Progress:
    percent: int = 0


async def run_export(control: ControlContext, row: ExportRow) -> None:
    """
    *row* as it was claimed. On return it is ready, failed, released, or claimed by another process.

    Raises `Unavailable` if a backend or the disk is unavailable; the claim was then released if that was possible.
    """
    started_s = control.clock.monotonic_s()
    try:
        if row.failures >= job_claims.MAX_FAILURES:
            await _fail(
                control, row, Message("The export failed several times. Try a shorter range.")
            )
            return
        await _run_while_claimed(control, row)
    except Superseded:
        _log.info("export_superseded", id=row.id, claim=row.claims)
        return
    except TooLarge:
        most = control.settings.export_bytes
        error = Message(
            "The file would have more than {max_bytes:,} bytes. Choose a shorter range or more "
            "filters.",
            max_bytes=most,
        )
        await _fail(control, row, error)
        return
    except TooManyRows:
        error = Message(
            "The report has more than {max_rows:,} rows. Group by fewer dimensions, add filters, "
            "or choose a shorter range.",
            max_rows=MAX_ROWS,
        )
        await _fail(control, row, error)
        return
    except (Unavailable, asyncio.CancelledError):
        await _release(control, row, failed=False)
        raise
    except OSError as error:
        _log.warning("export_file_failed", id=row.id, claim=row.claims, reason=str(error))
        await _release(control, row, failed=False)
        raise Unavailable(
            Message("There is no disk space for the file at the moment. Try again shortly.")
        ) from error
    except Exception:  # noqa: BLE001 - a bug, or what cannot be made: the others must go on
        _log.exception("export_failed", id=row.id, claim=row.claims)
        await _release(control, row, failed=True)
        return
    seconds = control.clock.monotonic_s() - started_s
    control.metrics.exports.labels(row.kind, row.format, "ready").inc()
    control.metrics.export_seconds.labels(row.kind).observe(seconds)


async def _run_while_claimed(control: ControlContext, row: ExportRow) -> None:
    """Builds the file while renewing the claim. Stops and raises `Superseded` as soon as the claim is lost."""
    progress = _Progress()
    building = asyncio.create_task(_build(control, row, progress))
    renewing = asyncio.create_task(_renew_claim(control, row, progress))
    both = {building, renewing}
    try:
        done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)
    (building if building in done else renewing).result()


async def _renew_claim(control: ControlContext, row: ExportRow, progress: _Progress) -> None:
    pause_s = control.settings.export_claim_s / 4
    while True:
        await asyncio.sleep(pause_s)
        await job_claims.renew(control, row, progress.percent)


async def _build(control: ControlContext, row: ExportRow, progress: _Progress) -> None:
    form = ExportFormat(row.format)
    async with nameless_file(control.settings.state / "exports-unfinished") as file:
        writer, rows = await _write(control, row, file, progress)
        await control.exports.put(object_name(row), file, media_type=MEDIA_TYPES[form])
    try:
        await job_claims.finish(
            control, row, rows=rows, size_bytes=writer.size_bytes, sha256=writer.sha256
        )
    except Superseded:
        await control.exports.remove(object_name(row))
        raise


async def _write(
    control: ControlContext, row: ExportRow, file: BinaryIO, progress: _Progress
) -> tuple[HashingWriter, int]:
    """Returns the written file and its row count. Holds at most one page and one row group in memory."""
    writer = HashingWriter(file, max_bytes=control.settings.export_bytes)
    count = 0
    async with control.database.snapshot(row.account_id) as session:
        found = await _open(session, row, control)
        table = await asyncio.to_thread(
            open_file, ExportFormat(row.format), writer, found.columns, found.metadata
        )
        async for rows, done in found.pages:
            await asyncio.to_thread(table.write, rows)
            count += len(rows)
            progress.percent = min(int(done * 100), _MAX_UNFINISHED_PERCENT)
        await asyncio.to_thread(table.finish)
    return writer, count


async def _open(session: AsyncSession, row: ExportRow, control: ControlContext) -> Pages:
    scope, question = of_row(row)
    if isinstance(question, EventsQuery):
        return await open_events(session, scope, question, control.clock.now())
    return await open_report(session, scope, question, control.report_store)


async def _fail(control: ControlContext, row: ExportRow, error: Message) -> None:
    try:
        await job_claims.fail(control, row, error)
    except Superseded:
        return
    control.metrics.exports.labels(row.kind, row.format, "failed").inc()


async def _release(control: ControlContext, row: ExportRow, *, failed: bool) -> None:
    """Releases the claim; if that fails, the claim lapses by itself."""
    try:
        async with asyncio.timeout(_RELEASE_S):
            await job_claims.release(control, row, failed=failed)
    except (Superseded, Unavailable, TimeoutError) as error:
        reason = type(error).__name__
        _log.info("export_claim_release_failed", id=row.id, claim=row.claims, reason=reason)
