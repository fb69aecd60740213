"""Identifiers: UUIDv7 for things we make, UUIDv8 derived from a fact for events."""

import hashlib
import struct
import uuid

import uuid_utils

_DIGEST = struct.Struct(">HQ")
_UUID = struct.Struct(">QQ")
_LOW_62 = 2**62 - 1
_make = object.__new__
_set = object.__setattr__
_UNKNOWN_SAFETY = uuid.SafeUUID.unknown


def new_id() -> str:
    """A fresh UUIDv7: sorted by time of making, 74 random bits."""
    return str(uuid_utils.uuid7())


def new_id_at(now_ms: int) -> uuid_utils.UUID:
    """A fresh UUIDv7 of that instant."""
    return uuid_utils.uuid7(nanoseconds=now_ms * 1_000_000)


def is_uuid(text: str) -> bool:
    """Whether *text* is a UUID in canonical lower-case form."""
    if len(text) != 36:  # noqa: PLR2004 - the canonical length
        return False
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


def uuid_of(raw: bytes) -> uuid.UUID:
    """``UUID(bytes=raw)`` of 16 bytes, in a third of the time: the constructor looks for other ways to give an id."""
    made = _make(uuid.UUID)
    _set(made, "int", int.from_bytes(raw, "big"))
    _set(made, "is_safe", _UNKNOWN_SAFETY)
    return made


def derived_id(instant_ms: int, *parts: bytes) -> uuid.UUID:
    """
    A UUIDv8 (RFC 9562 section 5.8): 48 bits of *instant_ms*, then a SHA-256 over *parts*.

    The same facts give the same id on every machine, so an event that arrives twice is one row.
    """
    return uuid.UUID(bytes=derived_bytes(instant_ms, framed(*parts)))


def derived_bytes(instant_ms: int, facts: bytes) -> bytes:
    """The 16 bytes of `derived_id`, of parts that are framed already."""
    first, second = _DIGEST.unpack_from(hashlib.sha256(facts).digest())
    return _UUID.pack(instant_ms << 16 | 0x8000 | first & 0x0FFF, 1 << 63 | second & _LOW_62)


def framed(*parts: bytes) -> bytes:
    """Each part behind its length: no two lists of parts are alike, and frames may be joined."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)
