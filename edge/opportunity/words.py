"""Words a caller gives of page and reader: keywords, key-values, segments. Trimmed, in lower case, bounded."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from common.errors import Detail

MAX_WORDS = 50
MAX_WORD_CHARS = 128
MAX_KEY_VALUES = 50

NO_KEY_VALUES: Mapping[str, frozenset[str]] = MappingProxyType({})

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
"""As a campaign's targeting may write it."""
_UNFIT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""Control characters, and halves of characters: no campaign can name them, and no store would take them."""
_SHOWN_CHARS = 80


def words_of(name: str, text: str, faults: list[Detail]) -> frozenset[str]:
    """The words of a list by comma; what is wrong with it goes into *faults* under *name*."""
    words = {word.strip() for word in text.lower().split(",")}
    words.discard("")
    fault = _fault(words)
    if len(words) > MAX_WORDS:
        fault = ("too_many", f"takes at most {MAX_WORDS} words by comma; these are {len(words)}")
    if fault is not None:
        faults.append(Detail(name, fault[0], f"{name} {fault[1]}."))
    return frozenset(words)


def key_values_of(
    pairs: Sequence[tuple[str, str]], faults: list[Detail]
) -> Mapping[str, frozenset[str]]:
    """*pairs*: names without ``kv.`` and values as they came, a name as often as it came. Names in lower case."""
    if not pairs:
        return NO_KEY_VALUES
    found: dict[str, set[str]] = {}
    for given, text in pairs:
        name = given.lower()
        if _NAME.fullmatch(name) is None:
            faults.append(_bad_name(given))
            continue
        value = text.strip().lower()
        if value:
            found.setdefault(name, set()).add(value)
    if len(pairs) > MAX_KEY_VALUES:
        message = f"A call takes at most {MAX_KEY_VALUES} kv. parameters; these are {len(pairs)}."
        faults.append(Detail("kv", "too_many", message))
    for name, values in found.items():
        if fault := _fault(values):
            faults.append(Detail(f"kv.{name}", fault[0], f"kv.{name} {fault[1]}."))
    return {name: frozenset(values) for name, values in found.items()}


def _fault(words: set[str]) -> tuple[str, str] | None:
    """A code and what follows the parameter's name in the message."""
    for word in words:
        if len(word) > MAX_WORD_CHARS:
            return "too_long", f"takes words of at most {MAX_WORD_CHARS} characters"
        if _UNFIT.search(word) is not None:
            return "control_character", "holds control characters; send plain text"
    return None


def _bad_name(given: str) -> Detail:
    shown = _UNFIT.sub("?", given[:_SHOWN_CHARS])
    return Detail(
        f"kv.{shown}",
        "invalid",
        "A name after kv. begins with a letter or digit and holds at most 64 of a-z, 0-9, _ . and -.",
    )
