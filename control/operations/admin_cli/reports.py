"""`control admin reports`: opens the report store (ADR 113)."""

from typing import Annotated, Any

import typer

from control.api.context import ControlContext
from control.api.operator_action import OperatorAction, operator_action
from control.operations.admin_cli.run import run_with
from control.ports.report_store import ReportStoreUnavailable
from control.reporting.store.opening import CannotOpen, open_report_store

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


async def open_store(control: ControlContext, *, max_behind_hours: int) -> dict[str, Any]:
    """Raises `CannotOpen` and `NotFound`; nothing was changed then."""
    async with operator_action(control) as act:
        await _record(act, max_behind_hours)  # raises before anything is opened
        await act.session.rollback()
    try:
        opened = await open_report_store(
            control.settings.direct_database_url,
            control.report_store,
            max_behind_s=max_behind_hours * 3600,
        )
    except ReportStoreUnavailable as error:
        raise CannotOpen(f"The report store cannot be used: {error.reason}") from error
    async with operator_action(control) as act:
        await _record(act, max_behind_hours)
    return {"queued_hours": opened.queued}


async def _record(act: OperatorAction, max_behind_hours: int) -> None:
    detail = {"max_behind_hours": max_behind_hours}
    await act.record_of_all("reports.open_store", "report_store", "1", **detail)
