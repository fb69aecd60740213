"""`control admin writers`: lists writers of events, and retires one whose machine will never come back."""

from typing import Annotated, Any

import typer
from sqlmodel import col, select

from common.tracking.event import NOTHING_FOLLOWS_MS
from common.values.clock import from_ms, to_iso
from control.api.operator_action import NotFound, OperatorAction
from control.operations.admin_cli.run import Most, Printed, run_action, shown
from control.storage.tables.ingest import WriterMarkRow

app = typer.Typer(help="Writers of events: list, retire.", no_args_is_help=True)


@app.command("list")
def list_(
    limit: Most = 100,
    every: Annotated[  # noqa: FBT002 - typer reads flags from defaults
        bool, typer.Option("--all", help="Include writers that have ended.")
    ] = False,
) -> None:
    """List writers that may send more events; the first one holds back `complete_through`."""
    run_action(lambda act: list_writers(act, limit, every=every))


@app.command()
def retire(
    writer: Annotated[
        str, typer.Option("--writer", help="The writer, as shown by `writers list`.")
    ],
) -> None:
    """Give up a writer whose machine or disk is lost. Late events still count."""
    run_action(lambda act: retire_writer(act, writer))


async def list_writers(act: OperatorAction, limit: int, *, every: bool) -> Printed:
    through = col(WriterMarkRow.through_ms)
    wanted = select(WriterMarkRow).order_by(through.asc().nulls_first(), col(WriterMarkRow.writer))
    if not every:
        wanted = wanted.where(through.is_(None) | (through < NOTHING_FOLLOWS_MS))
    return [_shown(row) for row in await act.session.scalars(wanted.limit(limit))]


async def retire_writer(act: OperatorAction, writer: str) -> dict[str, Any]:
    """Raises `NotFound`."""
    row = await act.session.get(WriterMarkRow, writer, with_for_update=True)
    if row is None:
        raise NotFound(f"There is no writer {writer!r}. See `control admin writers list`.")
    before = _shown(row)
    row.through_ms = NOTHING_FOLLOWS_MS
    await act.record_of_all("writer.retire", "writer", writer, through=before["through"])
    return _shown(row)


def _shown(row: WriterMarkRow) -> dict[str, Any]:
    has_ended = row.through_ms == NOTHING_FOLLOWS_MS
    through = None if has_ended or row.through_ms is None else to_iso(from_ms(row.through_ms))
    return shown(row, "writer", "is_test", "updated_at") | {
        "through": through,
        "ended": has_ended,
    }
