"""Database queries for ads, limited to those of the campaigns that the caller may see."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from common.values.enums import Format
from common.values.environment import Environment
from control.api.listing import contains, equal_to, get_row, newest_first
from control.demand.ads.schemas import AdList
from control.demand.campaigns.queries import visible_to as campaigns_visible_to
from control.foundation.principal import Principal
from control.storage.tables.campaigns import AdRow, CampaignRow


async def get_ad(
    session: AsyncSession, principal: Principal, ad_id: str, *, lock: bool = False
) -> AdRow:
    """Returns the ad. Raises 404 `not_found`. *lock*: lock the row until the transaction ends."""
    visible = select(AdRow).where(visible_to(principal))
    return await get_row(session, visible, col(AdRow.id), ad_id, lock=lock)


async def list_ads(
    session: AsyncSession,
    principal: Principal,
    environment: Environment,
    query: AdList,
    before_id: str | None,
) -> Sequence[AdRow]:
    """Ads with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    wanted = wanted_ads(principal, environment, query)
    return await newest_first(session, wanted, col(AdRow.id), query.limit, before_id)


def wanted_ads(
    principal: Principal, environment: Environment, query: AdList
) -> SelectOfScalar[AdRow]:
    """The list without its order, cursor and limit."""
    return select(AdRow).where(
        visible_to(principal),
        col(AdRow.environment) == environment.value,
        *equal_to(query, AdRow),
        *contains([col(AdRow.name)], query.q),
    )


async def find_markup(session: AsyncSession, ad_id: str) -> str | None:
    """
    The html of an html ad of any account; runs as the service.

    For a signed address of a preview, which no user or key requests: so no operation can serve it.
    """
    wanted = select(AdRow).where(col(AdRow.id) == ad_id, col(AdRow.format) == Format.HTML.value)
    row = await session.scalar(wanted)
    return None if row is None else str(row.content["html"])


def visible_to(principal: Principal) -> ColumnElement[bool]:
    """The account's ads; for an integration key, the ads of the campaigns it may see."""
    mine = col(AdRow.account_id) == principal.account_id
    if principal.property_id is None:
        return mine
    campaigns = select(CampaignRow.id).where(campaigns_visible_to(principal))
    return mine & col(AdRow.campaign_id).in_(campaigns)
