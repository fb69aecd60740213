"""The data that earlier exports of the same person still show."""

from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing
from control.identity.privacy_requests.data_places import Search
from control.identity.privacy_requests.rules import uid_hashes

_SHOWS_DATA = "jsonb_path_exists(found, '$[*].data[*]')"
_MINE = f"account_id = :account and uid_hash = any(:hashes) and {_SHOWS_DATA}"
_FIND = text(f"select id, done_at from privacy_requests where {_MINE} order by id")  # noqa: S608 - constants only
_EMPTIED = """
update privacy_requests set found = (
    select jsonb_agg(place || '{"data": []}' order by number)
    from jsonb_array_elements(found) with ordinality as places(place, number)
)
"""
_EMPTY = text(f"{_EMPTIED} where {_MINE} returning id")
_EMPTY_OLD = text(f"{_EMPTIED} where done_at < :before and {_SHOWS_DATA}")


async def empty_exports(session: AsyncSession, *, before: datetime) -> None:
    """Empty the data of all exports that were answered before *before*. Runs as the service."""
    await session.execute(_EMPTY_OLD, {"before": before})


class EarlierExports:
    """Finds which requests show data, without repeating that data. Erasing keeps their counts."""

    name = "privacy_requests"

    def __init__(self, keys: KeyRing) -> None:
        self._keys = keys

    async def find(self, session: AsyncSession, account_id: str, uid: str) -> Search:
        rows = await session.execute(_FIND, self._scope(account_id, uid))
        records = [{"request": row.id, "done_at": str(row.done_at)} for row in rows]
        return Search(
            "earlier requests by a keyed hash of the uid that show exported data", records
        )

    async def erase(self, session: AsyncSession, account_id: str, uid: str) -> int:
        emptied = await session.execute(_EMPTY, self._scope(account_id, uid))
        return len(emptied.all())

    def _scope(self, account_id: str, uid: str) -> dict[str, object]:
        return {"account": account_id, "hashes": uid_hashes(uid, account_id, self._keys)}
