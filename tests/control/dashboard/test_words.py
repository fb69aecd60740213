"""Every word of a page is in the catalogues of the other languages, and none is from before pages were rewritten."""

import ast
import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from babel.support import NullTranslations
from jinja2.ext import babel_extract

import control.dashboard
from control.dashboard.docs.guides import list_guides
from control.dashboard.reports.presets import PRESETS
from control.foundation.languages import ENGLISH, LANGUAGES, WORDS, translations_of

_TEMPLATES = Path(control.dashboard.__file__).parent / "templates"
_OPTIONS = {"extensions": "jinja2.ext.i18n", "trim_blocks": "true", "lstrip_blocks": "true"}
_SAME = frozenset(
    {
        "%(ms)s ms",
        "App",
        "Audio",
        "Banner",
        "Bundle id",
        "E-mail",
        "Flags",
        "HTML",
        "Id",
        "Menu",
        "Slots",
    }
    | {"Status", "Video"}
)
"""Words that Portuguese or Spanish shares with English."""
_CODE = re.compile(r"\b[a-z]+_[a-z_]+\b")
_FILLED_IN = re.compile(r"%\(\w+\)[sd]|\{\w+\}")
_TYPED = frozenset({"sa_click_id", "sticky_header"})
"""A parameter of an address, and an example of a flag."""
_ROOMS = (
    "demo",
    "docs",
    "frame",
    "keys",
    "onboarding",
    "properties",
    "search",
    "slots",
    "targeting",
)


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
def test_every_word_of_a_folder_of_templates_is_translated(room: str, language: str) -> None:
    known = translations_of(language)
    words = _words(room)
    assert words
    assert not [one for one in words if not _is_known(one, known)]


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])
def test_labels_of_ready_made_reports_are_translated(language: str) -> None:
    assert [label for label, _ in PRESETS if not _is_known(label, translations_of(language))] == []


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])
def test_test_has_its_name_in_each_language(language: str) -> None:
    lines = [
        line
        for path in (WORDS / language).glob("*.po")
        for line in path.read_text("utf-8").splitlines()
    ]

    assert [one for one in lines if one.startswith("msgstr") and re.search(r"\bTEST\b", one)] == []


_FORMER = tuple(
    (Path(__file__).parent / "former_words.txt").read_text("utf-8").lower().splitlines()
)
_MANY_WORDS = 3
"""Shorter ones are wrong only where nothing else stands beside them."""


def _former_in(shown: str) -> list[str]:
    words = " ".join(shown.lower().replace("`", "").split())
    return [
        one
        for one in _FORMER
        if one == words.rstrip(".:") or (len(one.split()) >= _MANY_WORDS and one in words)
    ]


def test_no_former_words_are_shown() -> None:
    """They were literal translations, which readers of English stumbled over."""
    texts: set[str] = set()
    for room in {path.parent.name for path in _TEMPLATES.glob("*/*.html")}:
        for words in _words(room):
            texts.update((words,) if isinstance(words, str) else words)
    for folder in ("common", "control"):
        for path in sorted((_TEMPLATES.parents[2] / folder).rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
            texts.update(node.value for node in constants if isinstance(node.value, str))
    found = {text: former for text in texts if (former := _former_in(text))}

    assert len(texts) > 5_000
    assert found == {}


def _former_translations(language: str) -> re.Pattern[str]:
    listed = (Path(__file__).parent / f"former_words_{language}.txt").read_text("utf-8")
    return re.compile("|".join(rf"\b{re.escape(one)}\b" for one in listed.splitlines()))


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])
def test_no_former_words_are_in_a_translation(language: str) -> None:
    """Literal translations, and second words for one thing, which native readers stumbled over."""
    former = _former_translations(language)
    texts = [
        str(message.string).lower()
        for path in sorted((WORDS / language).glob("*.po"))
        for message in read_po(path.read_bytes().splitlines(keepends=True), locale=language)
        if message.id
    ]
    texts += [one.source.lower() for one in list_guides(language) if one.language == language]

    assert len(texts) > 2_500
    assert {text: former.findall(text) for text in texts if former.search(text)} == {}


@pytest.mark.parametrize(
    ("language", "shown"), [("pt_BR", "o id da solicitação."), ("es", "último reporte: ayer")]
)
def test_former_words_of_a_translation_are_found(language: str, shown: str) -> None:
    assert _former_translations(language).search(shown)


def test_no_page_has_a_code_of_the_api() -> None:
    """States and settings have words there. What stands in braces or in an address is typed as it is."""
    texts = {
        text
        for room in {path.parent.name for path in _TEMPLATES.glob("*/*.html")}
        for words in _words(room)
        for text in ((words,) if isinstance(words, str) else words)
    }
    named = {text: {*_CODE.findall(_FILLED_IN.sub("", text))} - _TYPED for text in texts}

    assert len(texts) > 1_000
    assert {text: codes for text, codes in named.items() if codes} == {}


@pytest.mark.parametrize("shown", ["Open the account", "Check both; nothing is like that."])
def test_former_words_are_found(shown: str) -> None:
    assert _former_in(shown)
