"""The audit log: actor, action, object and origin of each act, written in the transaction of the act itself."""

from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from common.values.environment import Environment
from common.values.ids import new_id
from control.api.audit_changes import state_changes_of
from control.api.call import Call, Reply
from control.foundation.principal import Principal
from control.storage.tables.accounts import AuditRow


def record(
    session: AsyncSession,
    *,
    account_id: str,
    now: datetime,
    actor: str,
    action: str,
    object_type: str,
    object_id: str,
    origin: str,
    request_id: str | None = None,
    environment: str | None = None,
    detail: dict[str, Any] | None = None,
) -> None:
    """
    *actor* is ``user:…``, ``key:…``, ``operator`` or ``system``. *origin* is an address, ``admin`` for the command
    line, or ``work`` for a job. *detail* is JSON without any secret's value.
    """
    session.add(
        AuditRow(
            id=new_id(),
            account_id=account_id,
            at=now,
            actor=actor,
            action=action,
            object_type=object_type,
            object_id=object_id,
            origin=origin,
            request_id=request_id,
            environment=environment,
            detail=detail or {},
        )
    )


def record_job(
    session: AsyncSession,
    account_id: str,
    action: str,
    object_id: str,
    *,
    now: datetime,
    detail: dict[str, Any] | None = None,
) -> None:
    """Records what a job did. *action* begins with the type of the object: ``property.secret_signs``."""
    record(
        session,
        account_id=account_id,
        now=now,
        actor="system",
        action=action,
        object_type=action.partition(".")[0],
        object_id=object_id,
        origin="work",
        detail=detail,
    )


def record_person(
    call: Call, user_id: str, *, account_id: str, action: str, object_type: str, object_id: str
) -> None:
    """Records a public call whose user only the handler determines."""
    record(
        call.session,
        account_id=account_id,
        now=call.now,
        actor=f"user:{user_id}",
        action=action,
        object_type=object_type,
        object_id=object_id,
        origin=call.client_ip,
        request_id=call.request_id,
    )


def record_act(call: Call, reply: Reply) -> None:
    """
    Records an authenticated call that changed something. Dispatch does this for every write, not the endpoints.

    Call it when everything is flushed. Public operations determine the account in their handler: `record_person`.
    """
    caller = call.caller
    if caller is None or call.operation.method == "GET" or call.operation.reads:
        return
    object_id = _object_id(call, reply) or caller.account_id
    record(
        call.session,
        account_id=caller.account_id,
        now=call.now,
        actor=actor_of(caller),
        action=call.operation.id,
        object_type=call.operation.object_type,
        object_id=object_id,
        origin=call.client_ip,
        request_id=call.request_id,
        environment=_environment(call, reply),
        detail=_detail(call, object_id),
    )


def actor_of(caller: Principal) -> str:
    return f"key:{caller.key_id}" if caller.key_id else f"user:{caller.user_id}"


def _object_id(call: Call, reply: Reply) -> str | None:
    return call.object_id or call.path.get("id") or getattr(reply.body, "id", None)


def _environment(call: Call, reply: Reply) -> str | None:
    """The environment of the key, the query or the returned object; None for objects that both environments share."""
    requested = call.principal.environment or getattr(call.query, "environment", None)
    if requested is None and (is_test := getattr(reply.body, "is_test", None)) is not None:
        requested = Environment.TEST if is_test else Environment.LIVE
    return requested.value if requested else None


def _detail(call: Call, object_id: str) -> dict[str, Any]:
    detail: dict[str, Any] = dict(state_changes_of(call.session, object_id))
    if call.operation.method == "PATCH" and call.body is not None:
        detail["fields"] = sorted(call.body.model_fields_set)
    return detail | call.detail
