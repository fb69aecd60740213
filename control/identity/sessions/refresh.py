"""Renewing tokens: a refresh token can be used once; a second use ends its session."""

from common.values.errors import Refused
from common.values.messages import Message
from control.api.call import Call
from control.api.session_limits import limits_of
from control.identity.sessions.grant_errors import check_usable, refused
from control.identity.sessions.queries import (
    Tokens,
    add_tokens,
    claim_refresh_token,
    find_account_of,
    find_live_session,
    revoke_session,
)
from control.identity.sessions.schemas import RefreshGrant
from control.storage.tables.sessions import SessionRow


async def refresh(call: Call, grant: RefreshGrant) -> Tokens:
    """Exchange a refresh token for a new pair. Raises `Refused`."""
    limits = limits_of(call.control.settings)
    row = await claim_refresh_token(call.session, grant.refresh_token)
    if row is not None and row.used_at is not None:
        await _punish_reuse(call, row.family_id)
    if row is None or row.used_at or row.revoked_at or row.expires_at <= call.now:
        raise _ended()
    of = await find_live_session(call.session, row.family_id, limits, call.now)
    if of is None:
        raise _ended()
    await _check_member(call, of)
    row.used_at = call.now
    of.last_used_at = call.now
    return add_tokens(call.session, of, limits, call.now)


async def _punish_reuse(call: Call, session_id: str) -> None:
    """
    End the session of a refresh token that was used twice: the token was stolen, whichever use was the thief's.

    Runs in a separate transaction, because the caller's is rolled back and would undo the revocation.
    """
    async with call.control.database.service() as session:
        await revoke_session(session, session_id, call.now)


async def _check_member(call: Call, of: SessionRow) -> None:
    check_usable(await find_account_of(call.session, of.user_id, of.account_id))


def _ended() -> Refused:
    return refused(Message("The refresh token is unknown, already used or expired. Sign in again."))
