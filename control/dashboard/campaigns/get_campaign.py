"""A campaign as the API shows it, for pages of its environment alone."""

from typing import Any

from common.values.environment import Environment
from common.values.errors import not_found
from control.dashboard.page_request import PageRequest
from control.demand.campaigns import operations


async def get_campaign(view: PageRequest, campaign_id: str) -> dict[str, Any]:
    """Raises the 404, also for a campaign of the other environment."""
    found: dict[str, Any] = await view.call(operations.GET, path={"id": campaign_id})
    own = Environment.TEST if found["is_test"] else Environment.LIVE
    if own is not view.environment:
        raise not_found()
    return found
