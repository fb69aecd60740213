"""
Parses the parameters that targeting kinds declare, by which a client describes page and user: choices, keywords,
key-values and segments.

Words are trimmed, put in lower case, composed (Unicode) and bounded in length and number.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from common.decision.rules.kinds import PARAMETERS
from common.decision.rules.kinds.kind import Parameter
from common.values.errors import Detail
from common.values.generation_cache import GenerationCache
from common.values.messages import Message
from common.values.text import composed
from edge.request.query import Query

MAX_WORDS = 50
MAX_WORD_CHARS = 128
MAX_KEY_VALUES = 50

_MAX_NAME_CHARS = 64
_KEPT_NAMES = 4096
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
"""A key's name, as a campaign's targeting may write it."""
_UNFIT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""Control characters and surrogates: no campaign can contain them, and no store accepts them."""
_SHOWN_CHARS = 80
_MAX_RAW_CHARS = 4 * MAX_WORD_CHARS
"""Of a word before it is composed, which makes it at most four times shorter (Unicode's FAQ on normalization)."""
_MAX_KEPT = 4096
_MAX_KEPT_CHARS = 512
_MAX_PAIR_CHARS = 64
_cached_pairs = GenerationCache(_MAX_KEPT)
"""Lower-case name and value, by both as they came."""
_remembered = GenerationCache(_MAX_KEPT)
"""Parsed lists by their text. Texts over `_MAX_KEPT_CHARS` are not cached, so that clients cannot fill the memory."""


def parse_signals(
    query: Query, faults: list[Detail], *, believed: bool
) -> Sequence[tuple[Parameter, object]]:
    """
    Parses the parameters that targeting kinds declare, as far as *query* has them. *believed*: see `Admission`; from
    other clients, `Parameter.believed_only` is ignored.
    """
    signals: list[tuple[Parameter, object]] = []
    for parameter in PARAMETERS:
        if parameter.is_key_values:
            if query.key_values:
                signals.append((parameter, key_values_of(query.key_values, faults)))
        elif believed or not parameter.believed_only:
            text = query.get(parameter.name)
            if text is not None:
                signals.append((parameter, parse_signal(parameter, text, faults)))
    return signals


def parse_signal(parameter: Parameter, text: str, faults: list[Detail]) -> object:
    """Adds a fault where *text* is none of the parameter's choices."""
    if not parameter.choices:
        return words_of(parameter.name, text, faults)
    value = parameter.choices.get(text)
    if value is None:
        message = Message(
            "{param} must be one of {choices}.",
            param=parameter.name,
            choices=", ".join(parameter.choices),
        )
        faults.append(Detail(parameter.name, "unknown_value", message))
    return value


def words_of(name: str, text: str, faults: list[Detail]) -> frozenset[str]:
    """
    The words of a comma-separated list. Adds its faults to *faults* under *name*.

    Lists without a fault are cached, because the requests of a page send the same words.
    """
    cached: frozenset[str] | None = _remembered.get(text)
    if cached is not None:
        return cached
    before = len(faults)
    words = _words_of(name, text, faults)
    if len(faults) == before and len(text) <= _MAX_KEPT_CHARS:
        _remembered.put(text, words)
    return words


def _words_of(name: str, text: str, faults: list[Detail]) -> frozenset[str]:
    words = {_composed(word.strip()) for word in text.lower().split(",")}
    words.discard("")
    if len(words) > MAX_WORDS:
        message = Message(
            "{name} has {count} words, and at most {max_words} are allowed. Send fewer.",
            name=name,
            max_words=MAX_WORDS,
            count=len(words),
        )
        faults.append(Detail(name, "too_many", message))
    for word in words:
        if len(word) > MAX_WORD_CHARS or not word.isprintable():
            _add_fault(name, word, faults)
    return frozenset(words)


def key_values_of(
    pairs: Sequence[tuple[str, str]], faults: list[Detail]
) -> Mapping[str, frozenset[str]]:
    """
    The values by name, both in lower case. Adds faults to *faults*.

    *pairs*: names without ``kv.``, and values as they came; a name may occur several times.
    """
    found: dict[str, frozenset[str]] = {}
    for given, text in pairs:
        cached: tuple[str, frozenset[str]] | None = _cached_pairs.get((given, text))
        if cached is not None and cached[0] not in found:
            found[cached[0]] = cached[1]
            continue
        name = _find_name(given[: _MAX_NAME_CHARS + 1])
        if name is None:
            faults.append(_bad_name(given))
            continue
        value = _composed(text.strip().lower())
        if len(value) > MAX_WORD_CHARS or not value.isprintable():
            _add_fault(f"kv.{name}", value, faults)
        if value:
            one = frozenset((value,))
            found[name] = found[name] | one if name in found else one
            if not faults and len(given) + len(text) <= _MAX_PAIR_CHARS:
                _cached_pairs.put((given, text), (name, one))
    if len(pairs) > MAX_KEY_VALUES:
        message = Message(
            "The request has {count} kv. parameters, and at most {max_params} are allowed. Send "
            "fewer.",
            max_params=MAX_KEY_VALUES,
            count=len(pairs),
        )
        faults.append(Detail("kv", "too_many", message))
    return found


def _composed(word: str) -> str:
    """A word that is too long in any form is returned as it is."""
    return composed(word) if len(word) <= _MAX_RAW_CHARS else word


@lru_cache(maxsize=_KEPT_NAMES)
def _find_name(given: str) -> str | None:
    """*given* in lower case; None where no campaign could use that name."""
    name = given.lower()
    return name if _NAME.fullmatch(name) is not None else None


def _add_fault(param: str, word: str, faults: list[Detail]) -> None:
    """Adds the fault of a word that is too long or not printable, at most one for *param*. The word may be valid."""
    if any(fault.param == param for fault in faults):
        return
    if len(word) > MAX_WORD_CHARS:
        message = Message(
            "A word in {param} has more than {max_chars} characters. Send shorter words.",
            param=param,
            max_chars=MAX_WORD_CHARS,
        )
        faults.append(Detail(param, "too_long", message))
    elif _UNFIT.search(word) is not None:
        message = Message("{param} contains control characters. Send plain text.", param=param)
        faults.append(Detail(param, "control_character", message))


def _bad_name(given: str) -> Detail:
    shown = _UNFIT.sub("?", given[:_SHOWN_CHARS])
    return Detail(
        f"kv.{shown}",
        "invalid",
        Message(
            "A name after kv. must begin with a letter or digit, and may have at most 64 "
            "characters of a-z, 0-9, _ . and -."
        ),
    )
