"""Reads the bits of a consent string from its start: one integer with shifts, and no reading past its end."""

import re
from binascii import a2b_base64
from enum import StrEnum

MAX_CHARS = 8192
"""Longer strings are garbled. Most have a few hundred characters; publisher restrictions lead to some of 4 000."""
_ALPHABET = re.compile(r"[A-Za-z0-9_-]+")
_STANDARD = str.maketrans("-_", "+/")
_BITS_A_CHAR = 6


class DecodeError(StrEnum):
    """Why a consent string cannot be read."""

    TOO_LONG = "too_long"
    NOT_BASE64 = "not_base64"
    CUT_SHORT = "cut_short"
    """It ends before the length that it announced."""
    VERSION = "version"
    """A version that this release does not read."""
    SEGMENT = "segment"
    """A segment that is unknown, repeated or in the wrong place."""
    VALUE = "value"
    """A value that its field cannot have."""


class Unreadable(Exception):
    """Ends the reading of one string. Every reader in this folder returns its ``why`` as a value instead."""

    def __init__(self, why: DecodeError) -> None:
        super().__init__(why)
        self.why = why


class Bits:
    """``left``: bits not read yet. Every method raises `Unreadable` where too few are left."""

    __slots__ = ("_value", "left")

    def __init__(self, value: int, length: int) -> None:
        self._value = value
        self.left = length

    def take(self, width: int) -> int:
        """Returns the next *width* bits, the first of them highest."""
        left = self.left - width
        if left < 0:
            raise Unreadable(DecodeError.CUT_SHORT)
        self.left = left
        return (self._value >> left) & ((1 << width) - 1)

    def take_fibonacci(self, max_bits: int) -> int:
        """
        Reads an integer above zero in Fibonacci coding, of at most *max_bits* bits, including the
        terminating one.
        """
        width = min(max_bits, self.left)
        code = f"{(self._value >> (self.left - width)) & ((1 << width) - 1):0{width}b}"
        end = code.find("11") if width else -1
        if end < 0:
            raise Unreadable(DecodeError.CUT_SHORT if width < max_bits else DecodeError.VALUE)
        self.left -= end + 2
        number, weight, following = 0, 1, 2
        for bit in code[: end + 1]:
            if bit == "1":
                number += weight
            weight, following = following, weight + following
        return number


def parse_bits(text: str) -> Bits:
    """*text*: base64url without padding, six bits a character. Raises `Unreadable`."""
    if len(text) > MAX_CHARS:
        raise Unreadable(DecodeError.TOO_LONG)
    if _ALPHABET.fullmatch(text) is None:
        raise Unreadable(DecodeError.NOT_BASE64)
    missing = -len(text) % 4
    raw = a2b_base64(text.translate(_STANDARD) + "A" * missing)
    length = len(text) * _BITS_A_CHAR
    return Bits(int.from_bytes(raw, "big") >> (missing * _BITS_A_CHAR), length)
