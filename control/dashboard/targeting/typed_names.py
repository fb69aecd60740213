"""Countries and languages as a person writes them, in the reader's language or as codes, and back."""

import re
from functools import lru_cache

from babel import Locale

from common.values.languages import TAG
from control.demand.campaigns.countries import COUNTRIES

_ENGLISH = Locale("en")
_AREA = re.compile(r"(.{2,})[-/ ]([a-z0-9]{1,3})")
_CODE = re.compile(TAG)
_LANGUAGE_CHARS = 2
"""Languages of two letters are offered; of the others the code may be written."""


def country_name(locale: Locale, code: str) -> str:
    return str(locale.territories.get(code.upper(), code.upper()))


def area_name(locale: Locale, country: str, region: str | None) -> str:
    """``Brazil``, or ``BR-SP``: we know no names of regions."""
    return f"{country}-{region}".upper() if region else country_name(locale, country)


def language_name(locale: Locale, code: str) -> str:
    return str(locale.languages.get(code, code))


def area_text(locale: Locale, country: str, region: str | None) -> str:
    """As `parse_area` reads it, in a list that commas separate."""
    name = area_name(locale, country, region)
    return country.upper() if "," in name else name


def language_text(locale: Locale, code: str) -> str:
    """As `parse_language` reads it."""
    name = language_name(locale, code)
    return name if parse_language(locale, name) == code.lower() and "," not in name else code


def parse_area(locale: Locale, text: str) -> dict[str, str]:
    """What is not known stays as it was written: the API says what is wrong with it."""
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


def list_countries(locale: Locale) -> list[str]:
    return sorted(country_name(locale, code) for code in COUNTRIES)


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
