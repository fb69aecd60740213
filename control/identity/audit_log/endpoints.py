"""The audit log endpoint. It only reads; `control.api.audit` writes."""

from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.identity.audit_log import operations, queries
from control.identity.audit_log.queries import to_public


async def list_(call: Call) -> Reply:
    rows = await queries.list_lines(
        call.session, call.principal.account_id, call.query, before_id(call)
    )
    return Reply(page_of(call, rows, to_public))


ENDPOINTS = (Endpoint(operations.LIST, list_),)
