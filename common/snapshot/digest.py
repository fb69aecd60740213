"""
A digest of a whole snapshot, updated at a cost that depends only on the size of the change.

It is the sum modulo 2^256 of SHA-256(type | id | canonical JSON) over all objects. Order does not matter, and adding
and removing are inverse. Two sides with the same digest have the same bytes.
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
    """Returns *digest* after one object's hash is removed and another added."""
    return (digest - removed + added) % MODULUS


def state_digest(entries: Iterable[ObjectChange]) -> int:
    """Returns the digest of a whole state; an entry without a body adds nothing."""
    hashes = (object_hash(e.type, e.id, e.body) for e in entries if e.body is not None)
    return sum(hashes, EMPTY) % MODULUS


def to_text(digest: int) -> str:
    """Returns 64 hex digits."""
    return f"{digest:064x}"
