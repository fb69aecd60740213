"""Time zones as people type them: by their IANA name, or by a city."""

import unicodedata
from collections.abc import Sequence
from functools import cache
from zoneinfo import available_timezones

ZONES = frozenset(available_timezones())
"""Computed once, because it walks a folder of hundreds of files."""
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


def list_timezones() -> list[str]:
    return sorted(name for name in ZONES if "/" in name and name[:4] != "Etc/")


def read_timezone(values: Sequence[str]) -> str | None:
    """The IANA name of a typed zone or city, whatever its case and accents; an unknown one stays as typed."""
    given = values[0].strip()
    return _by_typed_name().get(_folded(given), given) or None


@cache
def _by_typed_name() -> dict[str, str]:
    cities = {_folded(name.rpartition("/")[2]): name for name in reversed(list_timezones())}
    return _OTHER_CITIES | cities | {_folded(name): name for name in sorted(ZONES)}


def _folded(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.replace("_", " ")).casefold()
    return "".join(each for each in letters if not unicodedata.combining(each))
