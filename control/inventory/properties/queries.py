"""Database queries for properties, limited to those that the caller may see."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from control.api.listing import contains, equal_to, get_row, newest_first
from control.foundation.principal import Principal
from control.inventory.properties.schemas import PropertyList
from control.storage.tables.accounts import AccountRow
from control.storage.tables.campaigns import AdRow
from control.storage.tables.properties import PropertyRow


async def get_property(
    session: AsyncSession, principal: Principal, property_id: str, *, lock: bool = False
) -> PropertyRow:
    """Returns the property. Raises 404 `not_found`. *lock*: lock the row until the transaction ends."""
    visible = select(PropertyRow).where(visible_to(principal))
    return await get_row(session, visible, col(PropertyRow.id), property_id, lock=lock)


async def list_properties(
    session: AsyncSession, principal: Principal, query: PropertyList, before_id: str | None
) -> Sequence[PropertyRow]:
    """Properties with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    wanted = wanted_properties(principal, query)
    return await newest_first(session, wanted, col(PropertyRow.id), query.limit, before_id)


def wanted_properties(principal: Principal, query: PropertyList) -> SelectOfScalar[PropertyRow]:
    """The list without its order, cursor and limit."""
    return select(PropertyRow).where(
        visible_to(principal),
        *equal_to(query, PropertyRow),
        *contains([col(PropertyRow.name), col(PropertyRow.domain)], query.q),
    )


def visible_to(principal: Principal) -> ColumnElement[bool]:
    """The account's properties; for a key, its own property."""
    found = col(PropertyRow.account_id) == principal.account_id
    if principal.property_id is not None:
        found &= col(PropertyRow.id) == principal.property_id
    return found


async def get_currency(session: AsyncSession, account_id: str) -> str:
    """The account's currency, which applies to all its money."""
    wanted = select(AccountRow.currency).where(col(AccountRow.id) == account_id)
    return (await session.scalars(wanted)).one()


async def known_ads(session: AsyncSession, account_id: str, ids: Sequence[str]) -> frozenset[str]:
    """The ids in *ids* that are ads of the account."""
    wanted = select(AdRow.id).where(col(AdRow.account_id) == account_id, col(AdRow.id).in_(ids))
    return frozenset((await session.scalars(wanted)).all())
