"""
The types of objects that fields choose from, and how their choices are queried.

The API's lists do not serve a field: of them only that of campaigns searches by name, and none has labels. So each type
has here the filter of its list (``visible_to``), and its objects are found by any part of their label.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, String, case, cast, func, or_, select
from sqlalchemy.sql.elements import SQLCoreOperations
from sqlmodel import col

from common.contract.operation import Operation
from common.values.enums import AdStatus, AssetStatus, CampaignStatus, SlotStatus
from common.values.ids import is_uuid
from control.dashboard.page_request import PageRequest
from control.demand.ads import operations as ads
from control.demand.ads.queries import visible_to as ads_of
from control.demand.assets import operations as assets
from control.demand.assets.queries import visible_to as assets_of
from control.demand.campaigns import operations as campaigns
from control.demand.campaigns.queries import visible_to as campaigns_of
from control.foundation.principal import Principal
from control.identity.members import operations as members
from control.identity.members.queries import members_of
from control.inventory.properties import operations as properties
from control.inventory.properties.queries import visible_to as properties_of
from control.inventory.slots import operations as slots
from control.inventory.slots.queries import visible_to as slots_of
from control.storage.tables.accounts import UserRow
from control.storage.tables.assets import AssetRow
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.properties import PropertyRow, SlotRow

MAX_CHOICES = 50
"""Choices that a field offers at once."""

Choice = tuple[str, str]
"""Value and label."""
Narrow = Callable[[Sequence[str]], ColumnElement[bool]]


@dataclass(frozen=True, slots=True)
class ObjectType:
    """
    Users who may call *listed* may choose.

    ``offered``: which may be newly chosen; None: all. ``narrows``: filters that a field may apply, by name, each a
    function of the allowed values. ``environment``: None where both share the objects. ``prefix``: put before the id in
    a value.
    """

    name: str
    listed: Operation
    row: Any
    visible_to: Callable[[Principal], ColumnElement[bool]]
    label: SQLCoreOperations[str]
    offered: ColumnElement[bool] | None = None
    narrows: Mapping[str, Narrow] = field(default_factory=dict)
    environment: SQLCoreOperations[str] | None = None
    prefix: str = ""


def _takes_format(formats: Sequence[str]) -> ColumnElement[bool]:
    return or_(*(col(SlotRow.formats).contains([one]) for one in formats))


_SITE = select(col(PropertyRow.name)).where(col(PropertyRow.id) == col(SlotRow.property_id))
_SIZE = func.concat(" (", cast(AssetRow.width, String), " × ", cast(AssetRow.height, String), ")")

PROPERTY = ObjectType(
    "property", properties.LIST, PropertyRow, properties_of, label=col(PropertyRow.name)
)
SLOT = ObjectType(
    "slot",
    slots.LIST,
    SlotRow,
    slots_of,
    label=func.concat(SlotRow.name, " (", _SITE.scalar_subquery(), ")"),
    offered=col(SlotRow.status) == SlotStatus.ACTIVE.value,
    narrows={
        "property_id": lambda ids: col(SlotRow.property_id).in_(ids),
        "format": _takes_format,
    },
)
CAMPAIGN = ObjectType(
    "campaign",
    campaigns.LIST,
    CampaignRow,
    campaigns_of,
    label=col(CampaignRow.name),
    environment=col(CampaignRow.environment),
)
OPEN_CAMPAIGN = ObjectType(
    "open_campaign",
    campaigns.LIST,
    CampaignRow,
    campaigns_of,
    label=col(CampaignRow.name),
    offered=col(CampaignRow.status) != CampaignStatus.ARCHIVED.value,
    environment=col(CampaignRow.environment),
)
"""A campaign that still takes ads."""
AD = ObjectType(
    "ad",
    ads.LIST,
    AdRow,
    ads_of,
    label=func.concat(AdRow.name, " (", AdRow.format, ")"),
    offered=col(AdRow.status) == AdStatus.ACTIVE.value,
    environment=col(AdRow.environment),
)
ASSET = ObjectType(
    "asset",
    assets.LIST,
    AssetRow,
    assets_of,
    label=func.concat(AssetRow.filename, case((col(AssetRow.width).is_not(None), _SIZE), else_="")),
    offered=col(AssetRow.status) == AssetStatus.READY.value,
    narrows={"kind": lambda kinds: col(AssetRow.kind).in_(kinds)},
    environment=col(AssetRow.environment),
)
PERSON = ObjectType(
    "person",
    members.LIST,
    UserRow,
    members_of,
    label=func.coalesce(func.nullif(col(UserRow.name), ""), col(UserRow.email)),
    prefix="user:",
)
"""A member, as named in lines of the audit log."""

OBJECT_TYPES: Mapping[str, ObjectType] = {
    one.name: one for one in (PROPERTY, SLOT, CAMPAIGN, OPEN_CAMPAIGN, AD, ASSET, PERSON)
}


async def find(
    view: PageRequest, kind: ObjectType, sought: str, narrow: Mapping[str, Sequence[str]]
) -> Sequence[Choice]:
    """
    Newest first, one more than `MAX_CHOICES` if there are more.

    Empty for a user who may not list them, and for text that the database cannot store.
    """
    text = [sought, *(value for values in narrow.values() for value in values)]
    if not view.can(kind.listed.id) or any("\0" in one for one in text):
        return ()
    wanted = [kind.narrows[each](values) for each, values in narrow.items()]
    if kind.offered is not None:
        wanted.append(kind.offered)
    if sought:
        wanted.append(func.strpos(func.lower(kind.label), func.lower(sought)) > 0)
    return await _read(view, kind, wanted)


async def labels_of(
    view: PageRequest, kind: ObjectType, values: Sequence[str]
) -> Mapping[str, str]:
    """Labels by value, of those that the user may see."""
    good = [
        one.removeprefix(kind.prefix)
        for one in values
        if one.startswith(kind.prefix) and is_uuid(one.removeprefix(kind.prefix))
    ]
    if not good or not view.can(kind.listed.id):
        return {}
    return dict(await _read(view, kind, [col(kind.row.id).in_(good)], most=len(good)))


async def _read(
    view: PageRequest,
    kind: ObjectType,
    wanted: Sequence[ColumnElement[bool]],
    most: int = MAX_CHOICES + 1,
) -> Sequence[Choice]:
    conditions = [kind.visible_to(view.caller), *wanted]
    if kind.environment is not None:
        conditions.append(kind.environment == str(view.environment))
    statement: Any = select(kind.row.id, kind.label).where(*conditions)
    statement = statement.order_by(col(kind.row.id).desc()).limit(most)
    async with view.control.database.tenant(view.caller.account_id) as session:
        return [(f"{kind.prefix}{row[0]}", str(row[1])) for row in await session.execute(statement)]
