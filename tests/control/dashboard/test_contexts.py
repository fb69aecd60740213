"""Each sentence has one context, and a word that depends on its noun is translated for each."""

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
from control.dashboard.i18n import ENGLISH, LANGUAGES, WORDS
from control.dashboard.message_translation import translate_in
from control.dashboard.overview.screens import STATUSES as PROPERTY_STATUSES
from control.dashboard.rendering import HERE
from control.dashboard.reports.export_pages import STATUSES as EXPORT_STATUSES
from control.dashboard.reports.values import GONE
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
    """Of ``said(label, "campaign")`` the latter."""
    templates = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    for path in _TEMPLATES:
        for call in templates.parse(path.read_text("utf-8")).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "said":
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
    ("of", "english", "portuguese"),
    [
        ("campaign", "Paused", "Pausada"),
        ("ad", "Paused", "Pausado"),
        ("ad", "Draft", "Rascunho"),
        ("invoice", "Paid", "Paga"),
        ("payout", "Paid", "Pago"),
        ("state", "All", "Todas"),
        ("format", "All", "Todos"),
        ("", "All", "Todos"),
    ],
)
def test_a_word_agrees_with_the_gender_of_its_noun(of: str, english: str, portuguese: str) -> None:
    assert translate_in("pt_BR")(english, of) == portuguese
    assert translate_in("en")(english, of) == english
