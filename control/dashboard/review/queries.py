"""
How many campaigns and ads wait for review, for the navigation of all pages.

No operation returns a number: the lists return pages.
"""

from sqlalchemy import func, select
from sqlmodel import col

from common.values.enums import AdStatus, CampaignStatus
from control.dashboard.page_request import PageRequest
from control.demand.ads import operations as ads
from control.storage.tables.campaigns import AdRow, CampaignRow


async def count_waiting(view: PageRequest) -> int:
    """In the environment of the page's links; 0 for a user who may not approve. Two indexes answer it."""
    if not view.can(ads.APPROVE.id):
        return 0
    account_id, environment = view.caller.account_id, view.links_to.value
    waiting = [
        select(func.count())
        .where(
            col(row.account_id) == account_id,
            col(row.environment) == environment,
            col(row.status) == status.value,
        )
        .scalar_subquery()
        for row, status in (
            (CampaignRow, CampaignStatus.PENDING_REVIEW),
            (AdRow, AdStatus.PENDING_REVIEW),
        )
    ]
    async with view.control.database.tenant(account_id) as session:
        return int(await session.scalar(select(waiting[0] + waiting[1])) or 0)
