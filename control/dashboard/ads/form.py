"""Creates and edits an ad: a page to choose the format, then one form, validated by the API's own models."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError

from common.contract.validation_errors import inside
from common.values.enums import Format
from common.values.errors import ApiError
from control.dashboard.ads import fields
from control.dashboard.ads.embed_scope import campaign_of, get_ad
from control.dashboard.ads.messages import FORMAT_HINTS, FORMATS
from control.dashboard.ads.options import (
    find_campaign,
    formats_without_slot,
    offer_campaigns,
    offer_files,
    slots_for,
)
from control.dashboard.form_errors import map_errors_to_fields
from control.dashboard.page import Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.options import offer
from control.dashboard.pickers.queries import SLOT, labels_of
from control.dashboard.targeting.fields import SHAPE, fields_of, read_targeting
from control.dashboard.targeting.form import TargetingForm, is_targeted, targeting_form
from control.dashboard.targeting.messages import TargetingNames, complete_targeting, slots_named
from control.demand.ads import operations as ads
from control.demand.ads.content import parse_content
from control.demand.ads.schemas import AdCreate
from control.demand.campaigns.targeting import Targeting
from control.foundation.http.inputs import validate_body
from control.foundation.resource_models import defaults_of


class AdContent(dict[str, Any]):
    """The content of an ad for a template: missing entries are None."""

    def __missing__(self, name: str) -> None:
        return None


EMPTY = defaults_of(AdCreate) | {"id": None, "content": {}}


async def show_create(view: PageRequest, *, more: bool = False) -> Result:
    ad_format = view.form_field("format") or view.query_param("format")
    campaign_id = campaign_of(view)
    if ad_format not in tuple(Format):
        campaign = await find_campaign(view, campaign_id)
        values = {
            "formats": FORMATS,
            "hints": FORMAT_HINTS,
            "campaign": campaign,
            "campaign_id": campaign_id,
            "without_slot": await _without_slot(view, campaign),
        }
        return Rendered("ads/choose.html", values)
    ad = EMPTY | {"format": ad_format, "campaign_id": campaign_id, "is_new": True}
    return await _form(view, ad, more=more)


async def create(view: PageRequest) -> Result:
    body = fields.created(view.form, view.form_field("format"), view.user_locale.locale)
    if campaign_of(view):
        body["campaign_id"] = campaign_of(view)
    with _in_place(view):
        if view.is_check:
            validate_body(ads.CREATE, body)
            return await show_create(view)
        made = await view.call(ads.CREATE, body=body)
    return Redirected(view.url("ad", id=made["id"]), flash="ad_created", saved=made["campaign_id"])


async def show_edit(view: PageRequest, *, more: bool = False) -> Result:
    return await _form(view, await get_ad(view) | {"is_new": False}, more=more)


async def edit(view: PageRequest) -> Result:
    ad = await get_ad(view)
    body = fields.changed(view.form, ad, view.user_locale.locale)
    with _in_place(view):
        if view.is_check:
            validate_body(ads.PATCH, body)
            if not body["asset_ids"]:
                _check_content(Format(ad["format"]), body["content"])
            return await show_edit(view)
        changed = await view.call(
            ads.PATCH,
            path={"id": ad["id"]},
            body=body,
            version=view.form_version or ad["version"],
        )
    return Redirected(view.url("ad", id=ad["id"]), flash="saved", saved=changed["campaign_id"])


async def more_rows(view: PageRequest) -> Result:
    """Shows the form as typed, with room for more rows, without validating it."""
    if view.screen.name == "ad_create":
        return await show_create(view, more=True)
    return await show_edit(view, more=True)


@contextmanager
def _in_place(view: PageRequest) -> Iterator[None]:
    """Maps errors of the targeting to the form's fields."""
    try:
        yield
    except ApiError as error:
        if not error.details:
            raise
        _, places = read_targeting(view.form, view.user_locale.locale)
        mapped = map_errors_to_fields(error, view.form, places, SHAPE)
        raise fields.at_files(mapped, view.form) from None


def _check_content(ad_format: Format, content: Mapping[str, Any]) -> None:
    try:
        parse_content(ad_format, content)
    except ValidationError as error:
        raise inside("content", error, content) from None


async def _form(view: PageRequest, ad: Mapping[str, Any], *, more: bool) -> Result:
    campaign = await find_campaign(view, ad["campaign_id"])
    values = {
        "campaign": campaign,
        "campaigns": None if ad["campaign_id"] else await offer_campaigns(view),
        "formats": FORMATS,
        "without_slot": await _without_slot(view, campaign),
        **await content_values(view, ad),
        **await _where(view, ad, campaign, more=more),
    }
    return Rendered("ads/form.html", values)


async def _without_slot(view: PageRequest, campaign: Mapping[str, Any] | None) -> frozenset[Format]:
    return await formats_without_slot(view, campaign["property_ids"] if campaign else ())


async def content_values(
    view: PageRequest, ad: Mapping[str, Any], start: str = ""
) -> dict[str, Any]:
    """For ``ads/content.html``: as typed, or as stored in *ad*. *start*: of the fields' names."""
    ad_format = Format(ad["format"])
    typed = fields.fields_after(start, view.form)
    chosen = fields.assets_of(typed) if typed else ad["asset_ids"]
    content = AdContent(ad["content"])
    content["companion"] = AdContent(content["companion"] or {})
    media = [AdContent(one) for one in content["media"] or ()]
    text = fields.content_of(typed, ad_format).get("media", []) if typed else media
    shown = min(max(len(media), len(text)) + 1, fields.MAX_RENDITIONS)
    return {
        "ad": {**ad, "asset_ids": AdContent(ad["asset_ids"])},
        "content": content,
        "renditions": media + [AdContent()] * (shown - len(media)),
        "files": await offer_files(view, ad_format, chosen, shown, start=start),
    }


async def _where(
    view: PageRequest, ad: Mapping[str, Any], campaign: Mapping[str, Any] | None, *, more: bool
) -> dict[str, Any]:
    """Targeting as typed or as stored in the ad, and the slots to choose from."""
    if not view.form:
        held = fields_of(ad["targeting"], view.user_locale.locale)
        view.form = held | ({"slot_ids": ad["slot_ids"]} if ad["slot_ids"] else {})
    narrow = slots_for(campaign, ad["format"])
    chosen = view.form.get("slot_ids", ())
    targeting = await targeting_form(
        view, narrow=narrow, zone=campaign["timezone"] if campaign else "", more=more
    )
    return {
        "slots": await offer(view, SLOT, "slot_ids", chosen=chosen, narrow=narrow),
        "targeting": targeting,
        "is_targeted": is_targeted(view.form) or bool(chosen),
        "targeting_of": _good_targeting(view),
        "campaign_targeting": complete_targeting(campaign["targeting"]) if campaign else None,
        "targeting_names": await _names(view, campaign, targeting),
    }


async def _names(
    view: PageRequest, campaign: Mapping[str, Any] | None, form: TargetingForm
) -> TargetingNames:
    named = slots_named(campaign["targeting"]) if campaign else ()
    known = {value: label for side in form.slots.values() for value, label in side.choices}
    return TargetingNames(view.user_locale.locale, known | dict(await labels_of(view, SLOT, named)))


def _good_targeting(view: PageRequest) -> dict[str, Any] | None:
    """The targeting in the form; None if it has an error, which is shown at its field."""
    values, _ = read_targeting(view.form, view.user_locale.locale)
    try:
        return complete_targeting(Targeting.model_validate(values).stored())
    except ValidationError:
        return None
