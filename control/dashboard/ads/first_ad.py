"""The first ad of a campaign, as a section of the campaign's form: the fields of the ad's own form, after ``ad.``."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from common.contract.validation_errors import inside, refuse
from common.values.enums import Format
from common.values.errors import ApiError, Detail
from common.values.messages import Message
from control.dashboard.ads import fields
from control.dashboard.ads.form import EMPTY, content_values
from control.dashboard.ads.messages import FORMAT_HINTS, FORMATS
from control.dashboard.ads.options import formats_without_slot
from control.dashboard.page_request import PageRequest
from control.demand.ads import operations as ads
from control.demand.ads.assets import with_placeholders
from control.demand.ads.content import parse_content
from control.foundation.http.inputs import validate_body

START = "ad."
FORMAT = f"{START}format"
_NO_CAMPAIGN = str(UUID(int=0))
"""Stands for the campaign while the ad is validated before the campaign is stored."""


def is_offered(view: PageRequest) -> bool:
    """An embedded window is for one kind of object, so its form of a campaign has no ad."""
    return view.frame.component is None and view.page_exists("ad_create")


def read_first_ad(view: PageRequest) -> dict[str, Any] | None:
    """The body of `createAd` without the campaign; None where no format is chosen. Its name may be the campaign's."""
    ad_format = view.form_field(FORMAT)
    if not ad_format or not is_offered(view):
        return None
    body = fields.created(fields.fields_after(START, view.form), ad_format, view.user_locale.locale)
    return {"name": view.form_field("name").strip()} | body


def faults_of_first_ad(view: PageRequest, body: Mapping[str, Any]) -> Sequence[Detail]:
    """All that can be known before the ad is stored, by the API's own models."""
    try:
        validate_body(ads.CREATE, {**body, "campaign_id": _NO_CAMPAIGN})
        _check_content(body)
    except ApiError as error:
        found = placed(view, error).details
        is_named = bool(view.form_field(f"{START}name").strip())
        return [one for one in found if is_named or one.param != f"{START}name"]
    return ()


def placed(view: PageRequest, error: ApiError) -> ApiError:
    """*error* of `createAd`, with the names of this form."""
    if not error.details:
        return error
    own = fields.at_files(error, fields.fields_after(START, view.form))
    return refuse([Detail(START + one.param, one.code, one.message) for one in own.details])


def lacks_ad() -> Detail:
    """The fault of a campaign that is launched without an ad."""
    return Detail(
        FORMAT,
        "required",
        Message("A campaign needs an ad to launch. Choose a format, or save it as a draft."),
    )


async def create_first_ad(view: PageRequest, body: Mapping[str, Any], campaign_id: str) -> None:
    """Raises `ApiError`, with the names of this form."""
    try:
        await view.call(ads.CREATE, body={**body, "campaign_id": campaign_id})
    except ApiError as error:
        raise placed(view, error) from None


async def first_ad_values(view: PageRequest) -> dict[str, Any]:
    """For ``ads/first_ad.html``: as typed."""
    chosen = view.form_field(FORMAT)
    values: dict[str, Any] = {"formats": FORMATS, "hints": FORMAT_HINTS}
    values |= {"chosen": chosen, "ad": None}
    values["without_slot"] = await formats_without_slot(view, view.form.get("property_ids", ()))
    if chosen in tuple(Format):
        values |= await content_values(view, EMPTY | {"format": chosen}, START)
    return values


def _check_content(body: Mapping[str, Any]) -> None:
    """The model leaves the content unchecked where files fill it; files never fill in the rest. Raises `Refused`."""
    if not body["asset_ids"]:
        return
    ad_format = Format(body["format"])
    content = with_placeholders(ad_format, body["content"], body["asset_ids"])
    try:
        parse_content(ad_format, content)
    except ValidationError as error:
        raise inside("content", error, content) from None
