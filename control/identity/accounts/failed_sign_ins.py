"""Failed sign-ins in the audit log: one line per user, network and 15 minutes, not one per attempt."""

from datetime import datetime

from common.http.client_address import network_of
from control.api.context import ControlContext
from control.foundation.rate_limit import Rate
from control.identity.users.memberships import record_in_accounts
from control.storage.db_rate_limit import Throttle

_LINES = Throttle("audit:sign-in", Rate(1, 900.0, burst=1))


async def record_failed_sign_in(
    control: ControlContext,
    *,
    email: str,
    user_id: str | None,
    address: str,
    why: str,
    now: datetime,
) -> None:
    """
    Write a line to every account of the user, in a separate transaction, because the caller's is rolled back.

    *user_id* None: no user has this address. The attempt is counted all the same, so that both cases take equally long.
    """
    async with control.database.service() as session:
        if await _LINES.take(session, now, email, network_of(address)) > 0 or user_id is None:
            return
        await record_in_accounts(
            session, user_id, "session.refused", origin=address, now=now, detail={"why": why}
        )
