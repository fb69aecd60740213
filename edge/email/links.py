"""
Links of mails that are not tokens of a served ad: they name a slot, a recipient and its signals, and the ad behind them
is decided when they are opened.

A link is sealed with AES-256-GCM under a key derived from the property's signing secret, so nobody can read a
recipient's signals in it, or make one up. The secret's rotation leaves older links valid, as it does tokens.

Text: base64url of kid (4 bytes), property (16), nonce (12), and the sealed rest. Rest: `_LAYOUT`, then the signals as
JSON.
"""

import binascii
import os
import struct
import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from common.snapshot.model import Property
from common.snapshot.snapshot import Snapshot
from common.values.environment import Environment
from edge.state.signing_keys import SigningSecrets

_MAX_SIGNAL_BYTES: Final = 4096
_HEAD: Final = struct.Struct(">I16s12s")
_LAYOUT: Final = struct.Struct(">B6sI16s16s16sHH8s")
_MAX_CHARS: Final = 4 * (_HEAD.size + _LAYOUT.size + _MAX_SIGNAL_BYTES + 16) // 3 + 4
_LIMITED, _CHILD_DIRECTED, _UNMEASURED, _EXACT = 1, 2, 4, 8
_NOBODY: Final = bytes(8)
_NO_AD: Final = bytes(16)
_KEY_BYTES: Final = 32


class LinkUse(StrEnum):
    """A link of one use is none of another: an image's address cannot be turned into a click."""

    IMAGE = "image"
    CLICK = "click"


class LinkInvalid(ValueError):
    """Not a link that this service made for this use."""


@dataclass(frozen=True, slots=True)
class MailSignals:
    """What the sender stated about a recipient, in lower case."""

    country: str | None = None
    languages: tuple[str, ...] = ()
    key_values: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def encode(self) -> bytes:
        if self == NO_SIGNALS:
            return b""
        return orjson.dumps((self.country, self.languages, self.key_values))


NO_SIGNALS: Final = MailSignals()


@dataclass(frozen=True, slots=True)
class MailLink:
    """
    ``mail_id``: of one slot in one recipient's mail. ``ad_id``: the ad where it was chosen before, for a mail without
    recipients. ``width``, ``height``: of the image in the mail. ``is_exact``: only an ad of this size shows. Links of
    earlier versions lack it: their size may be one that no ad has. ``person``: as `FrequencyCaps.person`.
    """

    mail_id: uuid.UUID
    slot_id: str
    ad_id: str | None
    issued_ms: int
    life_s: int
    width: int
    height: int
    person: bytes | None
    signals: MailSignals
    limited: bool = False
    child_directed: bool = False
    measured: bool = True
    is_exact: bool = False

    @property
    def expires_ms(self) -> int:
        return self.issued_ms + self.life_s * 1000


def seal_link(
    secrets: SigningSecrets, prop: Property, environment: Environment, link: MailLink, use: LinkUse
) -> str:
    """Raises `Unavailable` where the property's signing secret is unavailable."""
    kid, secret = secrets.signing(prop)
    head = _HEAD.pack(kid, uuid.UUID(prop.id).bytes, os.urandom(12))
    flags = (
        (_LIMITED if link.limited else 0)
        | (_CHILD_DIRECTED if link.child_directed else 0)
        | (0 if link.measured else _UNMEASURED)
        | (_EXACT if link.is_exact else 0)
    )
    plain = _LAYOUT.pack(
        flags,
        link.issued_ms.to_bytes(6, "big"),
        link.life_s,
        link.mail_id.bytes,
        uuid.UUID(link.slot_id).bytes,
        _NO_AD if link.ad_id is None else uuid.UUID(link.ad_id).bytes,
        link.width,
        link.height,
        link.person or _NOBODY,
    )
    sealed = _cipher(secret).encrypt(
        head[-12:], plain + link.signals.encode(), _bound_to(head, environment, use)
    )
    return urlsafe_b64encode(head + sealed).decode().rstrip("=")


def open_link(
    secrets: SigningSecrets, snapshot: Snapshot, text: str, use: LinkUse
) -> tuple[MailLink, Property]:
    """Raises `LinkInvalid`. An expired link opens, too."""
    try:
        if len(text) > _MAX_CHARS:
            raise LinkInvalid("too long")
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        kid, property_id, nonce = _HEAD.unpack_from(raw)
        prop = snapshot.properties.get(str(uuid.UUID(bytes=property_id)))
        secret = None if prop is None else secrets.find(prop, kid)
        if prop is None or secret is None:
            raise LinkInvalid("no property's secret sealed this")
        bound = _bound_to(raw[: _HEAD.size], snapshot.environment, use)
        plain = _cipher(secret).decrypt(nonce, raw[_HEAD.size :], bound)
    except (ValueError, struct.error, binascii.Error, InvalidTag) as error:
        raise LinkInvalid(str(error)) from error
    return _unpack(plain), prop


def _unpack(plain: bytes) -> MailLink:
    flags, issued, life_s, mail_id, slot, ad, width, height, person = _LAYOUT.unpack_from(plain)
    signals = NO_SIGNALS
    if len(plain) > _LAYOUT.size:
        country, languages, key_values = orjson.loads(plain[_LAYOUT.size :])
        signals = MailSignals(
            country,
            tuple(languages),
            tuple((name, tuple(values)) for name, values in key_values),
        )
    return MailLink(
        uuid.UUID(bytes=mail_id),
        str(uuid.UUID(bytes=slot)),
        None if ad == _NO_AD else str(uuid.UUID(bytes=ad)),
        int.from_bytes(issued, "big"),
        life_s,
        width,
        height,
        None if person == _NOBODY else person,
        signals,
        limited=bool(flags & _LIMITED),
        child_directed=bool(flags & _CHILD_DIRECTED),
        measured=not flags & _UNMEASURED,
        is_exact=bool(flags & _EXACT),
    )


def _bound_to(head: bytes, environment: Environment, use: LinkUse) -> bytes:
    return head + f"{environment.value}/{use.value}".encode()


@lru_cache(maxsize=4096)
def _cipher(secret: bytes) -> AESGCM:
    derived = HKDF(SHA256(), _KEY_BYTES, salt=None, info=b"placard/mail-links").derive(secret)
    return AESGCM(derived)
