"""Database queries for slots, limited to those that the caller may see."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, func
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from common.values.enums import SlotStatus
from common.values.errors import ErrorCode, Refused
from common.values.ids import is_uuid
from common.values.messages import Message
from control.api.listing import contains, equal_to, get_row, newest_first
from control.foundation.principal import Principal
from control.inventory.slots.schemas import SlotList
from control.storage.tables.campaigns import AdRow
from control.storage.tables.properties import SlotRow


async def get_slot(
    session: AsyncSession, principal: Principal, slot_id: str, *, lock: bool = False
) -> SlotRow:
    """Returns the slot. Raises 404 `not_found`. *lock*: lock the row until the transaction ends."""
    visible = select(SlotRow).where(visible_to(principal))
    return await get_row(session, visible, col(SlotRow.id), slot_id, lock=lock)


async def list_slots(
    session: AsyncSession, principal: Principal, query: SlotList, before_id: str | None
) -> Sequence[SlotRow]:
    """Slots with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    wanted = wanted_slots(principal, query)
    return await newest_first(session, wanted, col(SlotRow.id), query.limit, before_id)


def wanted_slots(principal: Principal, query: SlotList) -> SelectOfScalar[SlotRow]:
    """The list without its order, cursor and limit."""
    return select(SlotRow).where(
        visible_to(principal),
        *equal_to(query, SlotRow),
        *contains([col(SlotRow.name), col(SlotRow.key)], query.q),
    )


async def formats_of_slots(
    session: AsyncSession, principal: Principal, property_ids: Sequence[str]
) -> frozenset[str]:
    """Formats that an active slot of these properties accepts; of any property where *property_ids* is empty."""
    wanted = select(func.jsonb_array_elements_text(SlotRow.formats)).where(
        visible_to(principal), col(SlotRow.status) == SlotStatus.ACTIVE.value
    )
    if property_ids:
        wanted = wanted.where(col(SlotRow.property_id).in_(property_ids))
    return frozenset((await session.scalars(wanted.distinct())).all())


def visible_to(principal: Principal) -> ColumnElement[bool]:
    """The account's slots; for a key, those of its property."""
    found = col(SlotRow.account_id) == principal.account_id
    if principal.property_id is not None:
        found &= col(SlotRow.property_id) == principal.property_id
    return found


async def check_key_free(session: AsyncSession, row: SlotRow) -> None:
    """Raises 409 if the new *row*'s key is the id of a slot of its property, because ``?slot=`` accepts both."""
    if is_uuid(row.key):
        named = await session.get(SlotRow, row.key)
        if named is not None and named.property_id == row.property_id:
            raise _taken(row.key)


async def save_slot(session: AsyncSession, row: SlotRow) -> None:
    """Write the row now. Raises 409 `already_exists` if the property has a slot with this key."""
    key = row.key
    session.add(row)
    try:
        await session.flush()
    except IntegrityError as error:
        if "uq_slots_property_id" not in str(error.orig):
            raise
        raise _taken(key) from error


def _taken(key: str) -> Refused:
    return Refused(
        ErrorCode.ALREADY_EXISTS,
        Message(
            "The property already has a slot with the key {key}. Use that slot, or another key.",
            key=key,
        ),
        param="key",
    )


async def find_ad(session: AsyncSession, account_id: str, ad_id: str) -> AdRow | None:
    wanted = select(AdRow).where(col(AdRow.account_id) == account_id, col(AdRow.id) == ad_id)
    return await session.scalar(wanted)
