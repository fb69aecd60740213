"""`control admin properties`: saying by hand whose a property is, and whether it may serve."""

from typing import Any

import typer

from common.snapshot.model import ObjectType
from common.values.enums import PropertyStatus
from control.api.operator_action import OperatorAction
from control.operations.admin_cli.run import PropertyId, run_action
from control.storage.tables.properties import PropertyRow

app = typer.Typer(help="Properties: verify, unverify, suspend.", no_args_is_help=True)


@app.command()
def verify(property_id: PropertyId) -> None:
    """Say that the property is its account's, without a check of its domain; lifts a suspension too."""
    run_action(lambda act: set_status(act, property_id, PropertyStatus.VERIFIED, "verify"))


@app.command()
def unverify(property_id: PropertyId) -> None:
    """Take that back: live traffic stops until it is verified again."""
    run_action(lambda act: set_status(act, property_id, PropertyStatus.UNVERIFIED, "unverify"))


@app.command()
def suspend(property_id: PropertyId) -> None:
    """No live ad on it, whatever its account does, until you verify it."""
    run_action(lambda act: set_status(act, property_id, PropertyStatus.SUSPENDED, "suspend"))


async def set_status(
    act: OperatorAction, property_id: str, status: PropertyStatus, verb: str
) -> dict[str, Any]:
    """Raises `Absent`."""
    row = await act.get(PropertyRow, property_id)
    before, row.status = row.status, status.value
    row.version += 1
    row.updated_at = act.control.clock.now()
    moved = {"from": before, "to": row.status}
    act.record(f"property.{verb}", "property", row.id, row.account_id, status=moved)
    act.changes.touch(ObjectType.PROPERTY, row.id)
    return {"property_id": row.id, "status": row.status, "version": row.version}
