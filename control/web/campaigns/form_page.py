"""What the form of a campaign shows: its fields, what may be chosen in them, and the campaign in plain words."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from common.errors import ApiError
from control.properties import operations as properties
from control.slots import operations as slots
from control.web.campaigns import labels
from control.web.campaigns.form_fields import (
    CAPS,
    DAYPARTS,
    KEY_VALUES,
    fields_of,
    list_timezones,
    read_form,
)
from control.web.campaigns.judging import judge
from control.web.campaigns.places import Places
from control.web.campaigns.plain import complete_targeting, complete_terms, words_for
from control.web.campaigns.repeated import rows_shown
from control.web.campaigns.typed_names import list_countries, list_languages
from control.web.screen import Result, Shown
from control.web.view import View
from control.web.wording import translations_of

_MOST = 100
_USUAL = {
    "objective": ["traffic"],
    "pricing_model": ["cpm"],
    "pacing": ["even"],
    "priority": ["auction"],
    "attribution.click_window_hours": ["720"],
    "attribution.view_window_hours": ["24"],
}


async def form_page(
    view: View,
    *,
    campaign: Mapping[str, Any] | None = None,
    base: Mapping[str, Any] | None = None,
    conflict: Mapping[str, Any] | None = None,
    more: bool = False,
) -> Result:
    """*base*: what the form was opened with. *more*: with another empty row in each list."""
    around = await places_of(view)
    locale = view.wording.locale
    is_first = not view.form
    if is_first:
        view.form = fields_of(campaign, locale) if campaign else _usual(view, around)
    body = _good_body(view)
    return Shown(
        "campaigns/form.html",
        {
            "campaign": campaign,
            "conflict": conflict,
            "base_json": orjson.dumps(base or {}).decode(),
            "terms_of": complete_terms(body) if body else None,
            "targeting_of": complete_targeting(body.get("targeting")) if body else None,
            "currency": view.me["account"]["currency"] if view.me else "",
            "property_options": _named(
                [(one["id"], one["name"]) for one in around.properties],
                view.form.get("property_ids", ()),
            ),
            "slot_options": {
                side: _named(
                    [(one["id"], around.slot_name(one["id"])) for one in around.slots],
                    view.form.get(f"targeting.slots.{side}", ()),
                )
                for side in ("include", "exclude")
            },
            **words_for(view, around),
            "rows": {
                each.name: rows_shown(view.form, each.name, each.tells, more=more)
                for each in (CAPS, DAYPARTS, KEY_VALUES)
            },
            "options": _options(view),
            "countries": list_countries(locale),
            "languages": list_languages(locale),
            "timezones": list_timezones(),
            "saved_one": view.asked("saved") if view.screen.name == "campaign_create" else "",
            "open_parts": _open_parts(view),
        },
    )


async def places_of(view: View) -> Places:
    """The properties and slots that the caller may see; a key that may see none runs on its own property."""
    found: dict[str, list[dict[str, Any]]] = {"properties": [], "slots": []}
    if view.may(properties.LIST.id):
        answer = await view.call(properties.LIST, query={"limit": _MOST})
        found["properties"] = answer["data"]
    if view.may(slots.LIST.id):
        answer = await view.call(slots.LIST, query={"limit": _MOST, "status": "active"})
        found["slots"] = answer["data"]
    return Places(found["properties"], found["slots"])


def _named(known: list[tuple[str, str]], chosen: Sequence[str]) -> list[tuple[str, str]]:
    """What may be chosen, with what is chosen already though its name may not be seen."""
    ids = {value for value, _ in known}
    return known + [(value, value) for value in chosen if value not in ids]


def _usual(view: View, around: Places) -> dict[str, list[str]]:
    only = around.properties[0] if len(around.properties) == 1 else None
    context = view.frame.context
    return {
        **_USUAL,
        "property_ids": [only["id"]] if only else [],
        "timezone": [only["timezone"] if only else str(view.timezone)],
        "external_ref": [str(context.get("external_ref") or "")],
    }


def _good_body(view: View) -> dict[str, Any] | None:
    """What stands in the form, where nothing is wrong with it."""
    body, _ = read_form(view.form, view.wording.locale)
    try:
        judge(body)
    except ApiError:
        return None
    return body


def _options(view: View) -> dict[str, list[tuple[str, str]]]:
    """Values and their labels, in the reader's language."""
    said = translations_of(view.wording.language).gettext
    every = {
        "objective": labels.OBJECTIVES,
        "pricing_model": labels.PRICING_MODELS,
        "pacing": labels.PACINGS,
        "priority": labels.PRIORITIES,
        "goal": labels.GOALS,
        "types": labels.DEVICES,
        "os": labels.SYSTEMS,
        "browsers": labels.BROWSERS,
        "days": labels.DAYS,
        "cap_event": labels.CAP_EVENTS,
        "cap_scope": labels.CAP_SCOPES,
        "cap_unit": labels.CAP_UNITS,
        "op": labels.OPERATORS,
    }
    return {
        name: [(value, said(label)) for value, label in values.items()]
        for name, values in every.items()
    }


def _open_parts(view: View) -> set[str]:
    """The folded parts that hold something, or something wrong."""
    wrong = {detail.param for detail in view.trouble.details} if view.trouble else set()
    starts = {
        "targeting": "targeting.",
        "caps": "frequency_caps.",
        "attribution": "attribution.",
        "more": "metadata",
    }
    return {
        part
        for part, start in starts.items()
        if any(name.startswith(start) for name in wrong) or _is_used(view, part, start)
    }


def _is_used(view: View, part: str, start: str) -> bool:
    if part == "attribution":
        names = ("click_window_hours", "view_window_hours", "conversion_events")
        every = (f"attribution.{name}" for name in names)
        return any(view.typed(name) not in ("", *_USUAL.get(name, ())) for name in every)
    if part == "more":
        return bool(view.typed("metadata") or view.typed("external_ref"))
    always = (".op", ".event", ".scope", ".unit", ".interval")
    return any(
        name.startswith(start) and not name.endswith(always) and any(given)
        for name, given in view.form.items()
    )
