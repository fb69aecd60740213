"""A user's counts for frequency caps, which edges keep under a keyed hash of property and uid."""

from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing
from control.identity.privacy_requests.data_places import Search
from control.identity.privacy_requests.hashes import find_people
from control.ports.person_counts import FrequencyCounts


class CapCounts:
    name = "frequency_caps"

    def __init__(self, counts: FrequencyCounts, keys: KeyRing) -> None:
        self._counts = counts
        self._keys = keys

    async def find(self, session: AsyncSession, account_id: str, uid: str) -> Search:
        people = await find_people(session, self._keys, account_id, uid)
        records = [dict(record) for record in await self._counts.read(people)]
        return Search("what edges count for frequency caps, by the uid on each property", records)

    async def erase(self, session: AsyncSession, account_id: str, uid: str) -> int:
        return await self._counts.erase(await find_people(session, self._keys, account_id, uid))
