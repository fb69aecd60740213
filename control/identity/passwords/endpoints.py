"""The password endpoints. Hashes are computed before the transaction."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.identity.passwords import operations
from control.identity.passwords.change import change, prepare_change
from control.identity.passwords.reset import confirm_reset, prepare_reset, request_reset
from control.identity.passwords.schemas import PasswordReset, PasswordResetConfirm


@asynccontextmanager
async def _hash_change(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    yield PreparedInput(await prepare_change(call))


@asynccontextmanager
async def _hash_reset(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    body: PasswordResetConfirm = call.body
    yield PreparedInput(await prepare_reset(call.control, body.token, body.new_password, call.now))


async def change_own(call: Call) -> Reply:
    await change(call)
    return Reply(status=204)


async def request(call: Call) -> Reply:
    body: PasswordReset = call.body
    await request_reset(call.session, body.email, call.client_ip, call.now)
    return Reply(status=202)


async def confirm(call: Call) -> Reply:
    body: PasswordResetConfirm = call.body
    await confirm_reset(
        call.session,
        call.control,
        token=body.token,
        password_hash=call.prepared,
        origin=call.client_ip,
        changes=call.changes,
        now=call.now,
    )
    return Reply(status=204)


ENDPOINTS = (
    Endpoint(operations.CHANGE, change_own, prepare=_hash_change, of_person=True),
    Endpoint(operations.RESET, request),
    Endpoint(operations.CONFIRM_RESET, confirm, prepare=_hash_reset),
)
