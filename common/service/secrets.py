"""
The service's key file: one root secret, from which a key for each purpose is derived (HKDF-SHA256).

File: JSON ``{"active": "k1", "keys": {"k1": base64 of 32 random bytes, …}}``. Rotation adds a key and makes it active;
data that an older key sealed can be unsealed while its entry stays.

An edge's key file has only derived keys, those of `EDGE_PURPOSES`, so that a machine that faces the internet cannot
unseal anything else: ``{"active": "k1", "edge_keys": {"k1": {PURPOSE: base64 of 32 bytes, …}}}``.
"""

import base64
import binascii
import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_KEY_BYTES = 32
_NONCE_BYTES = 12


class Purpose(StrEnum):
    """The purpose of a derived key; a key of one purpose never opens data of another."""

    SNAPSHOT = "snapshot"
    """Signing secrets inside the snapshot: shared by the control plane and one edge group."""
    SNAPSHOT_HTTP = "snapshot-http"
    """Proofs with which edges and the control plane authenticate each other over HTTP."""
    CURSOR = "cursor"
    URL = "url"
    STORED_ANSWERS = "stored-answers"
    PROPERTY_SECRETS = "property-secrets"
    PUBLISHABLE_KEYS = "publishable-keys"
    MAILS = "mails"
    SECOND_FACTORS = "second-factors"
    PRIVACY_REQUESTS = "privacy-requests"
    UPLOADS = "uploads"
    EXPORTS = "exports"
    PREVIEWS = "previews"
    SIGN_INS = "sign-ins"
    """State of a sign-in between a correct password and the code of a second factor."""
    CLICK_IDS = "click-ids"
    """Tags by which edges recognise the click ids that they issued."""
    PEOPLE = "people"
    """Hashes under which frequency caps count a person's events."""


EDGE_PURPOSES = (
    Purpose.SNAPSHOT,
    Purpose.SNAPSHOT_HTTP,
    Purpose.PEOPLE,
    Purpose.CLICK_IDS,
)
"""All purposes that an edge uses. After a new one, edge key files must be created again: note it in the changelog."""


class KeyFileInvalid(ValueError):
    """The key file cannot be read; the message names the fault, never the content."""


class KeyNotHeld(RuntimeError):
    """A key for a purpose that no edge has was requested from an edge's key file."""


class SealBroken(ValueError):
    """Sealed bytes are for another purpose, sealed with an unknown key, or were altered."""


@dataclass(frozen=True, slots=True, repr=False)
class KeyRing:
    """
    The parsed key file. ``keys``: root keys by name, empty in an edge's file; ``derived``: an edge's keys by the root
    key's name, empty in any other.
    """

    active: str
    keys: dict[str, bytes]
    derived: Mapping[str, Mapping[Purpose, bytes]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its root keys, whether it has them or only keys derived from them."""
        return tuple(self.derived or self.keys)

    def knows(self, key_id: str) -> bool:
        return key_id in self.keys or key_id in self.derived

    def derive(self, purpose: Purpose, key_id: str | None = None) -> bytes:
        """Returns 32 bytes for *purpose*, from the active root key or the one named. Raises `KeyNotHeld`."""
        name = key_id or self.active
        if self.derived:
            found = self.derived[name].get(purpose)
            if found is None:
                raise KeyNotHeld(f"an edge's key file holds no key of purpose {purpose.value!r}")
            return found
        return HKDF(SHA256(), _KEY_BYTES, salt=None, info=f"placard/{purpose}".encode()).derive(
            self.keys[name]
        )

    def seal(self, purpose: Purpose, plain: bytes, *, bound_to: str) -> str:
        """
        Seals with AES-256-GCM; *bound_to* (an object's id) must be the same at `unseal`.
        Returns text, safe in JSON.
        """
        nonce = os.urandom(_NONCE_BYTES)
        sealed = AESGCM(self.derive(purpose)).encrypt(nonce, plain, bound_to.encode())
        return f"{self.active}.{base64.urlsafe_b64encode(nonce + sealed).decode()}"

    def unseal(self, purpose: Purpose, sealed: str, *, bound_to: str) -> bytes:
        """Raises `SealBroken`."""
        key_id, _, text = sealed.partition(".")
        if not self.knows(key_id):
            raise SealBroken(f"sealed by unknown key {key_id!r}")
        try:
            raw = base64.urlsafe_b64decode(text)
            cipher = AESGCM(self.derive(purpose, key_id))
            return cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], bound_to.encode())
        except (InvalidTag, binascii.Error, ValueError) as error:
            raise SealBroken("sealed bytes do not open") from error

    def sign(self, purpose: Purpose, message: bytes) -> bytes:
        """HMAC-SHA256, 32 bytes."""
        return hmac.digest(self.derive(purpose), message, sha256)


def edge_key_file(keys: KeyRing) -> bytes:
    """Returns the content of a key file for edges, derived from root *keys*."""
    derived = {
        name: {
            purpose.value: base64.b64encode(keys.derive(purpose, name)).decode()
            for purpose in EDGE_PURPOSES
        }
        for name in keys.keys
    }
    return orjson.dumps(
        {"active": keys.active, "edge_keys": derived},
        option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE,
    )


def parse_key_file(text: bytes) -> KeyRing:
    """Parses a key file of the service or of edges. Raises `KeyFileInvalid`."""
    try:
        content = orjson.loads(text)
        if "edge_keys" in content:
            return _edge_ring(content)
        keys = {
            name: base64.b64decode(value, validate=True) for name, value in content["keys"].items()
        }
        active = content["active"]
    except (orjson.JSONDecodeError, binascii.Error, KeyError, TypeError, AttributeError) as error:
        raise KeyFileInvalid('not of the form {"active": NAME, "keys": {NAME: BASE64}}') from error
    if active not in keys:
        raise KeyFileInvalid("the active key is not among the keys")
    if any(len(key) != _KEY_BYTES or "." in name for name, key in keys.items()):
        raise KeyFileInvalid("every key is 32 bytes, and no name holds a dot")
    return KeyRing(active, keys)


def _edge_ring(content: Mapping[str, Any]) -> KeyRing:
    """Skips purposes that this release does not have."""
    derived = {
        name: {
            Purpose(purpose): base64.b64decode(value, validate=True)
            for purpose, value in keys.items()
            if purpose in frozenset(Purpose)
        }
        for name, keys in content["edge_keys"].items()
    }
    if content["active"] not in derived:
        raise KeyFileInvalid("the active key is not among the keys")
    for keys in derived.values():
        missing = [purpose.value for purpose in EDGE_PURPOSES if purpose not in keys]
        if missing:
            raise KeyFileInvalid(
                f"it has no key for {', '.join(missing)}; make it again with `control keys derive-edge`"
            )
        if any(len(key) != _KEY_BYTES for key in keys.values()):
            raise KeyFileInvalid("every key is 32 bytes")
    return KeyRing(content["active"], {}, derived)
