"""The audit log: who did what to which object, from where; written in the transaction of the act itself."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from common.ids import new_id
from control.call import Call, Reply
from control.principal import Principal
from control.tables.accounts import AuditRow


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
) -> None:
    """*actor* is ``user:…``, ``key:…`` or ``operator``; *origin* an address, or ``admin`` for the command line."""
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
        )
    )


def record_act(call: Call, reply: Reply) -> None:
    """
    The line of a call that changed something: every write of a known caller leaves one, no endpoint knows of it.

    Public operations know whose account it is only inside, and call `record`.
    """
    caller = call.caller
    if caller is None or call.operation.method == "GET":
        return
    record(
        call.session,
        account_id=caller.account_id,
        now=call.now,
        actor=actor_of(caller),
        action=call.operation.id,
        object_type=call.operation.object_type,
        object_id=_object_id(call, reply) or caller.account_id,
        origin=call.client_ip,
    )


def actor_of(caller: Principal) -> str:
    return f"key:{caller.key_id}" if caller.key_id else f"user:{caller.user_id}"


def _object_id(call: Call, reply: Reply) -> str | None:
    return call.object_id or call.path.get("id") or getattr(reply.body, "id", None)
