"""Converts the targeting of a campaign or an ad from the fields of a form to the body of the API, and back."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from babel import Locale

from control.dashboard.form_body import Reader, body_of, choices, lines, text
from control.dashboard.form_errors import FormFields
from control.dashboard.form_rows import Fields, Repeated, put_rows
from control.dashboard.targeting.controls import EVERY_CONTROL, Entries
from control.dashboard.targeting.labels import DAYS
from control.dashboard.targeting.typed_names import (
    area_text,
    language_text,
    parse_area,
    parse_language,
)


def lowered(values: Sequence[str]) -> list[str] | None:
    """Targeting values are lower case, even if the keyboard of a phone capitalises them."""
    found = lines(values)
    return [one.lower() for one in found] if found else None


DAYPARTS = Repeated(
    "targeting.dayparts", {"days": choices, "start": text, "end": text}, ("days", "start", "end")
)
KEY_VALUES = Repeated(
    "targeting.key_values", {"key": text, "op": text, "values": lowered}, ("key", "values")
)
REPEATED = (DAYPARTS, KEY_VALUES)
_CLOCK = re.compile(r"[0-9]{2}:[0-9]{2}")
_DAYS = tuple(DAYS)
_SLOTS = ("targeting.slots.include", "targeting.slots.exclude")
_BOXES = frozenset(
    {one.name for one in EVERY_CONTROL.values() if one.entries is Entries.BOXES} | {*_SLOTS, "days"}
)
"""One value a field entry; all others hold one entry a line."""


def readers_of(locale: Locale) -> dict[str, Reader]:
    """The readers of every field except the repeated ones."""

    def areas(values: Sequence[str]) -> list[dict[str, str]] | None:
        found = lines(values)
        return [parse_area(locale, one) for one in found] if found else None

    def languages(values: Sequence[str]) -> list[str] | None:
        found = lines(values)
        return [parse_language(locale, one) for one in found] if found else None

    readers: dict[Entries, Reader] = {
        Entries.AREAS: areas,
        Entries.LANGUAGES: languages,
        Entries.WORDS: lowered,
        Entries.BOXES: choices,
    }
    own = {one.name: readers[one.entries] for one in EVERY_CONTROL.values()}
    return own | dict.fromkeys(_SLOTS, choices)


FIELDS = tuple(readers_of(Locale("en")))
SHAPE = FormFields(FIELDS, REPEATED)


def read_targeting(fields: Fields, locale: Locale) -> tuple[dict[str, Any], dict[str, str]]:
    """The `targeting` of the API, and the position of its rows in the form (see `put_rows`)."""
    body = body_of(fields, readers_of(locale))
    places = put_rows(body, fields, REPEATED)
    targeting = body.get("targeting", {})
    split_nights(targeting, places)
    return targeting, places


def split_nights(targeting: dict[str, Any], places: dict[str, str]) -> None:
    """Splits windows over midnight in two, as the API has them: the second is of the next days. Extends *places*."""
    parts = targeting.get("dayparts", [])
    for number, part in enumerate(list(parts)):
        days, start, end = (part.get(name) for name in ("days", "start", "end"))
        is_night = days and start and end and _CLOCK.fullmatch(end) and end < start
        if not is_night or not set(days) <= set(_DAYS):
            continue
        part["end"] = "24:00"
        if end == "00:00":
            continue
        places[f"{DAYPARTS.name}.{len(parts)}"] = places[f"{DAYPARTS.name}.{number}"]
        next_days = [_DAYS[(_DAYS.index(day) + 1) % len(_DAYS)] for day in days]
        parts.append({"days": next_days, "start": "00:00", "end": end})


def fields_of(targeting: Mapping[str, Any], locale: Locale) -> dict[str, list[str]]:
    """The fields that `read_targeting` reads, from the targeting of the API."""
    outer = {"targeting": targeting}
    found = {name: _written(_at(outer, name), name, locale) for name in FIELDS}
    for each in REPEATED:
        for number, row in enumerate(_at(outer, each.name) or ()):
            for name in each.readers:
                found[f"{each.name}.{number}.{name}"] = _written(row.get(name), name, locale)
    return {name: values for name, values in found.items() if values}


def _written(value: Any, name: str, locale: Locale) -> list[str]:
    """The text of a field that is read as *value*."""
    match value:
        case None:
            return []
        case list() if name in _BOXES:
            return list(value)
        case list():
            return ["\n".join(_entries(value, name, locale))]
        case _:
            return [str(value)]


def _entries(values: list[Any], name: str, locale: Locale) -> list[str]:
    control = EVERY_CONTROL.get(name)
    match control and control.entries:
        case Entries.AREAS:
            return [area_text(locale, area["country"], area.get("region")) for area in values]
        case Entries.LANGUAGES:
            return [language_text(locale, code) for code in values]
        case _:
            return list(values)


def _at(value: Any, name: str) -> Any:
    for step in name.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value
