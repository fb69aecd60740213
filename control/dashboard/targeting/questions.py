"""What a user types about a request that is to be explained, as signals of the API."""

from collections.abc import Callable
from typing import Any

from babel import Locale

from control.dashboard.targeting.controls import QUESTIONS, Entries, Question
from control.dashboard.targeting.typed_names import parse_area, parse_language


def parse_signals(locale: Locale, given: Callable[[str], str]) -> dict[str, Any]:
    """
    Returns fields of `AskedSignals`; what is empty is left out. *given* returns the text of a field.

    Unknown names stay as typed: the API's message names the error.
    """
    signals: dict[str, Any] = {}
    for question in QUESTIONS:
        text = given(question.name).strip()
        if text:
            signals |= _parse(locale, question, text)
    return signals


def _parse(locale: Locale, question: Question, text: str) -> dict[str, Any]:
    if question.entries is Entries.AREAS:
        return parse_area(locale, text)
    if question.entries is Entries.BOXES:
        return {question.name: text}
    entries = list(dict.fromkeys(one for part in text.split(",") if (one := part.strip())))
    if question.entries is Entries.LANGUAGES:
        return {question.name: [parse_language(locale, one) for one in entries]}
    if question.entries is Entries.PAIRS:
        return {question.name: _parse_pairs(entries)}
    return {question.name: entries}


def _parse_pairs(entries: list[str]) -> dict[str, list[str]]:
    pairs: dict[str, list[str]] = {}
    for entry in entries:
        key, _, value = entry.partition("=")
        pairs.setdefault(key.strip(), []).append(value.strip())
    return pairs
