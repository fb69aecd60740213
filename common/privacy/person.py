"""
A person on one property, for counting: a keyed hash of the request's ``uid``, different on every property.

Without the key the uid cannot be found by trial, and a person cannot be followed between properties. Tokens are visible
to other sites. There the hash is masked with the token's own id, so that two tokens of one person look unrelated.
"""

from hashlib import blake2b
from uuid import UUID

PERSON_BYTES = 8


def hash_person(key: bytes, property_id: str, uid: str) -> bytes:
    """Returns 8 bytes. *key*: 32 bytes, for `Purpose.PEOPLE`."""
    salt = UUID(property_id).bytes
    return blake2b(uid.encode(), digest_size=PERSON_BYTES, key=key, salt=salt).digest()


def mask_person(key: bytes, token_id: bytes, person: bytes) -> bytes:
    """Masks a hash, and unmasks a masked one."""
    veil = blake2b(token_id, digest_size=PERSON_BYTES, key=key, person=b"token").digest()
    mixed = int.from_bytes(person, "big") ^ int.from_bytes(veil, "big")
    return mixed.to_bytes(PERSON_BYTES, "big")
