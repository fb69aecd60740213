"""Ads: all of an environment, one with its preview and its actions, and the forms."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from common.contract.operation import Operation
from control.dashboard.ads.embed_scope import get_ad
from control.dashboard.ads.form import create, edit, more_rows, show_create, show_edit
from control.dashboard.ads.messages import AD_STATUSES, FORMATS
from control.dashboard.ads.options import find_campaign
from control.dashboard.campaigns.progress_rows import weeks_of
from control.dashboard.embed_sessions.components import Component
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest, environment_shown, is_filtered
from control.dashboard.pager import pager_of
from control.dashboard.pickers.options import offer
from control.dashboard.pickers.queries import CAMPAIGN, SLOT, labels_of
from control.dashboard.targeting.messages import TargetingNames, complete_targeting, slots_named
from control.demand.ads import operations as ads
from control.demand.ads.queries import wanted_ads

_ACTS: dict[str, tuple[Operation, str]] = {
    "activate": (ads.ACTIVATE, "ad_active"),
    "pause": (ads.PAUSE, "ad_paused"),
    "resume": (ads.RESUME, "ad_active"),
    "archive": (ads.ARCHIVE, "ad_archived"),
}


async def show_list(view: PageRequest) -> Result:
    query = view.list_params(ads.LIST)
    page = await view.call(ads.LIST, query=query)
    campaigns = await offer(view, CAMPAIGN, "campaign_id", chosen=[query["campaign_id"]])
    named = [ad["campaign_id"] for ad in page["data"]]
    values = {
        "page": page,
        "params": query,
        "pager": pager_of(view, query, page),
        "counted": await view.count(
            wanted_ads(view.caller, environment_shown(view), view.list_query(ads.LIST, query))
        ),
        "is_filtered": is_filtered(query),
        "campaigns": campaigns,
        "weeks": await weeks_of(view, [ad["id"] for ad in page["data"]], "ad"),
        "thumbnail": _thumbnail_of,
        "campaign_names": await labels_of(view, CAMPAIGN, named),
        "formats": FORMATS,
        "statuses": AD_STATUSES,
    }
    return Rendered("ads/list.html", values)


async def show(view: PageRequest) -> Result:
    ad = await get_ad(view)
    campaign = await find_campaign(view, ad["campaign_id"])
    weeks = await weeks_of(view, [ad["id"]], "ad")
    narrowed = ad["targeting"]
    around = campaign["targeting"] if campaign else {}
    slots = await labels_of(
        view, SLOT, [*ad["slot_ids"], *slots_named(narrowed), *slots_named(around)]
    )
    values = {
        "ad": ad,
        "campaign": campaign,
        "week": weeks[ad["id"]] if weeks else None,
        "slot_names": [slots.get(one, one) for one in ad["slot_ids"]],
        "targeting_of": complete_targeting(narrowed),
        "campaign_targeting": complete_targeting(around),
        "targeting_names": TargetingNames(view.wording.locale, slots),
        "formats": FORMATS,
        "statuses": AD_STATUSES,
    }
    return Rendered("ads/ad.html", values)


def _thumbnail_of(ad: Mapping[str, Any]) -> str:
    """The address of a small picture of the ad; "" where its format has none."""
    content = ad["content"]
    companion = content.get("companion") or {}
    return str(
        content.get("image_url")
        or content.get("image")
        or content.get("icon")
        or companion.get("image_url")
        or ""
    )


def _act(name: str) -> Callable[[PageRequest], Awaitable[Result]]:
    operation, flash = _ACTS[name]

    async def act(view: PageRequest) -> Result:
        ad = await get_ad(view)
        moved = await view.call(operation, path={"id": ad["id"]})
        message = "ad_waits" if moved["status"] == "pending_review" else flash
        return Redirected(view.url("ad", id=ad["id"]), flash=message, undo=[ad["id"]])

    return act


_MAKING = frozenset({Component.AD_CREATE})
_LOOKING = frozenset({Component.AD_CREATE, Component.CAMPAIGN_LIST})

SCREENS = (
    PageRoute("ad_list", "/ads", show_list, needs=ads.LIST),
    PageRoute(
        "ad_create",
        "/ads/new",
        show_create,
        {"": create, "more": more_rows},
        components=_MAKING,
        needs=ads.CREATE,
    ),
    PageRoute(
        "ad",
        "/ads/<id:str>",
        show,
        {name: _act(name) for name in _ACTS},
        components=_LOOKING,
        needs=ads.GET,
    ),
    PageRoute(
        "ad_edit",
        "/ads/<id:str>/edit",
        show_edit,
        {"": edit, "more": more_rows},
        components=_MAKING,
        needs=ads.PATCH,
    ),
)
