"""`control admin outbox`: compiles objects again, in case edges missed changes of the tables."""

from typing import Annotated, Any

import typer

from control.api.context import ControlContext
from control.api.operator_action import operator_action
from control.delivery.snapshot_publishing.replay import BATCH, replay
from control.operations.admin_cli.run import run_with
from control.storage.tables.accounts import AccountRow

app = typer.Typer(help="The snapshot's outbox.", no_args_is_help=True)


@app.command("replay")
def replay_command(
    account: Annotated[
        str | None, typer.Option("--account", help="Only objects of this account.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, max=5000, help="Objects per transaction.")] = BATCH,
) -> None:
    """Compile every object again; those that differ from what edges have are published as deltas."""
    run_with(lambda control: replay_objects(control, account, batch=batch))


async def replay_objects(
    control: ControlContext, account_id: str | None, *, batch: int
) -> dict[str, Any]:
    """Uses bounded transactions; it may be started again after an interruption. Raises `NotFound`."""
    if account_id is not None:
        async with operator_action(control) as act:
            await act.get(AccountRow, account_id, lock=False)
    counts, versions = await replay(control, account_id, batch=batch)
    detail = {"objects": sum(counts.values()), "versions": versions}
    async with operator_action(control) as act:
        if account_id is None:
            await act.record_of_all("outbox.replay", "snapshot", "all", **detail)
        else:
            act.record("outbox.replay", "account", account_id, account_id, **detail)
    return {"account_id": account_id, "objects": counts, "versions": versions}
