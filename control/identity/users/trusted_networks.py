"""Networks on which a user has proved their identity: attempts by others elsewhere cannot lock the user out there."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.http.client_address import network_of
from control.storage.tables.people import KnownOriginRow


async def remember_network(
    session: AsyncSession, user_id: str, address: str, now: datetime
) -> None:
    """Call this after a correct password, or a token that was mailed to the user."""
    await session.execute(
        insert(KnownOriginRow)
        .values(user_id=user_id, network=network_of(address), seen_at=now)
        .on_conflict_do_update(index_elements=["user_id", "network"], set_={"seen_at": now})
    )


async def is_known_network(session: AsyncSession, user_id: str, address: str) -> bool:
    found = await session.scalar(
        select(col(KnownOriginRow.network)).where(
            col(KnownOriginRow.user_id) == user_id,
            col(KnownOriginRow.network) == network_of(address),
        )
    )
    return found is not None
