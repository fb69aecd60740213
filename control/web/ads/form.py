"""Making an ad and changing one: a page to choose the format, then one form, judged by the API's own models."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from common.vocabulary import Format
from control.ads import operations as ads
from control.ads.content import parse_content
from control.http.faults import inside
from control.http.inputs import judge_body
from control.web.ads import fields
from control.web.ads.options import find_campaign, list_campaigns, list_files, list_slots
from control.web.ads.pinned import campaign_of, get_ad
from control.web.ads.words import FORMAT_HINTS, FORMATS
from control.web.screen import Moved, Result, Shown
from control.web.view import View


class Held(dict[str, Any]):
    """What an ad holds, for a template: what it does not hold is None."""

    def __missing__(self, name: str) -> None:
        return None


_EMPTY: dict[str, Any] = {
    "id": None,
    "name": "",
    "click_url": None,
    "weight": 1,
    "categories": [],
    "tracking": {"impression_urls": [], "click_urls": []},
    "slot_ids": [],
    "content": {},
    "asset_ids": {},
    "targeting": {},
}


async def show_create(view: View) -> Result:
    ad_format = view.typed("format") or view.asked("format")
    campaign_id = campaign_of(view)
    if ad_format not in tuple(Format):
        campaign = await find_campaign(view, campaign_id)
        values = {"formats": FORMATS, "hints": FORMAT_HINTS, "campaign": campaign}
        return Shown("ads/choose.html", values | {"campaign_id": campaign_id})
    ad = _EMPTY | {"format": ad_format, "campaign_id": campaign_id, "is_new": True}
    return await _form(view, ad)


async def create(view: View) -> Result:
    body = fields.created(view.form, view.typed("format"))
    if campaign_of(view):
        body["campaign_id"] = campaign_of(view)
    if view.is_check:
        judge_body(ads.CREATE, body)
        return await show_create(view)
    made = await view.call(ads.CREATE, body=body)
    return Moved(view.url("ad", id=made["id"]), told="ad_created", saved=made["campaign_id"])


async def show_edit(view: View) -> Result:
    return await _form(view, await get_ad(view) | {"is_new": False})


async def edit(view: View) -> Result:
    ad = await get_ad(view)
    body = fields.changed(view.form, ad["format"])
    if view.is_check:
        judge_body(ads.PATCH, body)
        if not body["asset_ids"]:
            _check_content(Format(ad["format"]), body["content"])
        return await show_edit(view)
    version = view.typed("version")
    changed = await view.call(
        ads.PATCH,
        path={"id": ad["id"]},
        body=body,
        version=int(version) if version.isdecimal() else ad["version"],
    )
    return Moved(view.url("ad", id=ad["id"]), told="saved", saved=changed["campaign_id"])


def _check_content(ad_format: Format, content: Mapping[str, Any]) -> None:
    try:
        parse_content(ad_format, content)
    except ValidationError as error:
        raise inside("content", error, content) from None


async def _form(view: View, ad: Mapping[str, Any]) -> Result:
    ad_format = Format(ad["format"])
    campaign = await find_campaign(view, ad["campaign_id"])
    chosen = fields.assets_of(view.form) if view.form else ad["asset_ids"]
    content = Held(ad["content"])
    content["companion"] = Held(content["companion"] or {})
    media = [Held(one) for one in content["media"] or ()]
    typed = fields.content_of(view.form, ad_format).get("media", []) if view.form else media
    shown = min(max(len(media), len(typed)) + 1, fields.MOST_RENDITIONS)
    values = {
        "ad": {**ad, "asset_ids": Held(ad["asset_ids"])},
        "content": content,
        "renditions": media + [Held()] * (shown - len(media)),
        "campaign": campaign,
        "campaigns": [] if ad["campaign_id"] else await list_campaigns(view),
        "formats": FORMATS,
        "files": await list_files(view, ad_format, chosen),
        "slots": await list_slots(view, campaign, ad_format),
    }
    return Shown("ads/form.html", values)
