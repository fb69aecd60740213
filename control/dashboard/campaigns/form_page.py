"""The page of a campaign's form: its fields, their choices, and the campaign in plain words."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import orjson

from control.dashboard.ads import first_ad
from control.dashboard.campaigns import labels
from control.dashboard.campaigns.actions import is_reviewed
from control.dashboard.campaigns.draft import Draft, read_draft
from control.dashboard.campaigns.form_fields import CAPS, fields_of
from control.dashboard.campaigns.summary_text import complete_terms, words_for
from control.dashboard.form_rows import rows_shown
from control.dashboard.page import Rendered
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.options import offer
from control.dashboard.pickers.queries import PROPERTY
from control.dashboard.targeting.form import is_targeted, options_of, targeting_form
from control.dashboard.targeting.messages import complete_targeting
from control.dashboard.timezones import UTC
from control.demand.ads import operations as ads
from control.demand.campaigns import operations
from control.inventory.properties import operations as properties

_OPTIONS = {
    "objective": labels.OBJECTIVES,
    "pricing_model": labels.PRICING_MODELS,
    "pacing": labels.PACINGS,
    "priority": labels.PRIORITIES,
    "goal": labels.GOALS,
    "cap_event": labels.CAP_EVENTS,
    "cap_scope": labels.CAP_SCOPES,
    "cap_unit": labels.CAP_UNITS,
}
_USUAL = {
    "objective": ["traffic"],
    "pricing_model": ["cpm"],
    "pacing": ["even"],
    "priority": ["auction"],
    "attribution.click_window_hours": ["720"],
    "attribution.view_window_hours": ["24"],
    "attribution.pixel_conversions_per_click": ["1"],
    "attribution.bill_in_session": ["off"],
}


_PARTS = {
    "caps": ("frequency_caps.",),
    "attribution": ("attribution.",),
    "more": ("metadata", "external_ref"),
}
"""The folded sections besides targeting, and how the names of their fields begin."""
_ALWAYS = (".event", ".scope", ".unit", ".interval")
"""How the names of fields end that have a value in each row."""
Kept = Literal["campaign", "all"]
"""What was stored before the rest was refused: the campaign alone, or its ad too, and then the launch was refused."""


async def form_page(
    view: PageRequest,
    *,
    campaign: Mapping[str, Any] | None = None,
    base: Mapping[str, Any] | None = None,
    conflict: Mapping[str, Any] | None = None,
    more: bool = False,
    kept: Kept | None = None,
) -> Rendered:
    """*base*: the values with which the form was opened. *more*: adds another empty row to each list."""
    locale = view.user_locale.locale
    if not view.form:
        view.form = fields_of(campaign, locale) if campaign else await _usual(view)
    sites = await offer(view, PROPERTY, "property_ids", chosen=view.form.get("property_ids", ()))
    targeting = await targeting_form(view, more=more)
    slots = {value: label for side in targeting.slots.values() for value, label in side.choices}
    slots |= conflict["names"] if conflict else {}
    draft = read_draft(view)
    body = None if draft.campaign_faults else draft.campaign
    is_draft = campaign is None or campaign["status"] == "draft"
    takes_ad = is_draft and first_ad.is_offered(view) and await has_no_ad(view, campaign)
    return Rendered(
        "campaigns/form.html",
        {
            "campaign": campaign,
            "conflict": conflict,
            "base_json": orjson.dumps(base or {}).decode(),
            "kept": kept,
            "first_ad": await first_ad.first_ad_values(view) if takes_ad else None,
            "can_launch": is_draft and first_ad.is_offered(view) and _may_launch(view),
            "waits_for_review": is_reviewed(view, campaign),
            "terms_of": complete_terms(body) if body else None,
            "faulty": _faulty(view, draft),
            "targeting_of": complete_targeting(body.get("targeting")) if body else None,
            "currency": view.me["account"]["currency"] if view.me else "",
            "properties": sites,
            "targeting": targeting,
            **words_for(view, slots),
            "rows": {CAPS.name: rows_shown(view.form, CAPS.name, CAPS.identifying, more=more)},
            "options": options_of(view, _OPTIONS),
            "saved_one": view.query_param("saved") if view.screen.name == "campaign_create" else "",
            "used_parts": used_parts(view.form),
        },
        view.error.status if kept and view.error else 200,
    )


async def has_no_ad(view: PageRequest, campaign: Mapping[str, Any] | None) -> bool:
    """*campaign*: None for one that is not stored yet. False for a user who may not see its ads."""
    if campaign is None:
        return True
    if not view.can(ads.LIST.id):
        return False
    query = {"campaign_id": campaign["id"], "limit": 1}
    return not (await view.call(ads.LIST, query=query))["data"]


def _may_launch(view: PageRequest) -> bool:
    return view.can(ads.ACTIVATE.id) and view.can(operations.ACTIVATE.id)


def _faulty(view: PageRequest, draft: Draft) -> dict[str, list[str]]:
    """The names of fields that are still ``missing`` or ``wrong``, in the order of the API."""
    found: dict[str, list[str]] = {"missing": [], "wrong": []}
    for fault in (*draft.campaign_faults, *draft.ad_faults):
        found["missing" if fault.code == "required" else "wrong"].append(fault.param)
    if not view.form.get("property_ids") and view.frame.component is None:
        found["missing"].append("property_ids")
    return found


async def _usual(view: PageRequest) -> dict[str, list[str]]:
    only = await _only_property(view)
    context = view.frame.context
    return {
        **_USUAL,
        "property_ids": [only["id"]] if only else [],
        "timezone": [_timezone(view, only)],
        "external_ref": [str(context.get("external_ref") or "")],
    }


def _timezone(view: PageRequest, only: Mapping[str, Any] | None) -> str:
    """The browser's. Without a time zone from the browser, or with UTC, that of the property holds."""
    return only["timezone"] if only and view.timezone.key == UTC else view.timezone.key


async def _only_property(view: PageRequest) -> Mapping[str, Any] | None:
    """None where there is a choice, or the user may not see properties."""
    if not view.can(properties.LIST.id):
        return None
    found = (await view.call(properties.LIST, query={"limit": 2}))["data"]
    return found[0] if len(found) == 1 else None


def used_parts(form: Mapping[str, Sequence[str]]) -> set[str]:
    """The folded sections with a value that is not the usual one. They are shown open."""
    found = {
        part
        for part, starts in _PARTS.items()
        for name, given in form.items()
        if name.startswith(starts)
        and not name.endswith(_ALWAYS)
        and not {*given} <= {"", *_USUAL.get(name, ())}
    }
    return found | {"targeting"} if is_targeted(form) else found
