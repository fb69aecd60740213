"""
A digest of a whole snapshot that costs only the change to update.

Sum modulo 2^256 of SHA-256(type | id | canonical JSON) over all objects: order does not matter, adding and
removing are inverse, and two sides that agree on the number agree on every byte.
"""

import hashlib
from collections.abc import Iterable

from common.snapshot.messages import ObjectChange
from common.snapshot.model import ObjectType

MODULUS = 1 << 256

EMPTY = 0


def object_hash(kind: ObjectType, object_id: str, body: bytes) -> int:
    return int.from_bytes(hashlib.sha256(f"{kind}|{object_id}|".encode() + body).digest(), "big")


def moved(digest: int, *, added: int = 0, removed: int = 0) -> int:
    """*digest* after an object's hash is taken out and another put in."""
    return (digest - removed + added) % MODULUS


def state_digest(entries: Iterable[ObjectChange]) -> int:
    """The digest of a whole state; an entry without a body adds nothing."""
    hashes = (object_hash(e.type, e.id, e.body) for e in entries if e.body is not None)
    return sum(hashes, EMPTY) % MODULUS


def to_text(digest: int) -> str:
    """64 hex digits."""
    return f"{digest:064x}"


def parse_digest(text: str) -> int:
    """Raises ValueError."""
    if len(text) != 64:  # noqa: PLR2004 - 256 bits in hex
        raise ValueError("a digest is 64 hex digits")
    return int(text, 16)
