"""Endpoints of embed sessions: a key gets a secret that opens one window once."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from control.api.authentication import new_token, token_hash
from control.api.authorization import authorize
from control.api.call import Call, Endpoint, Reply
from control.dashboard.embed_sessions import operations, queries, rules
from control.dashboard.embed_sessions.components import NEEDED
from control.dashboard.embed_sessions.schemas import (
    EmbedContext,
    EmbedSessionCreate,
    EmbedSessionCreated,
)
from control.demand.campaigns.queries import get_campaign

SECRET_PREFIX = "cs_"


async def create(call: Call) -> Reply:
    body: EmbedSessionCreate = call.body
    caller, settings = call.principal, call.control.settings
    needs = dict.fromkeys(call.operation.auth, NEEDED[body.component])
    authorize(replace(call.operation, needs=needs), caller)
    rules.check_fits(body, caller.environment)
    await _check_campaign(call, body.context)
    secret = new_token(SECRET_PREFIX)
    columns: dict[str, Any] = {
        "account_id": caller.account_id,
        "property_id": caller.property_id,
        "key_id": caller.key_id,
        "component": body.component.value,
        "origin": body.origin,
        "context": body.context.model_dump(mode="json", exclude_none=True),
        "secret_hash": token_hash(secret),
        "created_at": call.now,
        "expires_at": call.now + timedelta(seconds=settings.embed_secret_s),
    }
    row = queries.add_session(call.session, columns)
    call.object_id = row.id
    call.detail |= {"component": row.component, "origin": row.origin}
    url = f"{settings.control_url.rstrip('/')}/embed?cs={secret}"
    made = EmbedSessionCreated(client_secret=secret, url=url, expires_at=row.expires_at)
    return Reply(made, status=201, secret=True)


ENDPOINTS = (Endpoint(operations.CREATE, create),)


async def _check_campaign(call: Call, context: EmbedContext) -> None:
    """Raises the 404, also for a campaign of the other environment."""
    if context.campaign_id is not None:
        await get_campaign(call.session, call.principal, context.campaign_id)
