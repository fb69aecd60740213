"""Creates a draft campaign from a request, checked against the account's properties and slots."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from common.values.enums import CampaignStatus
from common.values.environment import Environment
from common.values.errors import invalid
from common.values.ids import new_id
from common.values.messages import Message
from control.demand.campaigns import queries
from control.demand.campaigns.rows import write
from control.demand.campaigns.schemas import CampaignCreate
from control.foundation.principal import Principal
from control.storage.tables.campaigns import CampaignRow
from control.storage.tables.properties import PropertyRow

_SETTLED = frozenset({"property_ids", "timezone"})


async def draft_of(
    session: AsyncSession,
    principal: Principal,
    environment: Environment,
    body: CampaignCreate,
    now: datetime,
) -> CampaignRow:
    """A row that is not saved. Raises `Refused`: 404 for an unknown property, 422 for a slot of another property."""
    properties = await queries.list_properties_named(
        session, principal, _property_ids(principal, body)
    )
    row = _bare(principal.account_id, environment, properties, now)
    write(row, _terms(body))
    await check_slots(session, row)
    return row


async def check_slots(session: AsyncSession, row: CampaignRow) -> None:
    """Raises 422 if the targeting names a slot that belongs to none of the campaign's properties."""
    named = row.targeting.get("slots", {})
    slot_ids = [*named.get("include", ()), *named.get("exclude", ())]
    foreign = await foreign_slots(session, row, slot_ids)
    if foreign:
        raise invalid(
            "targeting.slots",
            "slot_unknown",
            Message(
                "The slot {slot_id} does not belong to the campaign's properties. Use only slots of "
                "those properties.",
                slot_id=foreign[0],
            ),
        )


async def foreign_slots(
    session: AsyncSession, row: CampaignRow, slot_ids: Sequence[str]
) -> list[str]:
    return await queries.find_foreign_slots(session, row.account_id, row.property_ids, slot_ids)


def _property_ids(principal: Principal, body: CampaignCreate) -> list[str]:
    if body.property_ids is not None:
        return body.property_ids
    if principal.property_id is not None:
        return [principal.property_id]
    raise invalid(
        "property_ids", "required", Message("List the properties that the campaign runs on.")
    )


def _bare(
    account_id: str, environment: Environment, properties: list[PropertyRow], now: datetime
) -> CampaignRow:
    """A campaign without terms. Its time zone is that of the first property, unless the body sets one."""
    columns: dict[str, Any] = {
        "id": new_id(),
        "account_id": account_id,
        "environment": environment.value,
        "property_ids": [row.id for row in properties],
        "timezone": properties[0].timezone,
        "status": CampaignStatus.DRAFT.value,
        "attribution": {},
        "created_at": now,
        "updated_at": now,
    }
    return CampaignRow(**columns)


def _terms(body: CampaignCreate) -> dict[str, Any]:
    """Every field of the body, with its default if it was left out, except those that `_bare` sets."""
    settled = {"property_ids"} if body.timezone else _SETTLED
    return {
        name: getattr(body, name) for name in CampaignCreate.model_fields if name not in settled
    }
