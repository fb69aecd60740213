"""The audit log over HTTP. Nothing is written here; see `control.accounts.audit`."""

from control.audit_log import operations, queries
from control.audit_log.rows import to_public
from control.call import Call, Endpoint, Reply
from control.listing import before_id, page_of


async def list_(call: Call) -> Reply:
    rows = await queries.list_lines(
        call.session, call.principal.account_id, call.query, before_id(call)
    )
    return Reply(page_of(call, rows, to_public))


ENDPOINTS = (Endpoint(operations.LIST, list_),)
