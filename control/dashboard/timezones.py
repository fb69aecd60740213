"""Time zones as people know them: typed by their IANA name or a city, or chosen by the name of a city and country."""

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from zoneinfo import available_timezones

from babel import Locale, dates
from babel.core import get_global

ZONES = frozenset(available_timezones())
"""Computed once, because it walks a folder of hundreds of files."""
UTC = "UTC"
_OTHER_CITIES = {
    "barcelona": "Europe/Madrid",
    "beijing": "Asia/Shanghai",
    "boston": "America/New_York",
    "brasilia": "America/Sao_Paulo",
    "delhi": "Asia/Kolkata",
    "frankfurt": "Europe/Berlin",
    "milan": "Europe/Rome",
    "mumbai": "Asia/Kolkata",
    "munich": "Europe/Berlin",
    "rio de janeiro": "America/Sao_Paulo",
    "san francisco": "America/Los_Angeles",
    "washington": "America/New_York",
}
"""Large cities that give no zone its name."""
_MAX_TYPED_CHARS = 100
"""Longer text names no zone, and would take long to normalize."""


def list_timezones() -> list[str]:
    return sorted(name for name in ZONES if "/" in name and name[:4] != "Etc/")


def read_timezone(values: Sequence[str]) -> str | None:
    """The IANA name of a typed zone or city, whatever its case and accents; an unknown one stays as typed."""
    given = values[0].strip()
    if len(given) > _MAX_TYPED_CHARS:
        return given
    return _by_typed_name().get(_folded(given), given) or None


@cache
def _by_typed_name() -> dict[str, str]:
    cities = {_folded(name.rpartition("/")[2]): name for name in reversed(list_timezones())}
    return _OTHER_CITIES | cities | {_folded(name): name for name in sorted(ZONES)}


def _folded(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.replace("_", " ")).casefold()
    return "".join(each for each in letters if not unicodedata.combining(each))


def timezone_choices(locale: Locale, chosen: str) -> list[tuple[str, str]]:
    """Every zone of a country, and UTC, with its name. *chosen* is among them, whatever it is."""
    known = _every(locale)
    if not chosen or any(value == chosen for value, _ in known):
        return list(known)
    name = timezone_name(locale, chosen) if chosen in ZONES else chosen
    return [(chosen, name), *known]


def timezone_name(locale: Locale, zone: str) -> str:
    """``São Paulo, Brazil``; where the country is unknown, the city alone."""
    if zone == UTC:
        return UTC
    city = dates.get_timezone_location(zone, locale=locale, return_city=True).rpartition("/")[2]
    # Browsers send former names of many zones, such as Asia/Calcutta.
    present = get_global("zone_aliases").get(zone, zone)
    country = locale.territories.get(get_global("zone_territories").get(present, ""))
    return f"{city}, {country}" if country else city


@lru_cache(maxsize=8)
def _every(locale: Locale) -> tuple[tuple[str, str], ...]:
    zones = [zone for zone in list_timezones() if zone in get_global("zone_territories")]
    named = [(zone, timezone_name(locale, zone)) for zone in zones]
    return ((UTC, UTC), *sorted(named, key=lambda one: one[1]))
