"""Checks the objects named by a report's filters: those outside the caller's account or environment count as absent."""

from sqlalchemy.ext.asyncio import AsyncSession

from common.values.environment import Environment
from common.values.errors import not_found
from control.demand.ads.queries import get_ad
from control.demand.campaigns.queries import check_campaigns
from control.foundation.principal import Principal
from control.inventory.properties.queries import get_property
from control.inventory.slots.queries import get_slot
from control.reporting.reports.schemas import ReportFields, ReportFilters


async def check_named(
    session: AsyncSession, principal: Principal, environment: Environment, fields: ReportFilters
) -> None:
    """Raises the 404."""
    for property_id in fields.property_id or ():
        await get_property(session, principal, property_id)
    for slot_id in fields.slot_id or ():
        await get_slot(session, principal, slot_id)
    if fields.campaign_id:
        await check_campaigns(session, principal, environment, fields.campaign_id)
    found = [(await get_ad(session, principal, each)).environment for each in fields.ad_id or ()]
    if any(each != environment.value for each in found):
        raise not_found()


async def zone_of(session: AsyncSession, principal: Principal, fields: ReportFields) -> str:
    """The time zone of the report's only property; UTC where it has several. Raises the 404."""
    named = fields.property_id or []
    only = principal.property_id or (named[0] if len(named) == 1 else None)
    if only is None:
        return "UTC"
    return (await get_property(session, principal, only)).timezone
