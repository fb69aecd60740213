"""The endpoints of the caller's own account: its settings, its emergency switch, its closing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.contract.permissions import Role
from common.snapshot.model import ObjectType
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.api.versioning import check_version, raise_version, versioned
from control.foundation.password_hashing import Passwords
from control.foundation.rate_limit import Rate, check_rate
from control.foundation.wire_types import given
from control.identity.account_settings import operations, queries
from control.identity.account_settings.closing import end_access
from control.identity.account_settings.schemas import AccountClose
from control.identity.accounts.schemas import account_public
from control.storage.tables.accounts import AccountRow

_PASSWORD_ATTEMPTS = Rate(5, 300.0, burst=5)


async def get(call: Call) -> Reply:
    return _shown(await queries.get_account(call.session, call.principal.account_id))


async def patch(call: Call) -> Reply:
    row = await queries.get_account(call.session, call.principal.account_id, lock=True)
    check_version(call, row)
    values = given(call.body)
    for name, value in values.items():
        setattr(row, name, value)
    if values:
        raise_version(row, call.now)
    return _shown(row)


async def stop(call: Call) -> Reply:
    return await _switch(call, stopped=True)


async def resume(call: Call) -> Reply:
    return await _switch(call, stopped=False)


@asynccontextmanager
async def confirm_owner(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    """Raises `Refused` unless the caller is an owner and the password in the body is theirs."""
    caller = call.principal
    if caller.role is not Role.OWNER or caller.user_id is None:
        raise Refused(
            ErrorCode.PERMISSION_DENIED,
            Message("Only an owner can close the account. Ask one of them."),
        )
    body: AccountClose = call.body
    limiter, now_s = call.control.limiter, call.control.clock.monotonic_s()
    check_rate(limiter, f"confirm:{caller.identity}", _PASSWORD_ATTEMPTS, now_s)
    async with call.control.database.service() as session:
        stored = await queries.find_password_hash(session, caller.user_id)
    if not await call.control.get(Passwords).verify(stored, body.password):
        raise Refused(
            ErrorCode.INVALID_GRANT,
            Message("This is not your password. Try again."),
            param="password",
        )
    yield PreparedInput(None)


async def close(call: Call) -> Reply:
    account_id = call.principal.account_id
    check_version(call, await queries.get_account(call.session, account_id, lock=True))
    await end_access(call.session, account_id, call.changes, call.now)
    await queries.close_account(call.session, call.now)
    row = await queries.get_account(call.session, account_id)
    await call.session.refresh(row)
    call.changes.touch(ObjectType.ACCOUNT, account_id)
    return Reply(account_public(row))


ENDPOINTS = (
    Endpoint(operations.GET, get),
    Endpoint(operations.PATCH, patch),
    Endpoint(operations.STOP, stop),
    Endpoint(operations.RESUME, resume),
    Endpoint(operations.CLOSE, close, prepare=confirm_owner),
)


async def _switch(call: Call, *, stopped: bool) -> Reply:
    row = await queries.get_account(call.session, call.principal.account_id, lock=True)
    check_version(call, row)
    if row.stopped != stopped:
        row.stopped = stopped
        raise_version(row, call.now)
        call.changes.touch(ObjectType.ACCOUNT, row.id)
    return _shown(row)


def _shown(row: AccountRow) -> Reply:
    return versioned(account_public(row), row.version)
