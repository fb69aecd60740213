"""The endpoint that describes the caller: its identity, its permissions, its environment, and what blocks it."""

from datetime import datetime

from common.contract.operation import Auth
from control.api.call import Call, Endpoint, Reply
from control.api.key_status import is_rotation_due
from control.foundation.principal import Principal
from control.foundation.rate_limit import RateStatus
from control.foundation.resource_models import from_row
from control.identity.accounts.schemas import account_public
from control.identity.me import operations, queries, rules
from control.identity.me.schemas import MeKey, MePatch, MeProperty, MePublic, RateLimitPublic
from control.storage.tables.properties import KeyRow


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
            property=from_row(MeProperty, site) if site else None,
            key=_key(key, caller, call.now) if key else None,
            keys_to_rotate=await queries.count_keys_to_rotate(session, caller, call.now),
            blocks=rules.blocks(caller, account, site),
            rate_limit=_rate_limit(call.rate),
            server_time=call.now,
            snapshot_version=await queries.get_snapshot_version(session),
        )
    )


async def patch(call: Call) -> Reply:
    body: MePatch = call.body
    await queries.change_user(
        call.session, call.principal.user_id, body.model_dump(mode="json", exclude_unset=True)
    )
    call.object_id = call.principal.user_id
    return await get(call)


ENDPOINTS = (Endpoint(operations.GET, get), Endpoint(operations.PATCH, patch))


def _key(row: KeyRow, caller: Principal, now: datetime) -> MeKey:
    return from_row(
        MeKey,
        row,
        creator_is_member=caller.role is not None,
        rotation_due=is_rotation_due(row, now),
    )


def _rate_limit(rate_status: RateStatus) -> RateLimitPublic:
    rate = rate_status.rate
    return RateLimitPublic(
        calls_per_second=int(rate.count / rate.period_s), burst=rate.burst, left=rate_status.left
    )
