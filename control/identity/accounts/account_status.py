"""Changes an account's status: the only way for billing and operators. Updates the edges and the audit log."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from common.snapshot.model import ObjectType
from common.values.enums import AccountState
from control.api import audit
from control.identity.accounts.rules import AccountStatus, StateReason, StatusCause, status_after
from control.outbox.changes import Changes
from control.storage.tables.accounts import AccountRow


async def change_status(
    session: AsyncSession,
    account_id: str,
    cause: StatusCause,
    *,
    changes: Changes,
    now: datetime,
    actor: str,
    origin: str,
) -> AccountStatus:
    """
    Apply *cause* and return the account's new status. Writes nothing if the status stays the same.

    Runs as the service. *actor* and *origin* as in `audit.record`. Raises `NoResultFound` if the account does not
    exist.
    """
    row = await session.get_one(AccountRow, account_id, with_for_update={"key_share": True})
    before = status_of(row)
    after = status_after(before, cause)
    if after == before:
        return after
    row.state, row.state_reason = after.state.value, after.reason
    row.version += 1
    row.updated_at = now
    changes.touch(ObjectType.ACCOUNT, row.id)
    audit.record(
        session,
        account_id=row.id,
        now=now,
        actor=actor,
        action=f"account.{cause}",
        object_type="account",
        object_id=row.id,
        origin=origin,
        detail={"state": {"from": _name(before), "to": _name(after)}},
    )
    return after


def status_of(row: AccountRow) -> AccountStatus:
    state = AccountState(row.state)
    if state is AccountState.ACTIVE:
        return AccountStatus(state, None)
    return AccountStatus(state, StateReason(row.state_reason or StateReason.OPERATOR))


def _name(status: AccountStatus) -> str:
    return f"{status.state}: {status.reason}" if status.reason else status.state.value
