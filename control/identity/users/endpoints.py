"""The endpoint that lists the caller's accounts."""

from pydantic import Field

from common.contract.models import Page, WireIn, WireOut
from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Role
from common.values.enums import AccountState
from common.values.errors import ErrorCode
from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.foundation.openapi_examples import ACCOUNT_ID, a_page
from control.foundation.resource_models import from_row
from control.foundation.wire_types import Limit
from control.identity.users.current_user import current_user
from control.identity.users.memberships import Membership, list_accounts_of


class OwnAccountList(WireIn):
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class OwnAccount(WireOut):
    id: str
    name: str
    state: AccountState
    role: Role = Field(description="Your role in that account.")
    is_current: bool = Field(description="Whether this access token is for this account.")


LIST = Operation(
    id="listAccounts",
    method="GET",
    path="/v1/accounts",
    tag="Accounts",
    summary="List your accounts",
    description="Accounts you are a member of, newest first. To act in another account, sign in with its `account_id`.",
    auth=(Auth.ACCESS_TOKEN,),
    query=OwnAccountList,
    answers=(
        Answer(
            200,
            "One page of results.",
            Page[OwnAccount],
            example=a_page(
                {
                    "id": ACCOUNT_ID,
                    "name": "Acme Media",
                    "state": "active",
                    "role": "owner",
                    "is_current": True,
                }
            ),
        ),
    ),
    errors=(ErrorCode.PERMISSION_DENIED,),
)


async def list_own(call: Call) -> Reply:
    me = current_user(call.principal)
    found = await list_accounts_of(
        call.session, me.user_id, limit=call.query.limit, before_id=before_id(call)
    )

    def public(row: Membership) -> OwnAccount:
        return from_row(OwnAccount, row, is_current=row.id == call.principal.account_id)

    return Reply(page_of(call, found, public))


ENDPOINTS = (Endpoint(LIST, list_own, of_person=True),)
