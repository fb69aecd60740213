"""Who is calling, with what rights, in which environment, and what holds them up."""

from common.contract.operation import Auth
from control.accounts.schemas import account_public
from control.call import Call, Endpoint, Reply
<<<<<<< HEAD
from control.me.schemas import MeKey, MePublic, MeUser
from control.principal import Principal
from control.tables.accounts import AccountRow, UserRow
from control.tables.properties import KeyRow

_EXAMPLE = {
    "credential": "integration_key",
    "account": {
        "id": "019a7c1e-5b3e-7c10-9a53-0d7f4c1f3a10",
        "name": "Acme Media",
        "currency": "USD",
        "state": "active",
        "billing_mode": "invoiced",
        "created_at": "2026-03-01T09:00:00.000Z",
    },
    "is_operator": False,
    "user": {
        "id": "019a7c1e-5b3f-7a02-8c11-6a1f0e2b9d44",
        "email": "ana@acme.example",
        "name": "Acme Media",
        "email_verified": True,
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
=======
from control.me import operations, queries, rows, rules
from control.me.schemas import MePatch, MePublic
>>>>>>> door


async def get(call: Call) -> Reply:
    caller, session = call.principal, call.session
    account = await queries.get_account(session, caller)
    key = await queries.find_key(session, caller)
    site = await queries.find_property(session, caller)
    return Reply(
        MePublic(
            credential=caller.auth,
            account=account_public(account),
            is_operator=account.is_operator,
            user=await queries.find_user(session, caller),
            role=caller.role,
            permissions=rules.in_order(caller.permissions),
            scopes=rules.in_order(caller.scopes) if caller.auth is Auth.INTEGRATION_KEY else None,
            lost_scopes=rules.lost_scopes(caller),
            environment=caller.environment,
            property_id=caller.property_id,
            property=rows.me_property(site) if site else None,
            key=rows.me_key(key, caller) if key else None,
            blocks=rules.blocks(caller, account, site),
            rate_limit=rows.rate_limit(call.rate),
            server_time=call.now,
            snapshot_version=await queries.get_snapshot_version(session),
        )
    )


<<<<<<< HEAD
async def _find_user(call: Call, caller: Principal) -> MeUser | None:
    """Columns, not the row: a tenant may not read password hashes."""
    found = await call.session.execute(
        select(
            col(UserRow.id),
            col(UserRow.email),
            col(UserRow.name),
            col(UserRow.email_verified_at),
        ).where(col(UserRow.id) == caller.user_id)
    )
    row = found.one_or_none()
    if row is None:
        return None
    return MeUser(
        id=row.id,
        email=row.email,
        name=row.name,
        email_verified=row.email_verified_at is not None,
    )
=======
async def patch(call: Call) -> Reply:
    body: MePatch = call.body
    await queries.rename_user(call.session, call.principal.user_id, body.name)
    call.object_id = call.principal.user_id
    return await get(call)
>>>>>>> door


ENDPOINTS = (Endpoint(operations.GET, get), Endpoint(operations.PATCH, patch))
