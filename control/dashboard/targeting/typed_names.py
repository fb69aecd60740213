"""Countries and languages as people write them, in the user's language or as codes, and back."""

import re
from functools import lru_cache

from babel import Locale

from common.values.countries import COUNTRIES
from common.values.languages import TAG

_AREA = re.compile(r"(.{2,})[-/ ]([a-z0-9]{1,3})")
_CODE = re.compile(TAG)
_LANGUAGE_CHARS = 2
"""Languages with two-letter codes are offered; for others the code may be typed."""


def country_name(locale: Locale, code: str) -> str:
    return str(locale.territories.get(code.upper(), code.upper()))


def area_name(locale: Locale, country: str, region: str | None) -> str:
    """``Brazil``, or ``BR-SP``: no names of regions are available."""
    return f"{country}-{region}".upper() if region else country_name(locale, country)


def language_name(locale: Locale, code: str) -> str:
    return str(locale.languages.get(code, code))


def area_text(locale: Locale, country: str, region: str | None) -> str:
    """In the form that `parse_area` reads, for a list separated by commas."""
    name = area_name(locale, country, region)
    return country.upper() if "," in name else name


def language_text(locale: Locale, code: str) -> str:
    """In the form that `parse_language` reads."""
    name = language_name(locale, code)
    return name if parse_language(locale, name) == code.lower() and "," not in name else code


def parse_area(locale: Locale, text: str) -> dict[str, str]:
    """Unknown text stays as typed: the API's message names the error."""
    given = " ".join(text.casefold().split())
    country = _find_country(locale, given)
    if country:
        return {"country": country}
    parts = _AREA.fullmatch(given)
    country = _find_country(locale, parts[1].strip()) if parts else None
    if parts and country:
        return {"country": country, "region": parts[2]}
    return {"country": given}


def parse_language(locale: Locale, text: str) -> str:
    given = " ".join(text.casefold().split())
    found = _codes_of_languages(str(locale)).get(given) or _codes_of_languages("en").get(given)
    if found:
        return found
    code = given.replace("_", "-")
    return code if _CODE.fullmatch(code) else given


def list_countries(locale: Locale) -> list[tuple[str, str]]:
    """Names and their codes."""
    return sorted((country_name(locale, code), code) for code in COUNTRIES)


def list_languages(locale: Locale) -> list[str]:
    return sorted(set(_codes_of_languages(str(locale), shown=True)))


def _find_country(locale: Locale, given: str) -> str | None:
    if given in COUNTRIES:
        return given
    return _codes_of_countries(str(locale)).get(given) or _codes_of_countries("en").get(given)


@lru_cache(maxsize=8)
def _codes_of_countries(locale: str) -> dict[str, str]:
    known = Locale.parse(locale)
    return {country_name(known, code).casefold(): code for code in COUNTRIES}


@lru_cache(maxsize=16)
def _codes_of_languages(locale: str, *, shown: bool = False) -> dict[str, str]:
    known = Locale.parse(locale).languages
    return {
        (str(name) if shown else str(name).casefold()): code
        for code, name in known.items()
        if len(code) == _LANGUAGE_CHARS
    }
