"""Database queries for ads, limited to those of the campaigns that the caller may see."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from common.values.enums import Format
from common.values.environment import Environment
from common.values.errors import not_found
from common.values.ids import is_uuid
from control.api.listing import contains, equal_to
from control.demand.ads.schemas import AdList
from control.demand.campaigns.queries import visible_to as campaigns_visible_to
from control.foundation.principal import Principal
from control.storage.tables.campaigns import AdRow, CampaignRow


async def get_ad(
    session: AsyncSession, principal: Principal, ad_id: str, *, lock: bool = False
) -> AdRow:
    """Returns the ad. Raises 404 `not_found`. *lock*: lock the row until the transaction ends."""
    if not is_uuid(ad_id):
        raise not_found()
    wanted = select(AdRow).where(col(AdRow.id) == ad_id, visible_to(principal))
    found = await session.scalar(wanted.with_for_update() if lock else wanted)
    if found is None:
        raise not_found()
    return found


async def list_ads(
    session: AsyncSession,
    principal: Principal,
    environment: Environment,
    query: AdList,
    before_id: str | None,
) -> Sequence[AdRow]:
    """Ads with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    wanted = wanted_ads(principal, environment, query)
    if before_id is not None:
        wanted = wanted.where(col(AdRow.id) < before_id)
    wanted = wanted.order_by(col(AdRow.id).desc()).limit(query.limit + 1)
    return (await session.scalars(wanted)).all()


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
