"""The endpoint that starts rotating a shared secret; `control.inventory.signing_secrets.jobs` continues."""

from datetime import timedelta

from common.snapshot.model import ObjectType, SecretState
from control.api.call import Call, Endpoint, Reply
from control.inventory.properties.queries import get_property
from control.inventory.properties.rows import new_secret
from control.inventory.signing_secrets import operations, queries, rules
from control.inventory.signing_secrets.schemas import SecretRotation


async def rotate(call: Call) -> Reply:
    row = await get_property(call.session, call.principal, call.path["id"], lock=True)
    wait = timedelta(seconds=call.control.settings.secret_wait_s)
    secrets = await queries.list_secrets(call.session, row.account_id, row.id)
    rules.check_can_rotate(secrets, wait)
    pending = new_secret(
        row,
        call.control.keys,
        call.now,
        kid=max(secret.kid for secret in secrets) + 1,
        state=SecretState.VERIFY,
    )
    call.session.add(pending)
    await call.session.flush()
    call.changes.touch(ObjectType.PROPERTY, row.id)
    signing = next(secret for secret in secrets if secret.state == SecretState.SIGN)
    answer = SecretRotation(
        property_id=row.id,
        kid=pending.kid,
        state=pending.state,
        signs_at=pending.created_at + wait,
        replaces_kid=signing.kid,
        created_at=pending.created_at,
    )
    return Reply(answer, status=202)


ENDPOINTS = (Endpoint(operations.ROTATE, rotate),)
