"""The review queue of owners and admins: approve an item, or reject it with a reason."""

from typing import Any

from common.contract.operation import Operation
from common.values.errors import not_found
from control.dashboard.ads.messages import FORMATS
from control.dashboard.ads.pictures import posters_of_ads
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.demand.ads import operations as ads
from control.demand.campaigns import operations as campaigns

_SHOWN = 20
_WAITING = {"status": "pending_review", "limit": _SHOWN}
_DECISIONS: dict[tuple[str, str], Operation] = {
    ("campaign", "approve"): campaigns.APPROVE,
    ("campaign", "reject"): campaigns.REJECT,
    ("ad", "approve"): ads.APPROVE,
    ("ad", "reject"): ads.REJECT,
}


async def show(view: PageRequest) -> Result:
    waiting = await view.call(campaigns.LIST, query=_WAITING)
    waiting_ads = await view.call(ads.LIST, query=_WAITING)
    values = {
        "campaigns": waiting["data"],
        "waiting_ads": waiting_ads["data"],
        "has_more": waiting["has_more"] or waiting_ads["has_more"],
        "campaign_names": await _names(view, waiting_ads["data"]),
        "formats": FORMATS,
        "posters": await posters_of_ads(view, waiting_ads["data"]),
    }
    return Rendered("review/queue.html", values)


async def approve(view: PageRequest) -> Result:
    await _decide(view, "approve", None)
    return Redirected(view.url("review_queue"), flash="approved")


async def reject(view: PageRequest) -> Result:
    await _decide(view, "reject", {"reason": view.form_field("reason")})
    return Redirected(view.url("review_queue"), flash="rejected")


SCREENS = (
    PageRoute(
        "review_queue",
        "/review",
        show,
        {"approve": approve, "reject": reject},
        needs=ads.APPROVE,
    ),
)


async def _decide(view: PageRequest, decision: str, body: dict[str, Any] | None) -> None:
    operation = _DECISIONS.get((view.form_field("kind"), decision))
    if operation is None:
        raise not_found()
    await view.call(operation, path={"id": view.form_field("id")}, body=body)


async def _names(view: PageRequest, waiting: list[dict[str, Any]]) -> dict[str, str]:
    """The names of the ads' campaigns."""
    found = {}
    for campaign_id in {ad["campaign_id"] for ad in waiting}:
        campaign = await view.call(campaigns.GET, path={"id": campaign_id})
        found[campaign_id] = campaign["name"]
    return found
