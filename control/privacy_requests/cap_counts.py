"""A person's counts for frequency caps, which edges keep under a keyed hash of property and uid."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.privacy.person import hash_person
from common.secrets import KeyRing, Purpose
from control.ports.person_counts import PersonCounts
from control.privacy_requests.places import Search
from control.tables.properties import PropertyRow


class CapCounts:
    """On every property of the account, under every key of the key file: one that was replaced may have counted."""

    name = "frequency_caps"

    def __init__(self, counts: PersonCounts, keys: KeyRing) -> None:
        self._counts = counts
        self._keys = keys

    async def find(self, session: AsyncSession, account_id: str, uid: str) -> Search:
        people = await self._people(session, account_id, uid)
        records = [dict(record) for record in await self._counts.read(people)]
        return Search("what edges count for frequency caps, by the uid on each property", records)

    async def erase(self, session: AsyncSession, account_id: str, uid: str) -> int:
        return await self._counts.erase(await self._people(session, account_id, uid))

    async def _people(self, session: AsyncSession, account_id: str, uid: str) -> Sequence[bytes]:
        mine = select(col(PropertyRow.id)).where(col(PropertyRow.account_id) == account_id)
        properties = (await session.scalars(mine)).all()
        derived = [self._keys.derive(Purpose.PEOPLE, key_id) for key_id in self._keys.keys]
        return [hash_person(key, name, uid) for name in properties for key in derived]
