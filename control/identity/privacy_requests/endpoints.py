"""The endpoints of privacy requests: they store the request, and a job answers it."""

from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.foundation.resource_models import from_row
from control.identity.privacy_requests import operations, queries
from control.identity.privacy_requests.rules import new_request
from control.identity.privacy_requests.schemas import PrivacyRequestPublic
from control.storage.tables.privacy_requests import PrivacyRequestRow


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
    return Reply(_public(row), status=202, headers={"Location": f"/v1/privacy/requests/{row.id}"})


async def list_(call: Call) -> Reply:
    rows = await queries.list_requests(
        call.session, call.principal.account_id, call.query, before_id(call)
    )
    return Reply(page_of(call, rows, _public))


async def get(call: Call) -> Reply:
    row = await queries.get_request(call.session, call.principal.account_id, call.path["id"])
    return Reply(_public(row))


def _public(row: PrivacyRequestRow) -> PrivacyRequestPublic:
    return from_row(PrivacyRequestPublic, row, uid_hash=row.uid_hash.hex())


ENDPOINTS = (
    Endpoint(operations.CREATE, create),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.GET, get),
)
