"""Ads: all of an environment, one with its preview and its actions, and the forms."""

from collections.abc import Awaitable, Callable, Mapping

from common.contract.operation import Operation
from common.values.errors import Refused
from common.values.messages import Message
from control.dashboard.ads.embed_scope import get_ad
from control.dashboard.ads.form import create, edit, more_rows, show_create, show_edit
from control.dashboard.ads.messages import AD_STATUSES, FORMATS
from control.dashboard.ads.options import find_campaign
from control.dashboard.ads.pictures import posters_of_ads, thumbnails_of_ads
from control.dashboard.campaigns.progress_rows import weeks_of
from control.dashboard.embed_sessions.components import Component
from control.dashboard.form_body import choices
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest, environment_shown, is_filtered
from control.dashboard.pager import pager_of
from control.dashboard.pickers.options import offer
from control.dashboard.pickers.queries import CAMPAIGN, SLOT, labels_of
from control.dashboard.targeting.messages import TargetingNames, complete_targeting, slots_named
from control.demand.ads import operations as ads
from control.demand.ads.queries import wanted_ads
from control.demand.ads.schemas import AdCreate

_ACTS: dict[str, tuple[Operation, str]] = {
    "activate": (ads.ACTIVATE, "ad_active"),
    "pause": (ads.PAUSE, "ad_paused"),
    "resume": (ads.RESUME, "ad_active"),
    "archive": (ads.ARCHIVE, "ad_archived"),
}


_MAX_SELECTED = 100
_MAX_NAME = 200


async def show_list(view: PageRequest) -> Result:
    return await _list(view)


def _act_on_selected(name: str) -> Callable[[PageRequest], Awaitable[Result]]:
    """Shows what was refused for single ads; the others are changed."""
    operation, _ = _ACTS[name]

    async def act(view: PageRequest) -> Result:
        ids = (choices(view.form.get("ids", ())) or [])[:_MAX_SELECTED]
        refused: dict[str, Message] = {}
        for ad_id in ids:
            try:
                await view.call(operation, path={"id": ad_id})
            except Refused as error:
                refused[ad_id] = error.message
        if refused or not ids:
            return await _list(view, refused=refused, done=len(ids) - len(refused))
        query = view.list_params(ads.LIST) | {"cursor": None}
        return Redirected(view.url("ad_list", **query), flash=f"ads_{name}", undo=ids)

    return act


async def _list(
    view: PageRequest, *, refused: Mapping[str, Message] | None = None, done: int = 0
) -> Result:
    query = view.list_params(ads.LIST)
    page = await view.call(ads.LIST, query=query)
    campaigns = await offer(view, CAMPAIGN, "campaign_id", chosen=[query["campaign_id"]])
    named = [ad["campaign_id"] for ad in page["data"]]
    values = {
        "page": page,
        "refused": refused or {},
        "done": done,
        "params": query,
        "pager": await pager_of(
            view,
            ads.LIST,
            query,
            page,
            wanted_ads(view.caller, environment_shown(view), view.list_query(ads.LIST, query)),
        ),
        "is_filtered": is_filtered(query),
        "campaigns": campaigns,
        "weeks": await weeks_of(view, [ad["id"] for ad in page["data"]], "ad"),
        "thumbnails": await thumbnails_of_ads(view, page["data"]),
        "campaign_names": await labels_of(view, CAMPAIGN, named),
        "formats": FORMATS,
        "statuses": AD_STATUSES,
    }
    return Rendered("ads/list.html", values)


async def show(view: PageRequest) -> Result:
    ad = await get_ad(view)
    campaign = await find_campaign(view, ad["campaign_id"])
    weeks = await weeks_of(view, [ad["id"]], "ad")
    of_ad = ad["targeting"]
    of_campaign = campaign["targeting"] if campaign else {}
    slots = await labels_of(
        view, SLOT, [*ad["slot_ids"], *slots_named(of_ad), *slots_named(of_campaign)]
    )
    values = {
        "ad": ad,
        "campaign": campaign,
        "week": weeks[ad["id"]] if weeks else None,
        "slot_names": [slots.get(one, one) for one in ad["slot_ids"]],
        "posters": await posters_of_ads(view, [ad]),
        "targeting_of": complete_targeting(of_ad),
        "campaign_targeting": complete_targeting(of_campaign),
        "targeting_names": TargetingNames(view.user_locale.locale, slots),
        "formats": FORMATS,
        "statuses": AD_STATUSES,
    }
    return Rendered("ads/ad.html", values)


def _act(name: str) -> Callable[[PageRequest], Awaitable[Result]]:
    operation, flash = _ACTS[name]

    async def act(view: PageRequest) -> Result:
        ad = await get_ad(view)
        moved = await view.call(operation, path={"id": ad["id"]})
        message = "ad_waits" if moved["status"] == "pending_review" else flash
        return Redirected(view.url("ad", id=ad["id"]), flash=message, undo=[ad["id"]])

    return act


async def duplicate(view: PageRequest) -> Result:
    """A draft of the same campaign with the same content, files and targeting."""
    ad = await get_ad(view)
    name = view.form_field("name") or ad["name"]
    body = {field: ad[field] for field in AdCreate.model_fields if field in ad}
    copy = await view.call(ads.CREATE, body=body | {"name": name[:_MAX_NAME]})
    return Redirected(view.url("ad", id=copy["id"]), flash="ad_copied")


_MAKING = frozenset({Component.AD_CREATE})
_LOOKING = frozenset({Component.AD_CREATE, Component.CAMPAIGN_LIST})

SCREENS = (
    PageRoute(
        "ad_list",
        "/ads",
        show_list,
        {name: _act_on_selected(name) for name in _ACTS},
        needs=ads.LIST,
    ),
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
        {name: _act(name) for name in _ACTS} | {"duplicate": duplicate},
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
