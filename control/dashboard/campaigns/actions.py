"""Changes of a campaign's status, from its page and from its form."""

from collections.abc import Mapping
from typing import Any

from control.dashboard.page import Redirected
from control.dashboard.page_request import PageRequest
from control.demand.ads import operations as ads
from control.demand.campaigns import operations

OPERATIONS = {
    "activate": operations.ACTIVATE,
    "pause": operations.PAUSE,
    "resume": operations.RESUME,
    "archive": operations.ARCHIVE,
    "approve": operations.APPROVE,
}
MAX_ADS = 20
_STARTS = ("activate", "resume", "approve")


async def move(view: PageRequest, campaign_id: str, verb: str) -> Redirected:
    """*verb*: of `OPERATIONS`."""
    moved = await view.call(OPERATIONS[verb], path={"id": campaign_id})
    flash = "submitted" if moved["status"] == "pending_review" else verb
    if verb in _STARTS and moved["status"] == "active" and not _is_delivering(moved):
        flash = "active_idle"
    return Redirected(
        view.url("campaign", id=moved["id"]), flash=f"campaign_{flash}", undo=[moved["id"]]
    )


async def launch(view: PageRequest, campaign_id: str) -> Redirected:
    """Activates the campaign's draft ads, then the campaign. After an error, another attempt continues."""
    query = {"campaign_id": campaign_id, "status": "draft", "limit": MAX_ADS}
    while drafts := (await view.call(ads.LIST, query=query))["data"]:
        for ad in drafts:
            await view.call(ads.ACTIVATE, path={"id": ad["id"]})
    return await move(view, campaign_id, "activate")


def is_reviewed(view: PageRequest, campaign: Mapping[str, Any] | None) -> bool:
    """Whether activating it submits it for review. *campaign*: None for one that is not stored yet."""
    demanded = view.me is not None and view.me["account"]["review_required"]
    review = campaign["review"] if campaign else None
    is_approved = review is not None and review["decision"] == "approved"
    return bool(demanded and view.environment != "test" and not is_approved)


def _is_delivering(campaign: Mapping[str, Any]) -> bool:
    return bool(campaign["delivery_status"] in ("delivering", "scheduled"))
