"""Keys in the database; signed-in users only, so the account is the whole of what is seen."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.errors import not_found
from common.ids import is_uuid
from common.keys import KeyKind
from control.keys.schemas import KeyList
from control.tables.properties import KeyRow

SDK_KINDS = (KeyKind.PUBLISHABLE.value, KeyKind.SECRET.value)
INTEGRATION_KINDS = (KeyKind.INTEGRATION.value,)


async def get_key(
    session: AsyncSession, account_id: str, key_id: str, kinds: Sequence[str]
) -> KeyRow:
    """Held until the transaction ends. Raises the 404, also where the key is of another kind."""
    if not is_uuid(key_id):
        raise not_found()
    wanted = select(KeyRow).where(
        col(KeyRow.account_id) == account_id,
        col(KeyRow.id) == key_id,
        col(KeyRow.kind).in_(kinds),
    )
    found = await session.scalar(wanted.with_for_update())
    if found is None:
        raise not_found()
    return found


async def list_keys(
    session: AsyncSession,
    account_id: str,
    kinds: Sequence[str],
    query: KeyList,
    before_id: str | None,
) -> Sequence[KeyRow]:
    """Newest first, from behind *before_id*; one more than the limit where there is more."""
    wanted = select(KeyRow).where(col(KeyRow.account_id) == account_id, col(KeyRow.kind).in_(kinds))
    if query.property_id is not None:
        wanted = wanted.where(col(KeyRow.property_id) == query.property_id)
    if query.environment is not None:
        wanted = wanted.where(col(KeyRow.environment) == query.environment.value)
    if before_id is not None:
        wanted = wanted.where(col(KeyRow.id) < before_id)
    return (
        await session.scalars(wanted.order_by(col(KeyRow.id).desc()).limit(query.limit + 1))
    ).all()
