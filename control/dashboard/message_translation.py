"""
Translates messages of the API into the user's language.

The rules hold English, with names and numbers filled in; ``locales/LANGUAGE/api.po`` holds the same sentences with
``{0}``, ``{1}`` in their places. A placeholder ``{1:code}`` is the API's name of a state, a verb or a role, which is
translated too (context ``code`` there). All other text stays as typed.

A word that other languages inflect by its subject has a context in the catalogues: ``campaign``, ``ad``, ….
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Protocol

from babel.messages.pofile import read_po

from control.dashboard.i18n import ENGLISH, LANGUAGES, WORDS, translations_of

_PLACE = re.compile(r"\{([a-z0-9_]+)\}")
_FILLED = re.compile(r"\{([a-z0-9_]+)(:code)?\}")
_MAX_CHARS = 2000


class Translate(Protocol):
    def __call__(self, words: str, of: str = "") -> str:
        """
        *of*: the subject of the words, a context of the catalogues; words without that context are translated without
        it.
        """


@dataclass(frozen=True, slots=True)
class MessagePattern:
    """``sizes``: number of literal letters in the pattern; the more, the surer the match."""

    shape: re.Pattern[str]
    said: str
    sizes: int


@lru_cache(maxsize=len(LANGUAGES))
def translate_in(language: str) -> Translate:
    """
    Returns a function that translates a message, a label or a whole sentence into *language*.

    Unknown text stays as it is. The result is text: nothing that is filled in becomes markup.
    """
    if language == ENGLISH:
        return _as_it_stands
    catalogue = translations_of(language)
    plain = catalogue.gettext

    def code(word: str) -> str:
        return str(catalogue.pgettext("code", word))

    sentences = _sentences_of(language)

    @lru_cache(maxsize=5000)
    def say(words: str, of: str = "") -> str:
        bent = catalogue.pgettext(of, words) if of else words
        if bent != words:
            return str(bent)
        found = plain(words) if words else words
        if found != words or " " not in words or len(words) > _MAX_CHARS:
            return found
        return _filled(words, sentences, say, code) or _behind_name(words, say) or words

    return say


def _as_it_stands(words: str, of: str = "") -> str:  # noqa: ARG001 - English bends nothing
    return words


def _filled(
    words: str,
    sentences: tuple[MessagePattern, ...],
    say: Callable[[str], str],
    code: Callable[[str], str],
) -> str | None:
    for one in sentences:
        match = one.shape.fullmatch(words)
        if match:
            given = {name.removeprefix("p"): text for name, text in match.groupdict().items()}
            return _FILLED.sub(partial(_given, given, say, code), one.said)
    return None


def _given(
    given: Mapping[str, str],
    say: Callable[[str], str],
    code: Callable[[str], str],
    place: re.Match[str],
) -> str:
    text = given[place[1]]
    return ", ".join(map(code, text.split(", "))) if place[2] else say(text)


def _behind_name(words: str, say: Callable[[str], str]) -> str | None:
    """Translates the message of ``name: Must be text.``; the name is the API's, or was typed."""
    name, colon, message = words.partition(": ")
    said = say(message) if colon else message
    return f"{name}: {said}" if said != message else None


def _sentences_of(language: str) -> tuple[MessagePattern, ...]:
    """Sentences with placeholders, the surest first."""
    with (WORDS / language / "api.po").open("rb") as file:
        catalogue = read_po(file, locale=language, abort_invalid=True)
    found = [
        _sentence(message.id, str(message.string))
        for message in catalogue
        if isinstance(message.id, str) and _PLACE.search(message.id)
    ]
    return tuple(sorted(found, key=lambda one: -one.sizes))


def _sentence(words: str, said: str) -> MessagePattern:
    shape, end, known = "", 0, set[str]()
    for place in _PLACE.finditer(words):
        name = f"p{place[1]}"
        shape += re.escape(words[end : place.start()])
        shape += f"(?P={name})" if name in known else f"(?P<{name}>.+?)"
        known.add(name)
        end = place.end()
    shape += re.escape(words[end:])
    return MessagePattern(re.compile(shape, re.DOTALL), said, len(_PLACE.sub("", words)))
