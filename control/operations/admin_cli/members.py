"""`control admin members`: lists an account's members, and sets roles where its own members cannot."""

from typing import Annotated, Any

import typer
from sqlmodel import col, select

from common.contract.permissions import Role
from control.api.operator_action import NotFound, OperatorAction
from control.api.versioning import raise_version
from control.identity.accounts.proofs import record_proof
from control.identity.accounts.queries import find_user_by_email
from control.identity.members import queries
from control.identity.members.rules import MembershipContext, check_role_change
from control.identity.sessions.queries import end_access
from control.identity.users.addresses import find_email
from control.identity.users.memberships import account_ids_of
from control.operations.admin_cli.run import AccountId, Printed, run_action, shown
from control.storage.tables.accounts import AccountRow, MembershipRow, UserRow

app = typer.Typer(help="Members: list, set-role, verify-address.", no_args_is_help=True)


@app.command("list")
def list_(account: AccountId) -> None:
    """List the members of an account, the earliest first."""
    run_action(lambda act: list_members(act, account))


@app.command()
def set_role(
    account: AccountId,
    email: Annotated[str, typer.Option(help="Email address of the member.")],
    role: Annotated[Role, typer.Option(help="New role of the member.")],
) -> None:
    """Give a member a role, such as a new owner after the last one left. The last owner cannot lose the role."""
    run_action(lambda act: set_member_role(act, account, email, role))


@app.command()
def verify_address(
    email: Annotated[str, typer.Option(help="Email address of the person.")],
) -> None:
    """Mark a person's address as verified without a mail, for example where no mail server is set up."""
    run_action(lambda act: verify_persons_address(act, email))


async def list_members(act: OperatorAction, account_id: str) -> Printed:
    """Raises `NotFound`."""
    await act.get(AccountRow, account_id, lock=False)
    found = await act.session.execute(
        select(MembershipRow, UserRow)
        .join(UserRow, col(UserRow.id) == col(MembershipRow.user_id))
        .where(col(MembershipRow.account_id) == account_id)
        .order_by(col(MembershipRow.created_at))
    )
    return [
        shown(row, "id", "user_id", "role", "invited_by", "created_at")
        | shown(user, "email", "name")
        for row, user in found
    ]


async def set_member_role(
    act: OperatorAction, account_id: str, email: str, role: Role
) -> dict[str, Any]:
    """
    Writes nothing if the member has the role already.
    Raises `NotFound`, and `Refused` where the account would be left without an owner.
    """
    await act.get(AccountRow, account_id, lock=False)
    await queries.hold_members(act.session, account_id)
    row = await act.session.scalar(
        select(MembershipRow)
        .join(UserRow, col(UserRow.id) == col(MembershipRow.user_id))
        .where(
            col(MembershipRow.account_id) == account_id,
            col(UserRow.email) == find_email(email),
        )
    )
    if row is None:
        raise NotFound(f"The account has no member {email!r}.")
    before, now = Role(row.role), act.control.clock.now()
    if role is before:
        return shown(row, "id", "user_id", "role", "version")
    others = await queries.count_other_owners(act.session, account_id, row.user_id)
    check_role_change(
        Role.OWNER, before, role, MembershipContext(is_self=False, other_owners=others)
    )
    row.role = role.value
    raise_version(row, now)
    await end_access(act.session, account_id, row.user_id, now)
    await queries.withdraw_invitations(act.session, account_id, row.user_id, role)
    moved = {"from": before, "to": role}
    act.record("member.set_role", "member", row.id, account_id, role=moved)
    return shown(row, "id", "user_id", "role", "version")


async def verify_persons_address(act: OperatorAction, email: str) -> dict[str, Any]:
    """Raises `NotFound`. Accounts owned by the person may invite members and serve live from now on."""
    user = await find_user_by_email(act.session, find_email(email) or "")
    if user is None:
        raise NotFound(f"Nobody has the address {email!r}.")
    await record_proof(act.session, user, changes=act.changes, now=act.control.clock.now())
    account_ids = await account_ids_of(act.session, user.id)
    for account_id in account_ids:
        act.record("email.verify", "user", user.id, account_id)
    return shown(user, "id", "email", "email_verified_at") | {"account_ids": list(account_ids)}
