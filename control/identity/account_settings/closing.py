"""Closing an account permanently: by its owner, or with the user who is its only owner."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from common.snapshot.model import ObjectType
from common.values.keys import KeyKind
from control.api.call import Call
from control.identity.account_settings import queries
from control.identity.accounts.account_status import change_status
from control.identity.accounts.rules import StatusCause
from control.identity.members.queries import end_all_sessions
from control.outbox.changes import Changes


async def end_access(
    session: AsyncSession, account_id: str, changes: Changes, now: datetime
) -> None:
    """Revoke the account's keys and end its sessions. May run as the tenant."""
    for key in await queries.revoke_keys(session, account_id, now):
        if key.kind != KeyKind.INTEGRATION:
            changes.touch(ObjectType.KEY, key.id)
    await end_all_sessions(session, account_id, now)
    await session.flush()


async def close_with_user(call: Call, account_id: str, user_id: str) -> None:
    """Close the account of a user who deletes themselves, and write it to its audit log. Runs as the service."""
    await end_access(call.session, account_id, call.changes, call.now)
    await change_status(
        call.session,
        account_id,
        StatusCause.CLOSED,
        changes=call.changes,
        now=call.now,
        actor=f"user:{user_id}",
        origin=call.client_ip,
    )
