"""Each sentence has one context, and a word that depends on its noun is translated for each."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from babel.messages import Catalog
from babel.messages.pofile import read_po
from jinja2 import Environment, nodes
from jinja2.ext import babel_extract

from control.dashboard.ads.messages import AD_STATUSES, ASSET_STATUSES
from control.dashboard.billing import invoices, payouts
from control.dashboard.campaigns import labels
from control.dashboard.overview.screens import STATUSES as PROPERTY_STATUSES
from control.dashboard.rendering import HERE
from control.dashboard.reports.export_pages import STATUSES as EXPORT_STATUSES
from control.dashboard.reports.values import GONE
from control.foundation.languages import ENGLISH, LANGUAGES, WORDS
from control.foundation.message_translation import translate_in
from control.reporting.reports.vocabulary import NAMED

_OTHERS = [one for one in LANGUAGES if one != ENGLISH]
_TEMPLATES = sorted((HERE / "templates").rglob("*.html"))
_OPTIONS = {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}
_SAID_OF: dict[str, tuple[str, ...]] = {
    "campaign": (*labels.STATUSES.values(), *(words for words, _ in labels.CHIPS.values()), GONE),
    "ad": (*(words for words, _ in (*AD_STATUSES.values(), *labels.AD_CHIPS.values())), GONE),
    "asset": tuple(words for words, _, _ in ASSET_STATUSES.values()),
    "property": (*(words for words, _ in PROPERTY_STATUSES.values()), GONE),
    "slot": (GONE,),
    "invoice": tuple(words for words, _ in invoices.STATUS.values()),
    "payout": tuple(words for words, _ in payouts.STATUS.values()),
    "export": tuple(words for words, _ in EXPORT_STATUSES.values()),
}
_PLACEHOLDER = re.compile(r"%\(\w+\)[ds]|%%")
"""Braces stay out: a page may leave parameters of a `Message` out, which test_messages.py checks."""
Key = tuple[str, str]
"""Context or nothing, and English."""


def _catalogues(language: str) -> Mapping[Path, Catalog]:
    found: dict[Path, Catalog] = {}
    for path in sorted((WORDS / language).glob("*.po")):
        with path.open("rb") as file:
            found[path] = read_po(file, locale=language, abort_invalid=True)
    return found


def _said(language: str) -> Mapping[Key, set[str]]:
    """All that the catalogues of a language say for each."""
    found: defaultdict[Key, set[str]] = defaultdict(set)
    for catalogue in _catalogues(language).values():
        for message in catalogue:
            words = message.id if isinstance(message.id, str) else message.id[0]
            if words:
                found[message.context or "", words].add(str(message.string))
    return found


def _words_of_templates() -> Iterator[Key]:
    for path in _TEMPLATES:
        with path.open("rb") as file:
            for _, function, words, _ in babel_extract(
                file, ("_", "gettext", "ngettext", "pgettext"), (), _OPTIONS
            ):
                each = [words] if isinstance(words, str) else [one for one in words or () if one]
                yield (each[0], each[1]) if function == "pgettext" else ("", each[0])


def _contexts_of_values() -> Iterator[str]:
    """Of ``translated(label, "campaign")`` the latter."""
    templates = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    for path in _TEMPLATES:
        for call in templates.parse(path.read_text("utf-8")).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "translated":
                yield from (one.value for one in call.args[1:] if isinstance(one, nodes.Const))


@pytest.mark.parametrize("language", _OTHERS)
def test_a_sentence_has_one_context_in_all_catalogues(language: str) -> None:
    text = _said(language)

    assert len(text) > 1000
    assert {key: ways for key, ways in text.items() if len(ways) > 1} == {}


@pytest.mark.parametrize("language", _OTHERS)
def test_a_sentence_occurs_once_in_a_catalogue(language: str) -> None:
    for path, catalogue in _catalogues(language).items():
        heads = [line for line in path.read_text("utf-8").splitlines() if line.startswith("msgid ")]
        assert len(heads) == len(catalogue) + 1, path.name


@pytest.mark.parametrize("language", _OTHERS)
def test_every_word_of_a_template_has_an_entry_in_its_context(language: str) -> None:
    used = set(_words_of_templates())

    assert ("key", "Active") in used
    assert used - set(_said(language)) == set()


@pytest.mark.parametrize("language", _OTHERS)
def test_every_context_of_a_value_has_an_entry(language: str) -> None:
    used = set(_contexts_of_values())

    assert "campaign" in used
    assert used - {context for context, _ in _said(language)} == set()


@pytest.mark.parametrize("of", _SAID_OF)
@pytest.mark.parametrize("language", _OTHERS)
def test_every_state_of_an_object_is_translated(language: str, of: str) -> None:
    known = _said(language)

    assert {words for words in _SAID_OF[of] if not {(of, words), ("", words)} & set(known)} == set()


@pytest.mark.parametrize("language", _OTHERS)
def test_deleted_is_translated_for_every_object_of_a_report(language: str) -> None:
    assert {(one.value, GONE) for one in NAMED} - set(_said(language)) == set()


@pytest.mark.parametrize(
    ("of", "english", "portuguese", "spanish"),
    [
        ("campaign", "Paused", "Pausada", "En pausa"),
        ("campaign", "Approved", "Aprovada", "Aprobada"),
        ("ad", "Paused", "Pausado", "En pausa"),
        ("ad", "Draft", "Rascunho", "Borrador"),
        ("invoice", "Paid", "Paga", "Pagada"),
        ("payout", "Paid", "Pago", "Pagada"),
        ("state", "All", "Todas", "Todos"),
        ("source", "All", "Todas", "Todos"),
        ("surface", "All", "Todas", "Todas"),
        ("format", "All", "Todos", "Todos"),
        ("", "All", "Todos", "Todos"),
    ],
)
def test_a_word_agrees_with_the_gender_of_its_noun(
    of: str, english: str, portuguese: str, spanish: str
) -> None:
    assert translate_in("pt_BR")(english, of) == portuguese
    assert translate_in("es")(english, of) == spanish
    assert translate_in("en")(english, of) == english


def _entries(language: str) -> Mapping[tuple[str, str, str], str]:
    """Each entry by its file, context and English; with all its plural forms."""
    found: dict[tuple[str, str, str], str] = {}
    for path, catalogue in _catalogues(language).items():
        for message in catalogue:
            english = [message.id] if isinstance(message.id, str) else list(message.id)
            forms = (
                [message.string] if isinstance(message.string, str) else list(message.string or ())
            )
            if english[0]:
                key = (path.name, message.context or "", "\0".join(english))
                found[key] = "\0".join(forms) if all(forms) else ""
    return found


def test_all_languages_have_the_same_entries() -> None:
    """So a new language is complete once it has one folder with these files."""
    entries = {language: _entries(language) for language in _OTHERS}
    every = set().union(*entries.values())

    assert {language: every - set(known) for language, known in entries.items()} == {
        language: set() for language in _OTHERS
    }


@pytest.mark.parametrize("language", _OTHERS)
def test_an_entry_has_words_and_the_placeholders_of_its_english(language: str) -> None:
    wrong = {
        key: words
        for key, words in _entries(language).items()
        if not words or set(_PLACEHOLDER.findall(words)) != set(_PLACEHOLDER.findall(key[2]))
    }

    assert wrong == {}
