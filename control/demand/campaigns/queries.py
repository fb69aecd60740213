"""Database queries for campaigns, limited to those that the caller may see."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, func, literal, tuple_
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from common.values.enums import AdStatus
from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused, not_found
from common.values.messages import Message
from control.api.listing import equal_to, get_row, read_only
from control.demand.campaigns.schemas import CampaignList, Sort
from control.foundation.principal import Principal
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.properties import PropertyRow, SlotRow


async def get_campaign(
    session: AsyncSession, principal: Principal, campaign_id: str, *, lock: bool = False
) -> CampaignRow:
    """Returns the campaign. Raises 404 `not_found`. *lock*: lock the row until the transaction ends."""
    visible = _visible(principal)
    return await get_row(session, visible, col(CampaignRow.id), campaign_id, lock=lock)


async def hold_campaign(
    session: AsyncSession, principal: Principal, campaign_id: str
) -> CampaignRow:
    """
    As `get_campaign`. The campaign cannot change until the transaction ends; others may hold it, too.

    Lock an ad before its campaign: no transaction locks an ad after a campaign.
    """
    held = _visible(principal).with_for_update(read=True)
    return await get_row(session, held, col(CampaignRow.id), campaign_id)


async def check_campaigns(
    session: AsyncSession, principal: Principal, environment: Environment, ids: Sequence[str]
) -> None:
    """*ids*: distinct UUIDs. Raises 404 `not_found` if the caller may not see one of them in *environment*."""
    wanted = select(func.count()).where(
        visible_to(principal),
        col(CampaignRow.environment) == environment.value,
        col(CampaignRow.id).in_(ids),
    )
    if await session.scalar(wanted) != len(ids):
        raise not_found()


async def list_campaigns(
    session: AsyncSession,
    principal: Principal,
    environment: Environment,
    query: CampaignList,
    after: list[Any] | None,
) -> Sequence[CampaignRow]:
    """
    In the requested order, after the position *after* (see `position`);
    one more than the limit if there are more.
    """
    wanted = wanted_campaigns(principal, environment, query)
    names, backwards = _ORDERS[query.sort]
    columns = [col(getattr(CampaignRow, name)) for name in names]
    if after is not None:
        here = tuple_(
            *(literal(_parsed(name, value)) for name, value in zip(names, after, strict=True))
        )
        place = tuple_(*columns)
        wanted = wanted.where(place < here if backwards else place > here)
    order = [column.desc() if backwards else column.asc() for column in columns]
    return await read_only(session, CampaignRow, wanted.order_by(*order).limit(query.limit + 1))


def wanted_campaigns(
    principal: Principal, environment: Environment, query: CampaignList
) -> SelectOfScalar[CampaignRow]:
    """The list without its order, cursor and limit."""
    return _visible(principal).where(
        col(CampaignRow.environment) == environment.value, *_filters(query)
    )


def position(sort: Sort, row: CampaignRow) -> list[Any]:
    """The position of *row* in that order, as JSON values; the next page starts after it."""
    values = [getattr(row, name) for name in _ORDERS[sort][0]]
    return [value.isoformat() if isinstance(value, datetime) else value for value in values]


_ORDERS: dict[Sort, tuple[tuple[str, ...], bool]] = {
    Sort.NEWEST: (("id",), True),
    Sort.OLDEST: (("id",), False),
    Sort.BY_NAME: (("name_key", "id"), False),
    Sort.BY_NAME_BACKWARDS: (("name_key", "id"), True),
    Sort.FIRST_CHANGED: (("updated_at", "id"), False),
    Sort.LAST_CHANGED: (("updated_at", "id"), True),
}
"""Columns, and whether descending. An id starts with its creation time, so its order is that of creation."""


def _parsed(name: str, value: str) -> str | datetime:
    """The reverse of `position`, for one column."""
    return datetime.fromisoformat(value) if name == "updated_at" else value


def _filters(query: CampaignList) -> list[ColumnElement[bool]]:
    found = equal_to(query, CampaignRow)
    if query.property_id is not None:
        alone = col(CampaignRow.only_property_id)
        with_others = col(CampaignRow.property_ids).contains([query.property_id])
        found.append((alone == query.property_id) | (alone.is_(None) & with_others))
    if query.q is not None:
        found.append(func.strpos(col(CampaignRow.name_key), func.lower(query.q)) > 0)
    if query.updated_since is not None:
        found.append(col(CampaignRow.updated_at) >= query.updated_since)
    return found


def visible_to(principal: Principal) -> ColumnElement[bool]:
    """
    The account's campaigns. An integration key sees those of its environment that run on its property alone, because a
    campaign of two properties also belongs to the other.
    """
    return _within(principal.account_id, principal.environment, principal.property_id)


def _within(
    account_id: str, environment: Environment | None, property_id: str | None
) -> ColumnElement[bool]:
    found = col(CampaignRow.account_id) == account_id
    if environment is not None:
        found &= col(CampaignRow.environment) == environment.value
    if property_id is not None:
        found &= col(CampaignRow.only_property_id) == property_id
    return found


def _visible(principal: Principal) -> SelectOfScalar[CampaignRow]:
    return _campaigns_within(principal.account_id, principal.environment, principal.property_id)


@lru_cache(maxsize=1024)
def _campaigns_within(
    account_id: str, environment: Environment | None, property_id: str | None
) -> SelectOfScalar[CampaignRow]:
    """Cached, because building the statement takes longer than sending it."""
    return select(CampaignRow).where(_within(account_id, environment, property_id))


async def save_campaign(session: AsyncSession, row: CampaignRow) -> None:
    """Write the row now. Raises 409 `already_exists` if another campaign has the same `external_ref`."""
    session.add(row)
    try:
        await session.flush()
    except IntegrityError as error:
        if "uq_campaigns_external_ref" not in str(error.orig):
            raise
        raise Refused(
            ErrorCode.ALREADY_EXISTS,
            Message(
                "Another campaign in this environment has this `external_ref`. Use that campaign, or "
                "another reference."
            ),
            param="external_ref",
        ) from error


async def list_properties_named(
    session: AsyncSession, principal: Principal, property_ids: Sequence[str]
) -> list[PropertyRow]:
    """In the requested order. Raises 404 `not_found` if the caller may not see one of them."""
    if principal.property_id is not None and list(property_ids) != [principal.property_id]:
        raise not_found()
    wanted = select(PropertyRow).where(
        col(PropertyRow.account_id) == principal.account_id, col(PropertyRow.id).in_(property_ids)
    )
    found = {row.id: row for row in await session.scalars(wanted)}
    if len(found) < len(property_ids):
        raise not_found()
    return [found[property_id] for property_id in property_ids]


async def find_foreign_slots(
    session: AsyncSession, account_id: str, property_ids: Sequence[str], slot_ids: Sequence[str]
) -> list[str]:
    """The ids in *slot_ids* that are no slots of the properties."""
    if not slot_ids:
        return []
    wanted = select(SlotRow.id).where(
        col(SlotRow.account_id) == account_id,
        col(SlotRow.property_id).in_(property_ids),
        col(SlotRow.id).in_(slot_ids),
    )
    known = set(await session.scalars(wanted))
    return [slot_id for slot_id in slot_ids if slot_id not in known]


async def list_slots_of_ads(
    session: AsyncSession, campaign: CampaignRow
) -> Sequence[tuple[str, list[str]]]:
    """Id and named slots (``slot_ids`` and targeting) of the campaign's ads that name slots and are not archived."""
    wanted = select(AdRow.id, AdRow.slot_ids, AdRow.targeting).where(
        col(AdRow.account_id) == campaign.account_id,
        col(AdRow.campaign_id) == campaign.id,
        col(AdRow.status) != AdStatus.ARCHIVED.value,
    )
    found = []
    for ad_id, slot_ids, targeting in await session.execute(wanted):
        named = targeting.get("slots", {})
        every = [*slot_ids, *named.get("include", ()), *named.get("exclude", ())]
        if every:
            found.append((ad_id, every))
    return found


async def list_ads_to_clone(
    session: AsyncSession, campaign: CampaignRow, *, limit: int
) -> Sequence[AdRow]:
    """The campaign's ads that are not archived, oldest first."""
    wanted = (
        select(AdRow)
        .where(
            col(AdRow.account_id) == campaign.account_id,
            col(AdRow.campaign_id) == campaign.id,
            col(AdRow.status) != AdStatus.ARCHIVED.value,
        )
        .order_by(col(AdRow.id))
        .limit(limit)
    )
    return (await session.scalars(wanted)).all()
