"""Who is calling, with what rights, in which environment."""

from sqlalchemy import select
from sqlmodel import col

from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.keys import KeyKind
from control.accounts.examples import ACCOUNT
from control.accounts.schemas import account_public
from control.call import Call, Endpoint, Reply
from control.me.schemas import MeKey, MePublic, MeUser
from control.principal import Principal
from control.tables.accounts import AccountRow, UserRow
from control.tables.properties import KeyRow

_EXAMPLE = {
    "credential": "integration_key",
    "account": ACCOUNT,
    "is_operator": False,
    "user": {
        "id": "019a7c1e-5b3f-7a02-8c11-6a1f0e2b9d44",
        "email": "ana@acme.example",
        "name": "Acme Media",
    },
    "role": "owner",
    "permissions": ["campaign:read", "campaign:write"],
    "scopes": ["campaign:read", "campaign:write"],
    "environment": "test",
    "property_id": "019a7c20-1d02-7f5b-a1c4-1f0e2d3c4b5a",
    "key": {
        "id": "019a7c21-0a01-7b6c-8d9e-0f1a2b3c4d5e",
        "kind": "integration",
        "name": "CRM",
        "last4": "x7Qa",
    },
}

GET_ME = Operation(
    id="getMe",
    method="GET",
    path="/v1/me",
    plane=Plane.CONTROL,
    tag="Identity",
    summary="Who is calling",
    description="Takes any bearer: an access token, an integration key or a secret key.",
    auth=(Auth.ACCESS_TOKEN, Auth.INTEGRATION_KEY, Auth.SECRET_KEY),
    answers=(Answer(200, "The caller.", MePublic, example=_EXAMPLE),),
)


async def get_me(call: Call) -> Reply:
    caller = call.principal
    account = await call.session.get_one(AccountRow, caller.account_id)
    return Reply(
        MePublic(
            credential=caller.auth,
            account=account_public(account),
            is_operator=account.is_operator,
            user=await _find_user(call, caller),
            role=caller.role,
            permissions=_in_order(caller.permissions),
            scopes=_in_order(caller.scopes) if caller.auth is Auth.INTEGRATION_KEY else None,
            environment=caller.environment,
            property_id=caller.property_id,
            key=await _find_key(call, caller),
        )
    )


async def _find_user(call: Call, caller: Principal) -> MeUser | None:
    """Columns, not the row: a tenant may not read password hashes."""
    found = await call.session.execute(
        select(col(UserRow.id), col(UserRow.email), col(UserRow.name)).where(
            col(UserRow.id) == caller.user_id
        )
    )
    row = found.one_or_none()
    return MeUser(id=row.id, email=row.email, name=row.name) if row else None


async def _find_key(call: Call, caller: Principal) -> MeKey | None:
    if caller.key_id is None:
        return None
    row = await call.session.get_one(KeyRow, caller.key_id)
    return MeKey(id=row.id, kind=KeyKind(row.kind), name=row.name, last4=row.last4)


def _in_order(permissions: frozenset[Permission]) -> list[Permission]:
    return [permission for permission in Permission if permission in permissions]


ENDPOINTS = (Endpoint(GET_ME, get_me),)
