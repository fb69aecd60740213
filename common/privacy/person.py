"""
A person on one property, as counts know them: a keyed hash of the caller's ``uid``, another on every property.

Without the key nobody finds the uid by trying, and nobody follows a person from property to property. In tokens, which
pages of others see, it is masked by the token's own id, so that two tokens of one person look unrelated.
"""

from hashlib import blake2b
from uuid import UUID

PERSON_BYTES = 8


def hash_person(key: bytes, property_id: str, uid: str) -> bytes:
    """8 bytes. *key*: 32 bytes, of `Purpose.PEOPLE`."""
    salt = UUID(property_id).bytes
    return blake2b(uid.encode(), digest_size=PERSON_BYTES, key=key, salt=salt).digest()


def mask_person(key: bytes, token_id: bytes, person: bytes) -> bytes:
    """Masks, and unmasks what it masked."""
    veil = blake2b(token_id, digest_size=PERSON_BYTES, key=key, person=b"token").digest()
    mixed = int.from_bytes(person, "big") ^ int.from_bytes(veil, "big")
    return mixed.to_bytes(PERSON_BYTES, "big")
