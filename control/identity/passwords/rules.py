"""
Passwords that are refused: those that are guessed first, and those made of the user's own name or address.

Length does the rest (12 to 256 characters, any); no rule requires digits or signs (NIST SP 800-63B, 3.1.1.2).
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from common.values.errors import Refused, invalid
from common.values.messages import Message

_UNIT = 4
"""Longest pattern whose repetition is refused, like ``abcdabcdabcd``."""
_OWN_CHARS = 4
"""Shorter parts of a name are ignored, because they occur in too many good passwords."""
_ENOUGH = 8
"""Characters that must remain without the user's own name and address; half as many without common words."""
_WALKS = ("01234567890123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm")
_LOOKS_LIKE = str.maketrans("013457@$!", "oleastasi")
_WORD = re.compile(r"[^\W_]+")


def check_password(param: str, password: str, *own: str) -> None:
    """*own*: the user's address and names. Raises `Refused` (422) about *param*."""
    fault = find_fault(password, own)
    if fault is not None:
        raise _refusal(param, fault)


def find_fault(password: str, own: Iterable[str] = ()) -> Message | None:
    """A sentence about what is wrong with *password*; None if nothing is."""
    lower = password.lower()
    if lower in _common_passwords() or _is_walk(lower) or _is_repetition(lower):
        return Message("This password is easy to guess. Choose a longer phrase of your own.")
    if len(_without(lower, _own_words(own))) < _ENOUGH:
        return Message(
            "This password is made of your own name or address. Choose one that nobody can guess "
            "from them."
        )
    if len(_without(lower.translate(_LOOKS_LIKE), _common_words())) < _ENOUGH // 2:
        return Message(
            "This password is a common word with a few characters added. Choose several words, "
            "or a longer phrase."
        )
    return None


def _refusal(param: str, fault: Message) -> Refused:
    return invalid(param, "guessable", fault)


def _is_walk(password: str) -> bool:
    """Whether *password* follows the keyboard, the alphabet or the digits, in either direction."""
    return any(password in walk or password in walk[::-1] for walk in _WALKS)


def _is_repetition(password: str) -> bool:
    return any(
        password == (password[:unit] * len(password))[: len(password)]
        for unit in range(1, _UNIT + 1)
    )


def _own_words(own: Iterable[str]) -> set[str]:
    return {word for text in own for word in _WORD.findall(text.lower()) if len(word) >= _OWN_CHARS}


def _without(password: str, words: Iterable[str]) -> str:
    for word in sorted(words, key=len, reverse=True):
        password = password.replace(word, "")
    return password


@cache
def _common_passwords() -> frozenset[str]:
    return frozenset(_lines("common_passwords.txt"))


@cache
def _common_words() -> frozenset[str]:
    """Common words, written with the letters that digits and signs are mapped to."""
    return frozenset(word.translate(_LOOKS_LIKE) for word in _lines("common_words.txt"))


def _lines(name: str) -> list[str]:
    return (Path(__file__).parent / name).read_text().split()
