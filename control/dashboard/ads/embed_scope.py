"""Limits a window that was opened for one campaign to the ads of that campaign."""

from typing import Any

from common.values.errors import not_found
from control.dashboard.page_request import PageRequest
from control.demand.ads import operations as ads


def campaign_of(view: PageRequest) -> str:
    """The campaign of a new ad: the window's, else the one in the address. Empty: the user has to choose."""
    pinned = view.frame.context.get("campaign_id")
    return str(pinned) if pinned else view.query_param("campaign_id")


async def get_ad(view: PageRequest) -> dict[str, Any]:
    """The ad of the address, as the API shows it. Raises the 404."""
    ad: dict[str, Any] = await view.call(ads.GET, path={"id": view.path["id"]})
    pinned = view.frame.context.get("campaign_id")
    environment = "test" if ad["is_test"] else "live"
    if environment != view.environment or pinned not in (None, ad["campaign_id"]):
        raise not_found()
    return ad
