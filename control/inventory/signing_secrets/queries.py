"""Database queries for a property's shared secrets, and for properties whose secrets are due for a change."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.snapshot.model import SecretState
from control.delivery.edge_status.queries import list_living, read_head
from control.inventory.signing_secrets.rules import LONGEST_COUNTED, RETIRED
from control.outbox.objects import CLICK_RETENTION
from control.storage.tables.properties import PropertyRow, PropertySecretRow

_RECORD_KNOWN_VERSION = text("""
update property_secrets set known_version = head.version from snapshot_head head
where state = 'verify' and signed_until is null and known_version is null
""")


async def list_secrets(
    session: AsyncSession, account_id: str, property_id: str
) -> Sequence[PropertySecretRow]:
    """Oldest first. Lock the property first, because its secrets change together."""
    wanted = (
        select(PropertySecretRow)
        .where(
            col(PropertySecretRow.account_id) == account_id,
            col(PropertySecretRow.property_id) == property_id,
        )
        .order_by(col(PropertySecretRow.kid))
    )
    return (await session.scalars(wanted)).all()


async def record_known_version(session: AsyncSession) -> None:
    """Set the known version of new secrets to the head's, which includes them: it was committed with them or later."""
    await session.execute(_RECORD_KNOWN_VERSION)


async def read_acknowledged(session: AsyncSession, now: datetime) -> int | None:
    """The lowest version among living workers; None if no worker lives, or one is in another epoch."""
    living, head = await list_living(session, now), await read_head(session)
    if not living or any(row.epoch != head.epoch for row in living):
        return None
    return min(row.version for row in living)


async def list_moving(
    session: AsyncSession,
    now: datetime,
    wait: timedelta,
    acknowledged: int | None,
    *,
    limit: int,
) -> Sequence[str]:
    """Properties with a secret that may sign, retire or be deleted. The session is the service's."""
    state, made = col(PropertySecretRow.state), col(PropertySecretRow.created_at)
    ended = col(PropertySecretRow.signed_until)
    waits = state == SecretState.VERIFY.value
    known = col(PropertySecretRow.known_version) <= (-1 if acknowledged is None else acknowledged)
    moves = (
        (waits & ended.is_(None) & (known | (made <= now - wait)))
        | (waits & (ended <= now - wait - LONGEST_COUNTED))
        | ((state == RETIRED) & (ended <= now - wait - CLICK_RETENTION))
    )
    wanted = select(col(PropertySecretRow.property_id)).where(moves).distinct().limit(limit)
    return (await session.scalars(wanted)).all()


async def find_locked(session: AsyncSession, property_id: str) -> PropertyRow | None:
    return await session.get(PropertyRow, property_id, with_for_update=True)
