"""The endpoints of privacy requests: they store the request, and a job answers it."""

from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.identity.privacy_requests import operations, queries
from control.identity.privacy_requests.rows import to_public
from control.identity.privacy_requests.rules import new_request


async def create(call: Call) -> Reply:
    row = new_request(
        call.body,
        account_id=call.principal.account_id,
        user_id=call.principal.user_id or "",
        keys=call.control.keys,
        now=call.now,
    )
    call.session.add(row)
    call.detail["kind"] = row.kind
    return Reply(to_public(row), status=202, headers={"Location": f"/v1/privacy/requests/{row.id}"})


async def list_(call: Call) -> Reply:
    rows = await queries.list_requests(
        call.session, call.principal.account_id, call.query, before_id(call)
    )
    return Reply(page_of(call, rows, to_public))


async def get(call: Call) -> Reply:
    row = await queries.get_request(call.session, call.principal.account_id, call.path["id"])
    return Reply(to_public(row))


ENDPOINTS = (
    Endpoint(operations.CREATE, create),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.GET, get),
)
