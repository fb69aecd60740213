"""Identifiers: UUIDv7 for things we make, UUIDv8 derived from a fact for events."""

import hashlib
import uuid

import uuid_utils


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


def derived_id(instant_ms: int, *parts: bytes) -> uuid.UUID:
    """
    A UUIDv8 (RFC 9562 section 5.8): 48 bits of *instant_ms*, then a SHA-256 over *parts*.

    The same facts give the same id on every machine, so an event that arrives twice is one row.
    Parts are length-prefixed: no two lists of parts hash alike.
    """
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(4, "big"))
        digest.update(part)
    raw = bytearray(instant_ms.to_bytes(6, "big") + digest.digest()[:10])
    raw[6] = 0x80 | (raw[6] & 0x0F)
    raw[8] = 0x80 | (raw[8] & 0x3F)
    return uuid.UUID(bytes=bytes(raw))
