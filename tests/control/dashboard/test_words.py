"""Every word of a page is in the catalogues of the other languages, too."""

from pathlib import Path

import pytest
from babel.support import NullTranslations
from jinja2.ext import babel_extract

import control.dashboard
from control.dashboard.i18n import ENGLISH, LANGUAGES, translations_of

_TEMPLATES = Path(control.dashboard.__file__).parent / "templates"
_OPTIONS = {"extensions": "jinja2.ext.i18n", "trim_blocks": "true", "lstrip_blocks": "true"}
_SAME = frozenset({"App", "Banner", "E-mail", "HTML", "Id", "Menu", "Slots", "Status"})
"""Words that Portuguese has from English."""
_ROOMS = ("frame", "keys", "onboarding", "properties", "slots", "targeting")


def _words(room: str) -> set[str | tuple[str, str]]:
    """Sentences, and pairs of one and many."""
    found: set[str | tuple[str, str]] = set()
    for path in sorted((_TEMPLATES / room).glob("*.html")):
        with path.open("rb") as file:
            for _, _, words, _ in babel_extract(file, ("_", "ngettext"), [], _OPTIONS):
                text = [words] if isinstance(words, str) else [word for word in words or () if word]
                found.add((text[0], text[1]) if len(text) > 1 else text[0])
    return found


def _is_known(words: str | tuple[str, str], known: NullTranslations) -> bool:
    if isinstance(words, str):
        return known.gettext(words) != words or words in _SAME
    return known.ngettext(*words, 2) != words[1]


@pytest.mark.parametrize("room", _ROOMS)
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])
def test_every_word_of_a_room_is_translated(room: str, language: str) -> None:
    known = translations_of(language)
    words = _words(room)
    assert words
    assert not [one for one in words if not _is_known(one, known)]
