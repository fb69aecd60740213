"""The audit log: who did what to which object, from where; written in the transaction of the act itself."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from common.ids import new_id
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
