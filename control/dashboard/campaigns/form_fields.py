"""Converts the form of a campaign to the body of the API, and a campaign to the fields of the form."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from babel import Locale

from control.dashboard.form_body import (
    Reader,
    body_of,
    cents_text,
    choices,
    readers_of,
    text,
    whole,
)
from control.dashboard.form_errors import FormFields
from control.dashboard.form_rows import Fields, Repeated, put_rows
from control.dashboard.targeting import fields as targeting
from control.dashboard.timezones import ZONES, read_timezone
from control.demand.campaigns.schemas import CampaignCreate

CAPS = Repeated(
    "frequency_caps",
    {
        "limit": whole,
        "event": text,
        "scope": text,
        "window.interval": whole,
        "window.unit": text,
    },
    ("limit",),
)
REPEATED = (CAPS, *targeting.REPEATED)


def _pairs(values: Sequence[str]) -> dict[str, str] | None:
    """One ``key: value`` a line."""
    found = [line.partition(":") for line in values[0].splitlines() if line.strip()]
    return {key.strip(): value.strip() for key, _, value in found} or None


_READERS = readers_of(
    CampaignCreate,
    {"property_ids": choices, "metadata": _pairs, "timezone": read_timezone},
    without=(CAPS.name, "targeting"),
)


def _readers(locale: Locale, zone: ZoneInfo) -> dict[str, Reader]:
    return {**_READERS, **instants_in(zone), **targeting.readers_of(locale)}


def instants_in(zone: ZoneInfo) -> dict[str, Reader]:
    """Readers of the times of a flight, where a text without an offset is of *zone*."""

    def instant(values: Sequence[str]) -> str | None:
        return _instant(values[0].strip(), zone)

    return {"start_at": instant, "end_at": instant}


FIELDS = tuple(_readers(Locale("en"), ZoneInfo("UTC")))
SHAPE = FormFields(FIELDS, REPEATED)
_OWN = tuple(name for name in FIELDS if name not in targeting.FIELDS)


def read_form(fields: Fields, locale: Locale) -> tuple[dict[str, Any], dict[str, str]]:
    """The body of `POST /v1/campaigns`, and the position of its rows in the form (see `put_rows`)."""
    zone = zone_named(read_timezone(fields.get("timezone") or ("",)) or "")
    body = body_of(fields, _readers(locale, zone))
    _leave_out_irrelevant(body)
    places = put_rows(body, fields, REPEATED)
    targeting.split_nights(body.get("targeting", {}), places)
    return body, places


def _leave_out_irrelevant(body: dict[str, Any]) -> None:
    """What was typed into fields that the page no longer shows, because of the values of others."""
    if body.get("priority") != "sponsorship":
        body.pop("share_of_voice_percent", None)
    if "kind" not in body.get("goal", {}):
        body.pop("goal", None)


def fields_of(campaign: Mapping[str, Any], locale: Locale) -> dict[str, list[str]]:
    """The fields that `read_form` reads, from a campaign of the API or from a body."""
    zone = zone_named(campaign.get("timezone") or "")
    found = {name: _written(_at(campaign, name), name, locale, zone) for name in _OWN}
    for number, row in enumerate(_at(campaign, CAPS.name) or ()):
        for name in CAPS.readers:
            values = _written(_at(row, name), name, locale, zone)
            found[f"{CAPS.name}.{number}.{name}"] = values
    own = {name: values for name, values in found.items() if values}
    return own | targeting.fields_of(campaign.get("targeting") or {}, locale)


def _written(value: Any, name: str, locale: Locale, zone: ZoneInfo) -> list[str]:
    """The text of a field that is read as *value*."""
    if value is None:
        return []
    if isinstance(value, list):
        return list(value) if name == "property_ids" else ["\n".join(value)]
    if isinstance(value, dict):
        return ["\n".join(f"{key}: {text}" for key, text in value.items())]
    return [_text(value, name, locale, zone)]


def _text(value: Any, name: str, locale: Locale, zone: ZoneInfo) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        return cents_text(value, locale) if name.endswith("_cents") else str(value)
    return _local(value, zone) if name in ("start_at", "end_at") else str(value)


def _at(value: Any, name: str) -> Any:
    for step in name.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def zone_named(name: str) -> ZoneInfo:
    """UTC for an unknown name, which the API will refuse anyway."""
    return ZoneInfo(name if name in ZONES else "UTC")


def _instant(values: str, zone: ZoneInfo) -> str | None:
    """Parses a browser's ``datetime-local``; other text is returned unchanged, so that the API refuses it."""
    if not values:
        return None
    try:
        at = datetime.fromisoformat(values)
    except ValueError:
        return values
    return (at if at.tzinfo else at.replace(tzinfo=zone)).isoformat()


def _local(instant: str, zone: ZoneInfo) -> str:
    at = datetime.fromisoformat(instant).astimezone(zone).replace(tzinfo=None)
    exact = "minutes" if not (at.second or at.microsecond) else "milliseconds"
    return at.isoformat(timespec=exact)
