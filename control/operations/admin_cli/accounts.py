"""`control admin accounts`: lists accounts, and changes their status and rights."""

from typing import Annotated, Any

import typer
from sqlmodel import col, func, select

from common.values.enums import AccountState
from control.api.operator_action import ACTOR, ORIGIN, ActionRefused, OperatorAction
from control.identity.accounts.account_status import change_status
from control.identity.accounts.rules import StatusCause
from control.operations.admin_cli.run import AccountId, Before, Most, Printed, run_action, shown
from control.storage.tables.accounts import AccountRow, MembershipRow
from control.storage.tables.properties import KeyRow, PropertyRow

app = typer.Typer(help="Accounts: list, show, suspend, activate.", no_args_is_help=True)

_COLUMNS = (
    *("id", "name", "currency", "state", "state_reason", "stopped", "billing_mode"),
    *("is_operator", "review_required", "require_second_factor", "created_at"),
)


@app.command("list")
def list_(
    state: Annotated[AccountState | None, typer.Option(help="Only items with this status.")] = None,
    limit: Most = 100,
    before: Before = None,
) -> None:
    """List accounts, newest first."""
    run_action(lambda act: list_accounts(act, state, limit, before))


@app.command()
def show(account: AccountId) -> None:
    """Show one account, with its number of members, properties and keys."""
    run_action(lambda act: show_account(act, account))


@app.command()
def suspend(account: AccountId) -> None:
    """Refuse every key of the account, also on edges, until it is activated again."""
    run_action(lambda act: move_account(act, account, StatusCause.SUSPENDED))


@app.command()
def activate(account: AccountId) -> None:
    """Lift any suspension. A closed account stays closed."""
    run_action(lambda act: move_account(act, account, StatusCause.ACTIVATED))


@app.command()
def make_operator(account: AccountId) -> None:
    """Let the account's members see and control the whole platform."""
    run_action(lambda act: set_operator(act, account))


@app.command()
def set_review(
    account: AccountId,
    required: Annotated[bool, typer.Option("--on/--off", help="Whether live ads are reviewed.")],
) -> None:
    """Require, or no longer require, that owners or admins approve live campaigns and ads."""
    run_action(lambda act: set_review_required(act, account, required=required))


async def list_accounts(
    act: OperatorAction, state: AccountState | None, limit: int, before: str | None
) -> Printed:
    wanted = select(AccountRow).order_by(col(AccountRow.id).desc()).limit(limit)
    if state is not None:
        wanted = wanted.where(col(AccountRow.state) == state.value)
    if before is not None:
        wanted = wanted.where(col(AccountRow.id) < before)
    return [shown(row, *_COLUMNS) for row in await act.session.scalars(wanted)]


async def show_account(act: OperatorAction, account_id: str) -> dict[str, Any]:
    """Raises `NotFound`."""
    row = await act.get(AccountRow, account_id, lock=False)
    counts = {}
    for name, table in (("members", MembershipRow), ("properties", PropertyRow), ("keys", KeyRow)):
        counted = select(func.count()).select_from(table).where(table.account_id == account_id)
        counts[name] = await act.session.scalar(counted)
    return shown(row, *_COLUMNS) | counts


async def move_account(act: OperatorAction, account_id: str, cause: StatusCause) -> dict[str, Any]:
    """Raises `NotFound`, and `ActionRefused` where the account was closed."""
    await act.get(AccountRow, account_id, lock=False)
    status = await change_status(
        act.session,
        account_id,
        cause,
        changes=act.changes,
        now=act.control.clock.now(),
        actor=ACTOR,
        origin=ORIGIN,
    )
    if cause is StatusCause.ACTIVATED and status.state is not AccountState.ACTIVE:
        raise ActionRefused("The account was closed by its owner, for good.")
    return {
        "account_id": account_id,
        "state": status.state,
        "state_reason": status.reason,
    }


async def set_operator(act: OperatorAction, account_id: str) -> dict[str, Any]:
    """Writes nothing if it is so already. Raises `NotFound`."""
    row = await act.get(AccountRow, account_id)
    if not row.is_operator:
        row.is_operator = True
        act.record("account.make_operator", "account", row.id, row.id)
    return {"account_id": row.id, "is_operator": row.is_operator}


async def set_review_required(
    act: OperatorAction, account_id: str, *, required: bool
) -> dict[str, Any]:
    """Writes nothing if it is so already. Raises `NotFound`."""
    row = await act.get(AccountRow, account_id)
    if row.review_required is not required:
        moved = {"from": row.review_required, "to": required}
        row.review_required = required
        row.version += 1
        row.updated_at = act.control.clock.now()
        act.record("account.set_review", "account", row.id, row.id, review_required=moved)
    return {"account_id": row.id, "review_required": required}
