"""`control admin properties`: verifies and suspends properties by hand."""

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
    """Mark the property as verified without a check of its domain. This also lifts a suspension."""
    run_action(lambda act: set_status(act, property_id, PropertyStatus.VERIFIED, "verify"))


@app.command()
def unverify(property_id: PropertyId) -> None:
    """Withdraw the verification: live traffic stops until it is verified again."""
    run_action(lambda act: set_status(act, property_id, PropertyStatus.UNVERIFIED, "unverify"))


@app.command()
def suspend(property_id: PropertyId) -> None:
    """Suspend the property: it shows no live ads until you verify it again."""
    run_action(lambda act: set_status(act, property_id, PropertyStatus.SUSPENDED, "suspend"))


async def set_status(
    act: OperatorAction, property_id: str, status: PropertyStatus, verb: str
) -> dict[str, Any]:
    """Writes nothing if the property has the status already. Raises `NotFound`."""
    row = await act.get(PropertyRow, property_id)
    if row.status != status:
        moved = {"from": row.status, "to": status.value}
        row.status = status.value
        row.version += 1
        row.updated_at = act.control.clock.now()
        act.record(f"property.{verb}", "property", row.id, row.account_id, status=moved)
        act.changes.touch(ObjectType.PROPERTY, row.id)
    return {"property_id": row.id, "status": row.status, "version": row.version}
