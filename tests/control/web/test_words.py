"""Every word of a page is in the catalogues of the other languages, too."""

from pathlib import Path

import pytest
from jinja2.ext import babel_extract

import control.web
from control.web.wording import ENGLISH, LANGUAGES, translations_of

_TEMPLATES = Path(control.web.__file__).parent / "templates"
_OPTIONS = {"extensions": "jinja2.ext.i18n", "trim_blocks": "true", "lstrip_blocks": "true"}
_ROOMS = ("first_steps", "keys", "properties", "slots")


def _words(room: str) -> set[str | tuple[str, str]]:
    found: set[str | tuple[str, str]] = set()
    for path in sorted((_TEMPLATES / room).glob("*.html")):
        with path.open("rb") as file:
            for _, _, words, _ in babel_extract(file, ("_", "ngettext"), [], _OPTIONS):
                if isinstance(words, str):
                    found.add(words)
                    continue
                one, *more = (word for word in words if word)
                found.add((one, more[0]) if more else one)
    return found


@pytest.mark.parametrize("room", _ROOMS)
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])
def test_every_word_of_a_room_is_translated(room: str, language: str) -> None:
    known = translations_of(language)
    words = _words(room)
    assert words
    missing = [
        one
        for one in words
        if not (
            known._catalog.get(one)  # type: ignore[attr-defined]  # what gettext falls back from silently
            if isinstance(one, str)
            else known._catalog.get((one[0], 0))  # type: ignore[attr-defined]  # as above
        )
    ]
    assert not missing
