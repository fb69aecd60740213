"""
Key text: a prefix of kind and environment, 30 random base62 characters, 6 characters of CRC32.

The checksum (GitHub's idea) rejects a typo without a look-up; it adds no security. A key is stored as its SHA-256. 30
base62 characters are 178 bits, so a slow hash would add no security, only a means to overload the service.
"""

import hashlib
import secrets
import zlib
from dataclasses import dataclass
from enum import StrEnum

from common.values.environment import Environment

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_CHARS = 30
_CHECK_CHARS = 6
_BODY_CHARS = _RANDOM_CHARS + _CHECK_CHARS
_PREFIX_CHARS = 8
KEY_CHARS = _PREFIX_CHARS + _BODY_CHARS
_MAX_READ_CHARS = 200
"""Of a text that may be no key, as many are redacted: a client chooses its length."""


class KeyKind(StrEnum):
    PUBLISHABLE = "publishable"
    SECRET = "secret"
    INTEGRATION = "integration"


_KIND_BY_PREFIX = {
    "pk": KeyKind.PUBLISHABLE,
    "sk": KeyKind.SECRET,
    "ak": KeyKind.INTEGRATION,
}
_PREFIX_BY_KIND = {kind: prefix for prefix, kind in _KIND_BY_PREFIX.items()}


@dataclass(frozen=True, slots=True)
class KeyText:
    """A well-formed key: its text, and the kind and environment of its prefix."""

    text: str
    kind: KeyKind
    environment: Environment

    @property
    def hash(self) -> bytes:
        """SHA-256 of the whole text, 32 bytes. Keys are stored and looked up by it."""
        return hashlib.sha256(self.text.encode()).digest()

    @property
    def last4(self) -> str:
        return self.text[-4:]

    @property
    def redacted(self) -> str:
        """The part that messages and logs may show."""
        return redacted(self.text)


class KeyMalformed(Exception):
    """The shape, the alphabet or the checksum of a key is wrong. ``redacted``: the part that messages may show."""

    def __init__(self, text: str) -> None:
        self.redacted = redacted(text)
        super().__init__(self.redacted)


def new_key(kind: KeyKind, environment: Environment) -> KeyText:
    random_part = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_CHARS))
    start = f"{_PREFIX_BY_KIND[kind]}_{environment}_{random_part}"
    return KeyText(start + _check(start), kind, environment)


def parse_key_text(text: str) -> KeyText:
    """Raises `KeyMalformed`."""
    parsed = find_key_text(text)
    if parsed is None:
        raise KeyMalformed(text)
    return parsed


def find_key_text(text: str) -> KeyText | None:
    """Returns the parsed key, or None where the shape, the alphabet or the checksum is wrong."""
    if len(text) != KEY_CHARS or text[2] != "_" or text[7] != "_" or not text.isascii():
        return None
    kind = _KIND_BY_PREFIX.get(text[:2])
    if kind is None or text[3:7] not in ("test", "live") or not text[8:].isalnum():
        return None
    if _check(text[:-_CHECK_CHARS]) != text[-_CHECK_CHARS:]:
        return None
    return KeyText(text, kind, Environment(text[3:7]))


def redacted(text: str) -> str:
    """Returns the part of a key that messages and logs may show: prefix and last four characters, always in ASCII."""
    text = text[:_MAX_READ_CHARS].encode("ascii", "replace").decode()
    if len(text) <= _PREFIX_CHARS + 4:
        return text[:3] + "…"
    return f"{text[:_PREFIX_CHARS]}…{text[-4:]}"


def _check(start: str) -> str:
    number = zlib.crc32(start.encode())
    chars = []
    for _ in range(_CHECK_CHARS):
        number, index = divmod(number, len(_ALPHABET))
        chars.append(_ALPHABET[index])
    return "".join(reversed(chars))
