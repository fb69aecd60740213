"""`control admin reports`: opens the report store, and repairs it (ADR 113)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import typer

from control.api.context import ControlContext
from control.api.operator_action import ActionRefused, operator_action
from control.operations.admin_cli.run import run_with
from control.ports.report_store import ReportStoreUnavailable
from control.reporting.store.opening import open_report_store
from control.reporting.store.repairing import repair_report_store

app = typer.Typer(help="The store of reports.", no_args_is_help=True)


@app.command("open-store")
def open_store_command(
    max_behind_hours: Annotated[
        int,
        typer.Option(
            min=1, max=720, help="Ingest stops where ClickHouse received nothing for so long."
        ),
    ] = 24,
) -> None:
    """Move the hours of reports into the ClickHouse of PLACARD_REPORT_STORE_URL, for good; ingest waits meanwhile."""
    run_with(lambda control: open_store(control, max_behind_hours=max_behind_hours))


@app.command("repair-store")
def repair_store_command() -> None:
    """Send to ClickHouse how its hours differ from PostgreSQL's, as after a restore of one; ingest waits meanwhile."""
    run_with(repair_store)


async def open_store(control: ControlContext, *, max_behind_hours: int) -> dict[str, Any]:
    """Raises `ActionRefused` and `NotFound`; nothing was changed then."""
    async with _recorded(control, "reports.open_store", max_behind_hours=max_behind_hours):
        queued = await open_report_store(
            control.settings.direct_database_url,
            control.report_store,
            max_behind_s=max_behind_hours * 3600,
        )
    return {"queued_hours": queued}


async def repair_store(control: ControlContext) -> dict[str, Any]:
    """Raises `ActionRefused` and `NotFound`; nothing was changed then."""
    async with _recorded(control, "reports.repair_store"):
        queued = await repair_report_store(
            control.settings.direct_database_url, control.report_store
        )
    return {"queued_hours": queued}


@asynccontextmanager
async def _recorded(control: ControlContext, action: str, **detail: int) -> AsyncIterator[None]:
    """Writes the audit log after the action, and raises before it where that is impossible."""
    async with operator_action(control) as act:
        await act.record_of_all(action, "report_store", "1", **detail)
        await act.session.rollback()
    try:
        yield
    except ReportStoreUnavailable as error:
        raise ActionRefused(f"The report store cannot be used: {error.reason}") from error
    async with operator_action(control) as act:
        await act.record_of_all(action, "report_store", "1", **detail)
