"""
The language of a page's reader. Templates hold English, catalogues other languages (`control.foundation.languages`).

Numbers, money and times are written as in the user's locale.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from sanic import Request

from control.dashboard.timezones import UTC, ZONES
from control.foundation.http.cookies import find_cookie
from control.foundation.languages import ENGLISH, LANGUAGES, formats_of

LANGUAGE = "placard_language"
"""The cookie with the user's chosen language."""
_TIMEZONE = "placard_timezone"


@dataclass(frozen=True, slots=True)
class UserLocale:
    """``language``: of `LANGUAGES`. ``locale``: the format of numbers and times, which may also name a country."""

    language: str
    locale: Locale

    @property
    def tag(self) -> str:
        """As in HTML's ``lang`` attribute."""
        return self.language.replace("_", "-")

    @property
    def formats(self) -> str:
        """The tag of ``locale``, by which scripts format numbers and times."""
        return str(self.locale).replace("_", "-")


def choose_locale(wanted: str | None, accepted: str) -> UserLocale:
    """*wanted*: a tag the user chose, or None. *accepted*: the header ``Accept-Language``. Falls back to English."""
    for tag in ([wanted] if wanted else []) + _accepted(accepted):
        locale = _find_locale(tag)
        language = _find_language(locale) if locale else None
        if locale and language:
            return UserLocale(language, locale if locale.territory else formats_of(language))
    return UserLocale(ENGLISH, Locale("en", "US"))


def language_of(request: Request) -> UserLocale:
    """The language chosen by the user, or one that the browser accepts; for pages without a session."""
    accepted = request.headers.getone("accept-language", "")
    return choose_locale(find_cookie(request, LANGUAGE), accepted)


def timezone_of(request: Request) -> ZoneInfo:
    """The user's time zone, which the page's script sends: in a cookie, or in a window in a header. UTC before that."""
    sent = request.headers.getone(_TIMEZONE.replace("_", "-"), None)
    name = unquote(sent or find_cookie(request, _TIMEZONE) or UTC)
    return ZoneInfo(name if name in ZONES else UTC)


def name_of(language: str) -> str:
    """What a language calls itself: ``Português (Brasil)``."""
    name = Locale.parse(language).get_display_name() or language
    return name[:1].upper() + name[1:]


def _find_language(locale: Locale) -> str | None:
    """Portuguese of any country maps to Brazilian Portuguese, and Spanish to that of Latin America."""
    return next((one for one in LANGUAGES if one.split("_")[0] == locale.language), None)


@lru_cache(maxsize=512)
def _find_locale(tag: str) -> Locale | None:
    """The locale of *tag*, or of its longest prefix that names one (RFC 4647, 3.4)."""
    rest = tag.strip().replace("_", "-")
    while rest:
        with suppress(UnknownLocaleError, ValueError):
            return Locale.parse(rest, sep="-")
        rest = rest.rpartition("-")[0]
    return None


def _accepted(header: str) -> list[str]:
    """The tags, by descending weight. Tags with an invalid weight are left out."""
    weighed: list[tuple[float, str]] = []
    for part in header[:500].split(","):
        tag, _, weight = part.partition(";")
        try:
            wanted = float(weight.partition("=")[2]) if weight else 1.0
        except ValueError:
            continue
        if tag.strip() and wanted > 0:
            weighed.append((wanted, tag.strip()))
    return [tag for _, tag in sorted(weighed, key=lambda pair: -pair[0])]
