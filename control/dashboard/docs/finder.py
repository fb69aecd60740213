"""The full-text search of the documentation: guides and operations that have all words of a query."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from common.contract.edge import EDGE_OPERATIONS
from common.contract.operation import Operation
from control.dashboard.docs.guides import list_guides, operation_path
from control.dashboard.docs.markdown import plain_text
from control.foundation.languages import ENGLISH, LANGUAGES, tag_of

MAX_HITS = 30
_EXCERPT_CHARS = 160
_TITLE_WEIGHT = 10
_GUIDE_WEIGHT = 2
"""Of a text that a person reads as a whole, beside one operation."""


@dataclass(frozen=True, slots=True)
class _Page:
    """``title_words``, ``text_words`` and ``words``, which is both: in lower case and without accents, as compared."""

    title: str
    path: str
    text: str
    language: str
    title_words: str
    text_words: str
    words: str
    weight: int


@dataclass(frozen=True, slots=True)
class Hit:
    """``excerpt``: the text around the first of the words. ``tag``: of both texts' language, as in HTML's ``lang``."""

    title: str
    path: str
    excerpt: str
    tag: str


def find(operations: Iterable[Operation], query: str, language: str) -> list[Hit]:
    """
    The best first, at most `MAX_HITS`; none for an empty query. *operations*: of the control plane. *language*: of the
    guides. Case and accents are not compared.
    """
    words = _plain_letters(query).split()
    if not words:
        return []
    index = _build_index(tuple(_text_of(one) for one in (*EDGE_OPERATIONS, *operations)), language)
    found = [
        (-_score(page, words), page.title, page)
        for page in index
        if all(word in page.words for word in words)
    ]
    found.sort(key=lambda one: one[:2])
    return [
        Hit(page.title, page.path, _excerpt(page, words), tag_of(page.language))
        for *_, page in found[:MAX_HITS]
    ]


def _text_of(operation: Operation) -> tuple[str, str, str]:
    """Title, path and text."""
    named = f"{operation.method} {operation.path} {operation.id}"
    return operation.summary, operation_path(operation), f"{named} {operation.description}"


@lru_cache(maxsize=len(LANGUAGES))
def _build_index(reference: tuple[tuple[str, str, str], ...], language: str) -> tuple[_Page, ...]:
    """Built by the first search in a language, then kept: it changes only with the release."""
    guides = (
        _page(one.title, one.path, one.source, one.language, _GUIDE_WEIGHT)
        for one in list_guides(language)
    )
    return (*guides, *(_page(*one, ENGLISH, 1) for one in reference))


def _page(title: str, path: str, text: str, language: str, weight: int) -> _Page:
    plain = plain_text(text)
    title_words, text_words = _plain_letters(title), _plain_letters(plain)
    words = f"{title_words} {text_words}"
    return _Page(title, path, plain, language, title_words, text_words, words, weight)


def _plain_letters(text: str) -> str:
    """*text* in lower case and without accents, with each character in its place: `_excerpt` looks it up there."""
    return "".join(unicodedata.normalize("NFD", letter)[0].lower()[0] for letter in text)


def _score(page: _Page, words: list[str]) -> int:
    in_title = sum(word in page.title_words for word in words)
    in_text = sum(min(page.words.count(word), _TITLE_WEIGHT - 1) for word in words)
    return page.weight * (_TITLE_WEIGHT * in_title + in_text)


def _excerpt(page: _Page, words: list[str]) -> str:
    places = [place for word in words if (place := page.text_words.find(word)) >= 0]
    start = max(0, min(places, default=0) - _EXCERPT_CHARS // 4)
    start = page.text.rfind(" ", 0, start) + 1
    text = page.text[start : start + _EXCERPT_CHARS]
    is_cut = start + _EXCERPT_CHARS < len(page.text)
    return ("… " if start else "") + (text.rpartition(" ")[0] + " …" if is_cut else text)
