"""Campaigns in the database, always within what the caller may see."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import ColumnElement, func, true
from sqlalchemy import select as select_rows
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.decision.support import targeting
from common.environment import Environment
from common.errors import ErrorCode, Refused, not_found
from common.ids import is_uuid
from common.vocabulary import AdStatus
from control.campaigns.delivery import Surroundings
from control.campaigns.schemas import CampaignList
from control.principal import Principal
from control.tables.accounts import AccountRow
from control.tables.campaigns import AdRow, CampaignRow, CampaignSpendRow
from control.tables.properties import PropertyRow, SlotRow


async def get_campaign(
    session: AsyncSession, principal: Principal, campaign_id: str, *, lock: bool = False
) -> CampaignRow:
    """Raises the 404. *lock* holds the row until the transaction ends."""
    if not is_uuid(campaign_id):
        raise not_found()
    wanted = select(CampaignRow).where(col(CampaignRow.id) == campaign_id, visible_to(principal))
    found = await session.scalar(wanted.with_for_update() if lock else wanted)
    if found is None:
        raise not_found()
    return found


async def list_campaigns(
    session: AsyncSession,
    principal: Principal,
    environment: Environment,
    query: CampaignList,
    before_id: str | None,
) -> Sequence[CampaignRow]:
    """Newest first, from behind *before_id*; one more than the limit where there is more."""
    wanted = select(CampaignRow).where(
        visible_to(principal), col(CampaignRow.environment) == environment.value
    )
    if query.status is not None:
        wanted = wanted.where(col(CampaignRow.status) == query.status.value)
    if query.external_ref is not None:
        wanted = wanted.where(col(CampaignRow.external_ref) == query.external_ref)
    if query.property_id is not None:
        wanted = wanted.where(col(CampaignRow.property_ids).contains([query.property_id]))
    if before_id is not None:
        wanted = wanted.where(col(CampaignRow.id) < before_id)
    wanted = wanted.order_by(col(CampaignRow.id).desc()).limit(query.limit + 1)
    return (await session.scalars(wanted)).all()


def visible_to(principal: Principal) -> ColumnElement[bool]:
    """
    The account's campaigns; for an integration key those of its environment that run on its property and nowhere
    else, for a campaign of two properties is also the other's.
    """
    found = col(CampaignRow.account_id) == principal.account_id
    if principal.environment is not None:
        found &= col(CampaignRow.environment) == principal.environment.value
    if principal.property_id is not None:
        found &= col(CampaignRow.property_ids) == [principal.property_id]
    return found


async def save_campaign(session: AsyncSession, row: CampaignRow) -> None:
    """Writes the row now. Raises 409 `already_exists` where another campaign has its `external_ref`."""
    session.add(row)
    try:
        await session.flush()
    except IntegrityError as error:
        if "uq_campaigns_external_ref" not in str(error.orig):
            raise
        raise Refused(
            ErrorCode.ALREADY_EXISTS,
            "Another campaign of this environment has this external_ref. Use that one, or another reference.",
            param="external_ref",
        ) from error


async def list_properties_named(
    session: AsyncSession, principal: Principal, property_ids: Sequence[str]
) -> list[PropertyRow]:
    """In the order asked. Raises the 404 where the caller may not see one of them."""
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
    """Those of *slot_ids* that are no slots of the properties."""
    if not slot_ids:
        return []
    wanted = select(SlotRow.id).where(
        col(SlotRow.account_id) == account_id,
        col(SlotRow.property_id).in_(property_ids),
        col(SlotRow.id).in_(slot_ids),
    )
    known = set(await session.scalars(wanted))
    return [slot_id for slot_id in slot_ids if slot_id not in known]


async def surroundings_of(
    session: AsyncSession, account_id: str, rows: Sequence[CampaignRow]
) -> dict[str, Surroundings]:
    """Campaign id to what decides its delivery; four queries however many campaigns."""
    account = await session.get_one(AccountRow, account_id)
    ids = [row.id for row in rows]
    statuses = await _property_statuses(session, account_id)
    spent = await _spent_micros(session, account_id, ids)
    ads = await _active_ads(session, account_id, ids)
    return {
        row.id: Surroundings(
            account_state=account.state,
            account_stopped=account.stopped,
            account_funded=account.funded,
            property_statuses=tuple(statuses[p] for p in row.property_ids if p in statuses),
            spent_micros=spent.get(row.id, 0),
            active_ads=tuple(ads.get(row.id, ())),
        )
        for row in rows
    }


async def _property_statuses(session: AsyncSession, account_id: str) -> dict[str, str]:
    wanted = select(PropertyRow.id, PropertyRow.status).where(
        col(PropertyRow.account_id) == account_id
    )
    return dict((await session.execute(wanted)).all())


async def _spent_micros(
    session: AsyncSession, account_id: str, campaign_ids: Sequence[str]
) -> dict[str, int]:
    wanted = select(CampaignSpendRow.campaign_id, CampaignSpendRow.spent_micros).where(
        col(CampaignSpendRow.account_id) == account_id,
        col(CampaignSpendRow.campaign_id).in_(campaign_ids),
    )
    return dict((await session.execute(wanted)).all())


async def _active_ads(
    session: AsyncSession, account_id: str, campaign_ids: Sequence[str]
) -> dict[str, list[tuple[str, ...]]]:
    """The distinct sets of targeting kinds among each campaign's active ads: few rows, however many ads."""
    kinds = func.jsonb_object_keys(AdRow.targeting).table_valued("kind").render_derived("kinds")
    wanted = (
        select_rows(
            col(AdRow.campaign_id),
            func.array_remove(func.array_agg(kinds.c.kind), None).label("found"),
        )
        .outerjoin_from(AdRow, kinds, true())
        .where(
            col(AdRow.account_id) == account_id,
            col(AdRow.campaign_id).in_(campaign_ids),
            col(AdRow.status) == AdStatus.ACTIVE.value,
        )
        .group_by(col(AdRow.campaign_id), col(AdRow.id))
        .subquery()
    )
    found: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for campaign_id, names in await session.execute(
        select_rows(wanted.c.campaign_id, wanted.c.found).distinct()
    ):
        found[campaign_id].append(tuple(targeting(name) for name in sorted(names)))
    return found
