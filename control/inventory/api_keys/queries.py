"""Database queries for keys. Callers are signed-in users, so they see all keys of the account."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import func
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from common.values.keys import KeyKind
from control.api.key_status import KeyStatus, has_status
from control.api.listing import contains, get_row, newest_first
from control.inventory.api_keys.rules import PropertyReadiness
from control.inventory.api_keys.schemas import KeyList, SdkKeyList
from control.storage.tables.accounts import AccountRow
from control.storage.tables.properties import KeyMinuteRow, KeyRow, PropertyRow

SDK_KINDS = (KeyKind.PUBLISHABLE.value, KeyKind.SECRET.value)
INTEGRATION_KINDS = (KeyKind.INTEGRATION.value,)


async def get_key(
    session: AsyncSession,
    account_id: str,
    key_id: str,
    kinds: Sequence[str],
    *,
    lock: bool = False,
) -> KeyRow:
    """*lock*: lock the row until the transaction ends. Raises 404 `not_found`, also if the key is of another kind."""
    own = select(KeyRow).where(col(KeyRow.account_id) == account_id, col(KeyRow.kind).in_(kinds))
    return await get_row(session, own, col(KeyRow.id), key_id, lock=lock)


async def list_keys(
    session: AsyncSession,
    account_id: str,
    kinds: Sequence[str],
    query: KeyList,
    *,
    now: datetime,
    before_id: str | None,
) -> Sequence[KeyRow]:
    """Keys with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    wanted = wanted_keys(account_id, kinds, query, now)
    return await newest_first(session, wanted, col(KeyRow.id), query.limit, before_id)


def wanted_keys(
    account_id: str, kinds: Sequence[str], query: KeyList, now: datetime
) -> SelectOfScalar[KeyRow]:
    """The list without its order, cursor and limit."""
    wanted = select(KeyRow).where(
        col(KeyRow.account_id) == account_id,
        col(KeyRow.kind).in_(kinds),
        *contains([col(KeyRow.name)], query.q),
    )
    if query.status is not None:
        wanted = wanted.where(has_status(query.status, now))
    if query.property_id is not None:
        wanted = wanted.where(col(KeyRow.property_id) == query.property_id)
    if isinstance(query, SdkKeyList) and query.kind is not None:
        wanted = wanted.where(col(KeyRow.kind) == query.kind.value)
    if query.environment is not None:
        wanted = wanted.where(col(KeyRow.environment) == query.environment.value)
    return wanted


async def count_active(
    session: AsyncSession, account_id: str, property_id: str, kind: str, now: datetime
) -> int:
    """
    The number of active keys.
    Lock the property first, or two concurrent calls may both find room for the last key.
    """
    counted = await session.scalar(
        select(func.count())
        .select_from(KeyRow)
        .where(
            col(KeyRow.account_id) == account_id,
            col(KeyRow.property_id) == property_id,
            col(KeyRow.kind) == kind,
            has_status(KeyStatus.ACTIVE, now),
        )
    )
    return counted or 0


async def count_calls(session: AsyncSession, key_id: str, since: datetime) -> int:
    """
    Calls that edges counted in the minutes after *since*.

    For the key's page, whose reader is about to revoke it: the API has the time of the last use alone.
    """
    minutes = select(func.sum(col(KeyMinuteRow.count))).where(
        col(KeyMinuteRow.key_id) == key_id, col(KeyMinuteRow.minute) > since
    )
    return int(await session.scalar(minutes) or 0)


async def property_readiness(
    session: AsyncSession, account_id: str, property_ids: Iterable[str]
) -> dict[str, PropertyReadiness]:
    """`PropertyReadiness` by property id."""
    found = await session.execute(
        select(
            col(PropertyRow.id),
            col(PropertyRow.status),
            col(AccountRow.address_verified_at).is_not(None),
        )
        .join(AccountRow, col(AccountRow.id) == col(PropertyRow.account_id))
        .where(
            col(PropertyRow.account_id) == account_id, col(PropertyRow.id).in_(set(property_ids))
        )
    )
    return {row.id: PropertyReadiness(*row[1:]) for row in found}
