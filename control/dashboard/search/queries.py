"""
Objects of the account by a part of their name, or by their id, for the search of all pages.

No operation serves this: each list of the API has one type of object, and a search needs a few of each at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, case, func, literal, select
from sqlalchemy.sql.elements import SQLCoreOperations
from sqlmodel import col

from common.contract.operation import Operation
from common.values.ids import is_uuid
from common.values.keys import KeyKind
from control.api.listing import contains
from control.dashboard.page_request import PageRequest
from control.demand.ads import operations as ads
from control.demand.ads.queries import visible_to as ads_of
from control.demand.assets import operations as assets
from control.demand.assets.queries import visible_to as assets_of
from control.demand.campaigns import operations as campaigns
from control.demand.campaigns.queries import visible_to as campaigns_of
from control.foundation.principal import Principal
from control.identity.members import operations as members
from control.inventory.api_keys import operations as keys
from control.inventory.properties import operations as properties
from control.inventory.properties.queries import visible_to as properties_of
from control.inventory.slots import operations as slots
from control.inventory.slots.queries import visible_to as slots_of
from control.storage.tables.accounts import MembershipRow, UserRow
from control.storage.tables.assets import AssetRow
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.properties import KeyRow, PropertyRow, SlotRow

MAX_OF_TYPE = 6
"""Objects that a search shows of one type."""


@dataclass(frozen=True, slots=True)
class Hit:
    """``detail``: a second line, such as the domain; "" where there is none."""

    label: str
    detail: str
    url: str


@dataclass(frozen=True, slots=True)
class SearchType:
    """
    A type of object that can be found by users who may call *listed*.

    *texts*: the columns that are searched, the name first. *detail*: shown below the name. *path*: the parameters of
    the address of *screen*, by name, as columns. *environment*: None where both environments share the objects.
    """

    title: str
    icon: str
    screen: str
    listed: Operation
    id: SQLCoreOperations[str]
    visible_to: Callable[[Principal], ColumnElement[bool]]
    texts: Sequence[SQLCoreOperations[Any]]
    detail: SQLCoreOperations[Any]
    path: Mapping[str, SQLCoreOperations[Any]]
    environment: SQLCoreOperations[str] | None = None


_NO_DETAIL = literal("")
_SITE = (
    select(col(PropertyRow.name))
    .where(col(PropertyRow.id) == col(SlotRow.property_id))
    .scalar_subquery()
)
_FAMILY = case((col(KeyRow.kind) == KeyKind.INTEGRATION.value, "integration"), else_="sdk")


def _members_of(principal: Principal) -> ColumnElement[bool]:
    return (col(MembershipRow.account_id) == principal.account_id) & (
        col(MembershipRow.user_id) == col(UserRow.id)
    )


SEARCH_TYPES: tuple[SearchType, ...] = (
    SearchType(
        "Campaigns",
        "megaphone",
        "campaign",
        campaigns.LIST,
        col(CampaignRow.id),
        campaigns_of,
        texts=(col(CampaignRow.name),),
        detail=_NO_DETAIL,
        path={"id": col(CampaignRow.id)},
        environment=col(CampaignRow.environment),
    ),
    SearchType(
        "Ads",
        "image",
        "ad",
        ads.LIST,
        col(AdRow.id),
        ads_of,
        texts=(col(AdRow.name),),
        detail=_NO_DETAIL,
        path={"id": col(AdRow.id)},
        environment=col(AdRow.environment),
    ),
    SearchType(
        "Properties",
        "globe",
        "property",
        properties.LIST,
        col(PropertyRow.id),
        properties_of,
        texts=(col(PropertyRow.name), col(PropertyRow.domain)),
        detail=func.coalesce(col(PropertyRow.domain), col(PropertyRow.bundle_id), ""),
        path={"id": col(PropertyRow.id)},
    ),
    SearchType(
        "Slots",
        "panel-top",
        "slot",
        slots.LIST,
        col(SlotRow.id),
        slots_of,
        texts=(col(SlotRow.name), col(SlotRow.key)),
        detail=_SITE,
        path={"id": col(SlotRow.property_id), "slot": col(SlotRow.id)},
    ),
    SearchType(
        "Keys",
        "key",
        "key",
        keys.LIST_SDK,
        col(KeyRow.id),
        lambda principal: col(KeyRow.account_id) == principal.account_id,
        texts=(col(KeyRow.name), col(KeyRow.last4)),
        detail=func.concat("…", col(KeyRow.last4)),
        path={"family": _FAMILY, "id": col(KeyRow.id)},
        environment=col(KeyRow.environment),
    ),
    SearchType(
        "Assets",
        "files",
        "asset",
        assets.LIST,
        col(AssetRow.id),
        assets_of,
        texts=(col(AssetRow.filename),),
        detail=_NO_DETAIL,
        path={"id": col(AssetRow.id)},
        environment=col(AssetRow.environment),
    ),
    SearchType(
        "Members",
        "users",
        "member",
        members.LIST,
        col(MembershipRow.id),
        _members_of,
        texts=(col(UserRow.name), col(UserRow.email)),
        detail=col(UserRow.email),
        path={"id": col(MembershipRow.id)},
    ),
)


async def find_objects(view: PageRequest, sought: str) -> list[tuple[SearchType, Sequence[Hit]]]:
    """
    For each type at most `MAX_OF_TYPE` objects, newest first; without types that have none.

    *sought*: a part of a name, or a whole id. Nothing is found for a text that the database cannot store.
    """
    if not sought or "\0" in sought:
        return []
    kinds = [one for one in SEARCH_TYPES if view.can(one.listed.id)]
    async with view.control.database.tenant(view.caller.account_id) as session:
        found = [
            (
                kind,
                [
                    _hit(view, kind, row)
                    for row in await session.execute(_wanted(view, kind, sought))
                ],
            )
            for kind in kinds
        ]
    return [(kind, hits) for kind, hits in found if hits]


def _wanted(view: PageRequest, kind: SearchType, sought: str) -> Any:
    conditions = [kind.visible_to(view.caller)]
    if kind.environment is not None:
        conditions.append(kind.environment == str(view.environment))
    if is_uuid(sought.lower()):
        conditions.append(kind.id == sought.lower())
    else:
        conditions += contains(kind.texts, sought)
    statement: Any = select(kind.texts[0], kind.detail, *kind.path.values())
    return statement.where(*conditions).order_by(kind.id.desc()).limit(MAX_OF_TYPE)


def _hit(view: PageRequest, kind: SearchType, row: Sequence[Any]) -> Hit:
    name, detail, *values = row
    path = dict(zip(kind.path, values, strict=True))
    label, below = str(name or detail), str(detail or "")
    return Hit(label, "" if below == label else below, view.url(kind.screen, **path))
