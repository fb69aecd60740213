"""
The export of a whole account, for an owner who is about to close it.

The operation checks the owner's password and writes the line of the audit log; the answer of the page is the file.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

from common.contract.operation import Auth, Operation
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.dashboard.page import LiveStream, Send
from control.dashboard.page_request import PageRequest
from control.identity.account_settings.account_export import check_account_export, stream_account
from control.identity.account_settings.endpoints import confirm_owner
from control.identity.account_settings.schemas import AccountClose


@asynccontextmanager
async def _confirm(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    async with confirm_owner(call) as confirmed:
        yield confirmed


async def _note(call: Call) -> Reply:
    call.object_id = call.principal.account_id
    return Reply(status=204)


EXPORT_ACCOUNT = Endpoint(
    Operation(
        id="exportAccount",
        method="POST",
        path="/account",
        tag="Accounts",
        summary="Export the whole account",
        about="account",
        auth=(Auth.ACCESS_TOKEN,),
        needs={Auth.ACCESS_TOKEN: Permission.ACCOUNT_WRITE},
        body=AccountClose,
        answers=(),
        errors=(ErrorCode.INVALID_GRANT,),
    ),
    _note,
    prepare=_confirm,
)


async def export_account(view: PageRequest) -> LiveStream:
    """Raises `ApiError`, also for a wrong password."""
    await view.execute(EXPORT_ACCOUNT, body={"password": view.form_field("password")})
    async with view.control.database.tenant(view.caller.account_id) as session:
        await check_account_export(session, view.control.report_store)

    async def run(send: Send) -> None:
        async with view.control.database.snapshot(view.caller.account_id) as session:
            async for lines in stream_account(session, view.control.report_store):
                await send(lines)

    return LiveStream(run, "application/x-ndjson", nullcontext(), "placard-account.ndjson")
