"""From which networks a person proved who they are: there, nobody else's guesses keep them out."""

from datetime import datetime
from ipaddress import IPv6Address, ip_address, ip_network

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from control.tables.people import KnownOriginRow

_SITE_BITS = 64
"""Of an IPv6 address: whoever has one has all the others behind it."""


def network_of(address: str) -> str:
    """What attempts are counted for: an IPv4 address, the /64 of an IPv6 one, the text itself where it is neither."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, _SITE_BITS), strict=False))


async def note_origin(session: AsyncSession, user_id: str, address: str, now: datetime) -> None:
    """Call where a password, or a token that only their mailbox had, was right."""
    await session.execute(
        insert(KnownOriginRow)
        .values(user_id=user_id, network=network_of(address), seen_at=now)
        .on_conflict_do_update(index_elements=["user_id", "network"], set_={"seen_at": now})
    )


async def is_known_origin(session: AsyncSession, user_id: str, address: str) -> bool:
    found = await session.scalar(
        select(col(KnownOriginRow.network)).where(
            col(KnownOriginRow.user_id) == user_id,
            col(KnownOriginRow.network) == network_of(address),
        )
    )
    return found is not None
