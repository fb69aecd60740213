"""
The own data of a user who is a member of no account, and so has no session: by the ticket of their sign-in and their
password. For pages only.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import Field

from common.contract.models import WireIn
from common.contract.operation import Operation
from common.values.errors import ErrorCode
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.identity.own_data.endpoints import delete_of, export_of
from control.identity.passwords.change import check_password_of
from control.identity.sessions.tickets import TicketFor, open_ticket


class TicketProof(WireIn):
    ticket: str = Field(max_length=2000)
    password: str = Field(max_length=1024)


@asynccontextmanager
async def _check(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    body: TicketProof = call.body
    async with call.control.database.service() as session:
        user = await open_ticket(session, call, body.ticket, TicketFor.OWN_DATA)
    await check_password_of(call, user.id, body.password, "password")
    yield PreparedInput(user.id)


async def _export(call: Call) -> Reply:
    return await export_of(call, call.prepared)


async def _delete(call: Call) -> Reply:
    return await delete_of(call, call.prepared)


def _operation(operation_id: str, summary: str) -> Operation:
    return Operation(
        id=operation_id,
        method="POST",
        path="/sign-in/data",
        tag="Sign-in",
        summary=summary,
        body=TicketProof,
        answers=(),
        errors=(ErrorCode.INVALID_GRANT,),
    )


EXPORT = Endpoint(
    _operation("exportByTicket", "Export your data without an account"), _export, prepare=_check
)
DELETE = Endpoint(
    _operation("deleteByTicket", "Delete your user without an account"), _delete, prepare=_check
)
