"""Hashes a uid as counts and events store it: keyed, and different on each property."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.privacy.person import hash_person
from common.service.secrets import KeyRing, Purpose
from control.storage.tables.properties import PropertyRow


async def find_people(
    session: AsyncSession, keys: KeyRing, account_id: str, uid: str
) -> Sequence[bytes]:
    """
    Hashes for every property of the account and every key of the key file,
    because a replaced key may have been used.
    """
    mine = select(col(PropertyRow.id)).where(col(PropertyRow.account_id) == account_id)
    properties = (await session.scalars(mine)).all()
    derived = [keys.derive(Purpose.PEOPLE, key_id) for key_id in keys.keys]
    return [hash_person(key, name, uid) for name in properties for key in derived]
