"""Creates and edits a campaign: one form, the API's own models, and the handling of concurrent edits."""

from functools import partial
from typing import Any

import orjson

from common.values.errors import ApiError, ErrorCode
from control.dashboard.ads import first_ad
from control.dashboard.campaigns.actions import launch
from control.dashboard.campaigns.draft import Draft, placed, read_draft
from control.dashboard.campaigns.edit_diff import changed_names, merged, patch_of
from control.dashboard.campaigns.form_fields import fields_of, read_form
from control.dashboard.campaigns.form_page import Kept, form_page, has_no_ad
from control.dashboard.campaigns.get_campaign import get_campaign
from control.dashboard.page import Redirected, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.queries import PROPERTY, SLOT, labels_of
from control.dashboard.targeting.messages import complete_targeting, slots_named
from control.dashboard.timezones import timezone_name
from control.demand.campaigns import operations
from control.foundation.http.inputs import validate_body

_MAX_BASE_CHARS = 200_000


async def show_new(view: PageRequest) -> Result:
    return await form_page(view)


async def create(view: PageRequest) -> Result:
    return await _create(view, launching=False)


async def create_and_launch(view: PageRequest) -> Result:
    return await _create(view, launching=True)


async def _create(view: PageRequest, *, launching: bool) -> Result:
    draft = read_draft(view)
    draft.check(*([first_ad.lacks_ad()] if launching and not draft.ad else []))
    if view.is_check:
        return await form_page(view)
    made = await _saved(view, operations.CREATE, body=draft.campaign)
    saved = Redirected(_after(view, made["id"]), flash="campaign_created", saved=made["id"])
    return await _finish(view, draft, saved, launching=launching)


async def show_edit(view: PageRequest) -> Result:
    campaign = await _campaign(view)
    if view.error is not None and view.error.code is ErrorCode.VERSION_CONFLICT:
        return await _show_conflict(view, campaign)
    return await form_page(
        view, campaign=campaign, base=_base(view) or _current_body(view, campaign)
    )


async def save(view: PageRequest) -> Result:
    return await _save(view, launching=False)


async def save_and_launch(view: PageRequest) -> Result:
    return await _save(view, launching=True)


async def _save(view: PageRequest, *, launching: bool) -> Result:
    campaign = await _campaign(view)
    draft = read_draft(view)
    lacks_ad = launching and not draft.ad and await has_no_ad(view, campaign)
    draft.check(*([first_ad.lacks_ad()] if lacks_ad else []))
    if view.is_check:
        return await show_edit(view)
    base = _base(view) or _current_body(view, campaign)
    changed = await _saved(
        view,
        operations.PATCH,
        path={"id": campaign["id"]},
        body=patch_of(base, draft.campaign),
        version=view.form_version,
    )
    saved = Redirected(_after(view, changed["id"]), flash="campaign_saved", saved=changed["id"])
    return await _finish(view, draft, saved, launching=launching)


async def _finish(view: PageRequest, draft: Draft, saved: Redirected, *, launching: bool) -> Result:
    """Creates the ad of a saved campaign, and launches both. What is refused is shown with all that was typed."""
    campaign_id = str(saved.saved)
    done: Kept = "campaign"
    try:
        if draft.ad:
            await first_ad.create_first_ad(view, draft.ad, campaign_id)
        done = "all"
        return await launch(view, campaign_id) if launching else saved
    except ApiError as error:
        view.error = error if done == "campaign" else placed(view, error)
    kept = {"version", "base"}
    view.form = {name: given for name, given in view.form.items() if name not in kept}
    campaign = await view.call(operations.GET, path={"id": campaign_id})
    return await form_page(view, campaign=campaign, base=_current_body(view, campaign), kept=done)


async def more_rows(view: PageRequest) -> Result:
    """Shows the form as typed, with room for more rows, without validating it."""
    return await _as_typed(view, more=True)


async def show_format(view: PageRequest) -> Result:
    """Shows the form as typed, with the fields of the ad's format, without validating it."""
    return await _as_typed(view, more=False)


async def _as_typed(view: PageRequest, *, more: bool) -> Result:
    if view.screen.name == "campaign_create":
        return await form_page(view, more=more)
    campaign = await _campaign(view)
    return await form_page(
        view, campaign=campaign, base=_base(view) or _current_body(view, campaign), more=more
    )


async def _saved(view: PageRequest, operation: Any, **query: Any) -> Any:
    try:
        return await view.call(operation, **query)
    except ApiError as error:
        raise placed(view, error) from None


async def _campaign(view: PageRequest) -> dict[str, Any]:
    """Raises the 404. A window that was opened for one campaign cannot edit another."""
    return await get_campaign(view, view.path["id"])


def _current_body(view: PageRequest, campaign: dict[str, Any]) -> dict[str, Any]:
    """The campaign as this form would read it: fields that it cannot show are not changed."""
    locale = view.user_locale.locale
    return read_form(fields_of(campaign, locale), locale)[0]


def _base(view: PageRequest) -> dict[str, Any] | None:
    """The values with which the form was opened, as the form sends them; None where they are no body of the API."""
    text = view.form_field("base")
    if not text or len(text) > _MAX_BASE_CHARS:
        return None
    try:
        found: dict[str, Any] = orjson.loads(text)
        validate_body(operations.PATCH, found)
    except (orjson.JSONDecodeError, ApiError):
        return None
    return found


async def _show_conflict(view: PageRequest, campaign: dict[str, Any]) -> Result:
    """The newest campaign with the typed changes applied, and both values of each field that both sides changed."""
    locale = view.user_locale.locale
    mine, _ = read_form(view.form, locale)
    theirs = _current_body(view, campaign)
    base = _base(view) or theirs
    own, other = changed_names(base, mine), changed_names(base, theirs)
    view.form = {
        **fields_of(merged(base, mine, theirs), locale),
        "once": [view.form_field("once")],
    }
    bodies = (base, theirs, mine)
    shown = {name: [_value_of(body, name) for body in bodies] for name in other}
    sites = [one for body in bodies for one in body.get("property_ids") or ()]
    slots = [one for body in bodies for one in slots_named(body.get("targeting"))]
    conflict = {
        "fields": shown,
        "both": [name for name in other if name in own],
        "names": {
            **await labels_of(view, PROPERTY, sites),
            **await labels_of(view, SLOT, slots),
        },
        "complete_targeting": complete_targeting,
        "zone_name": partial(timezone_name, locale),
    }
    view.explains_error = True
    return await form_page(view, campaign=campaign, base=theirs, conflict=conflict)


def _value_of(body: dict[str, Any], name: str) -> Any:
    """None where *body* has no such field."""
    value: Any = body
    for step in name.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _after(view: PageRequest, campaign_id: str) -> str:
    """The page where this window shows the saved campaign."""
    if view.page_exists("campaign"):
        return view.url("campaign", id=campaign_id)
    if view.page_exists("campaign_edit"):
        return view.url("campaign_edit", id=campaign_id)
    return view.url("campaign_create")
