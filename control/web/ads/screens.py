"""Ads: all of an environment, one with its preview and what can be done with it, and the forms."""

from collections.abc import Awaitable, Callable

from common.contract.operation import Operation
from control.ads import operations as ads
from control.embed.components import Component
from control.web.ads.form import create, edit, show_create, show_edit
from control.web.ads.options import find_campaign, labels_of, list_campaigns, list_slots
from control.web.ads.pinned import get_ad
from control.web.ads.words import AD_STATUSES, FORMATS
from control.web.screen import Moved, Result, Screen, Shown
from control.web.view import View

_FILTERS = ("campaign_id", "status", "format")
_ACTS: dict[str, tuple[Operation, str]] = {
    "activate": (ads.ACTIVATE, "ad_active"),
    "pause": (ads.PAUSE, "ad_paused"),
    "resume": (ads.RESUME, "ad_active"),
    "archive": (ads.ARCHIVE, "ad_archived"),
}


async def show_list(view: View) -> Result:
    asked = {name: view.asked(name) for name in (*_FILTERS, "cursor")}
    page = await view.call(ads.LIST, query=asked)
    campaigns = await list_campaigns(view)
    values = {
        "page": page,
        "asked": asked,
        "is_filtered": any(asked[name] for name in _FILTERS),
        "campaigns": campaigns,
        "campaign_names": dict(campaigns),
        "formats": FORMATS,
        "statuses": AD_STATUSES,
    }
    return Shown("ads/list.html", values)


async def show(view: View) -> Result:
    ad = await get_ad(view)
    campaign = await find_campaign(view, ad["campaign_id"])
    slots = await list_slots(view, campaign, ad["format"])
    values = {
        "ad": ad,
        "campaign": campaign,
        "slot_names": labels_of(slots, ad["slot_ids"]),
        "formats": FORMATS,
        "statuses": AD_STATUSES,
    }
    return Shown("ads/ad.html", values)


def _act(name: str) -> Callable[[View], Awaitable[Result]]:
    operation, told = _ACTS[name]

    async def act(view: View) -> Result:
        ad = await get_ad(view)
        moved = await view.call(operation, path={"id": ad["id"]})
        says = "ad_waits" if moved["status"] == "pending_review" else told
        return Moved(view.url("ad", id=ad["id"]), told=says)

    return act


_MAKING = frozenset({Component.AD_CREATE})
_LOOKING = frozenset({Component.AD_CREATE, Component.CAMPAIGN_LIST})

SCREENS = (
    Screen("ad_list", "/ads", show_list, needs=ads.LIST),
    Screen(
        "ad_create", "/ads/new", show_create, {"": create}, components=_MAKING, needs=ads.CREATE
    ),
    Screen(
        "ad",
        "/ads/<id:str>",
        show,
        {name: _act(name) for name in _ACTS},
        components=_LOOKING,
        needs=ads.GET,
    ),
    Screen(
        "ad_edit",
        "/ads/<id:str>/edit",
        show_edit,
        {"": edit},
        components=_MAKING,
        needs=ads.PATCH,
    ),
)
