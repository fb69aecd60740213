"""
Languages of people: catalogues below ``control/dashboard/locales/``, one folder a language, one file a section.

The English catalogue has only sentences of the API, as people need them: with labels instead of the API's names.
"""

from enum import StrEnum
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

WORDS = Path(__file__).parents[1] / "dashboard" / "locales"
ENGLISH = "en"
LANGUAGES = (ENGLISH, *sorted(one.name for one in WORDS.iterdir() if one.name != ENGLISH))
"""Names of the folders below ``locales/``: a language is there once it has a folder."""
_FORMATS = {"es": "es_419"}
"""
Formats of a language that names no country, where those of CLDR are of another country than the words.

Source: CLDR's ``es`` has the formats of Spain, ``es_419`` those of Latin America.
"""


class Language(StrEnum):
    """The same languages in the API: BCP 47 tags."""

    EN = "en"
    ES = "es"
    PT_BR = "pt-BR"

    @classmethod
    def _missing_(cls, value: object) -> "Language | None":
        """Takes a tag in any case."""
        return next((one for one in cls if str(value).lower() == one.lower()), None)

    @property
    def folder(self) -> str:
        """One of `LANGUAGES`."""
        return self.value.replace("-", "_")


def tag_of(language: str) -> str:
    """The API's name of one of `LANGUAGES`."""
    return language.replace("_", "-")


def formats_of(language: str) -> Locale:
    """The locale of numbers and times where only the language is known, one of `LANGUAGES`."""
    return Locale.parse(_FORMATS.get(language, language))


@lru_cache(maxsize=len(LANGUAGES))
def translations_of(language: str) -> NullTranslations:
    """The catalogues of all sections of a language, merged."""
    found: Translations | None = None
    for path in sorted((WORDS / language).glob("*.po")):
        one = _read(path, language)
        found = one if found is None else found.merge(one)
    return found or NullTranslations()


def _read(path: Path, language: str) -> Translations:
    with path.open("rb") as file:
        catalogue = read_po(file, locale=language, abort_invalid=True)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return Translations(compiled)
