"""Identifiers: UUIDv7 for created objects, UUIDv8 derived from facts for events."""

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
    """Returns a new UUIDv7: sorted by creation time, with 74 random bits."""
    return str(uuid_utils.uuid7())


def new_id_at(now_ms: int) -> uuid_utils.UUID:
    """Returns a new UUIDv7 with the timestamp *now_ms*."""
    return uuid_utils.uuid7(nanoseconds=now_ms * 1_000_000)


def is_uuid(text: str) -> bool:
    """Whether *text* is a UUID in canonical lower-case form."""
    if len(text) != 36:  # noqa: PLR2004 - the canonical length
        return False
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


def canonical_id(text: str) -> str:
    """Returns a UUID in lower case, as ids are stored: RFC 9562 lets clients send either. Other text is unchanged."""
    lower = text.lower()
    return lower if is_uuid(lower) else text


def uuid_of(raw: bytes) -> uuid.UUID:
    """
    Returns ``UUID(bytes=raw)`` for 16 bytes in a third of the time:
    the constructor checks its other arguments first.
    """
    made = _make(uuid.UUID)
    _set(made, "int", int.from_bytes(raw, "big"))
    _set(made, "is_safe", _UNKNOWN_SAFETY)
    return made


def derived_id(instant_ms: int, *parts: bytes) -> uuid.UUID:
    """
    Returns a UUIDv8 (RFC 9562 section 5.8): 48 bits of *instant_ms*, then a SHA-256 over *parts*.

    The same facts give the same id on every machine, so an event that arrives twice is stored as one row.
    """
    return uuid.UUID(bytes=derived_bytes(instant_ms, framed(*parts)))


def derived_bytes(instant_ms: int, facts: bytes) -> bytes:
    """Returns the 16 bytes of `derived_id`; *facts* are parts that `framed` has already joined."""
    first, second = _DIGEST.unpack_from(hashlib.sha256(facts).digest())
    return _UUID.pack(instant_ms << 16 | 0x8000 | first & 0x0FFF, 1 << 63 | second & _LOW_62)


def framed(*parts: bytes) -> bytes:
    """
    Prefixes each part with its length.
    Different lists of parts have different frames, and frames may be concatenated.
    """
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)
