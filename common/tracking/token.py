"""
The track token: stateless, signed with the property's secret, with one tag for each use.

Token text: ``base64url(payload) "." base64url(tag)``, no padding. Payload: 132 bytes, big-endian, layout below (a
multiple of three, so its base64 has no spare bits and only one spelling). Tags: HMAC-SHA-512 over the payload, its 64
bytes cut into 21 each for track, impression and click. So a pixel's URL in another site's page cannot be turned into a
click. The payload is signed, not encrypted. The person in it is masked, so that two tokens of one person look unrelated
(`common.privacy.person`).

offset size field
     0    1 format version (1)
     1    1 flags: 1 test, 2 consent limited, 4 preview (never billed)
     2    1 surface    3 1 source    4 1 pricing model    5 1 ad format    (positions in `common.values.enums`)
     6    4 kid, the property secret's number
    10    6 issued, epoch ms
    16    4 life for impression and track, s
    20    4 life for click, s
    24   16 token id (the decision id)
    40   16 property    56 16 slot    72 16 ad    88 16 campaign
   104    8 price of one billable event, micros
   112    8 snapshot version
   120    4 marks: 1 not measured, 2 counted by frequency caps when issued, 4 its cost is held until it expires; 0 in
            all older tokens, and unknown marks are ignored
   124    8 person, masked; 0 without a consented uid, and in previews
"""

import binascii
import hmac
import struct
import uuid
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, final

from common.tracking.token_hmac import TAG_BYTES, mac, prepare_key, sign_and_encode
from common.values.enums import Format, PricingModel, Source, Surface
from common.values.ids import uuid_of

_LAYOUT = struct.Struct(">BBBBBBI6sII16s16s16s16s16sQQIQ")
PAYLOAD_BYTES: Final = _LAYOUT.size
PAYLOAD_CHARS = PAYLOAD_BYTES // 3 * 4
TAG_CHARS = TAG_BYTES // 3 * 4
TOKEN_CHARS = PAYLOAD_CHARS + 1 + TAG_CHARS
_VERSION = 1
NOT_MEASURED: Final = 1
"""In ``TokenPayload.marks``."""
CAP_COUNTED: Final = 2
"""In ``TokenPayload.marks``: frequency caps counted the impression when the token was issued."""
HELD: Final = 4
"""In ``TokenPayload.marks``: the budget holds the token's cost until `last_day` (`common.pacing.holds`)."""
_VERSION_AT: Final = 72
"""Offset of the snapshot's version in ``TokenTemplate.after``: after four ids and the price."""
_MARKS_AT: Final = 80
"""Offset of the marks, likewise."""
_NOBODY: Final = bytes(8)
_PLAIN: Final = bytes.maketrans(b"-_+/", b"+/!!")
"""Maps to the alphabet of `binascii`; characters that are not URL-safe map to one that it rejects."""
DAY_MS: Final = 86_400_000
MAX_LEEWAY_S = 30
"""Clock leeway is a tenth of the token's life, at most this."""

_SURFACES = tuple(Surface)
_SOURCES = tuple(Source)
_MODELS = tuple(PricingModel)
_FORMATS = tuple(Format)
_SURFACE_NUMBER = {value: number for number, value in enumerate(_SURFACES)}
_SOURCE_NUMBER = {value: number for number, value in enumerate(_SOURCES)}
_MODEL_NUMBER = {value: number for number, value in enumerate(_MODELS)}
_FORMAT_NUMBER = {value: number for number, value in enumerate(_FORMATS)}


class TokenUse(StrEnum):
    """Where a token may be redeemed; each use has its own tag."""

    TRACK = "track"
    IMPRESSION = "impression"
    CLICK = "click"


_TAG_AT = {TokenUse.TRACK: 0, TokenUse.IMPRESSION: TAG_BYTES, TokenUse.CLICK: 2 * TAG_BYTES}


@dataclass(slots=True, init=False)
class TokenPayload:
    """The content of a token. Instants in ms, lives in seconds, price in micros."""

    is_test: bool
    consent_limited: bool
    preview: bool
    surface: Surface
    source: Source
    pricing_model: PricingModel
    format: Format
    kid: int
    issued_ms: int
    life_s: int
    click_life_s: int
    token_id: uuid.UUID
    property_id: uuid.UUID
    slot_id: uuid.UUID
    ad_id: uuid.UUID
    campaign_id: uuid.UUID
    price_micros: int
    snapshot_version: int
    marks: int
    person: int = 0

    def __init__(  # noqa: PLR0917 - the fields, in their order
        self,
        is_test: bool,  # noqa: FBT001 - as above
        consent_limited: bool,  # noqa: FBT001 - as above
        preview: bool,  # noqa: FBT001 - as above
        surface: Surface,
        source: Source,
        pricing_model: PricingModel,
        format: Format,  # noqa: A002 - it is the field's name
        kid: int,
        issued_ms: int,
        life_s: int,
        click_life_s: int,
        token_id: uuid.UUID,
        property_id: uuid.UUID,
        slot_id: uuid.UUID,
        ad_id: uuid.UUID,
        campaign_id: uuid.UUID,
        price_micros: int,
        snapshot_version: int,
        marks: int,
        person: int = 0,
    ) -> None:
        # Written by hand, because each event creates one, and only a written one is compiled.
        self.is_test = is_test
        self.consent_limited = consent_limited
        self.preview = preview
        self.surface = surface
        self.source = source
        self.pricing_model = pricing_model
        self.format = format
        self.kid = kid
        self.issued_ms = issued_ms
        self.life_s = life_s
        self.click_life_s = click_life_s
        self.token_id = token_id
        self.property_id = property_id
        self.slot_id = slot_id
        self.ad_id = ad_id
        self.campaign_id = campaign_id
        self.price_micros = price_micros
        self.snapshot_version = snapshot_version
        self.marks = marks
        self.person = person

    @property
    def is_measured(self) -> bool:
        """Whether this user's events may be measured one by one (ADR 48)."""
        return not self.marks & NOT_MEASURED

    @property
    def held_until_day(self) -> int | None:
        """Returns the `last_day` of a token whose cost is held; None for all others."""
        return last_day(self.issued_ms, self.life_s) if self.marks & HELD else None

    def expires_ms(self, use: TokenUse) -> int:
        """Returns the last instant at which the token is valid for *use*, leeway included."""
        life_s = self.click_life_s if use is TokenUse.CLICK else self.life_s
        return self.issued_ms + life_s * 1000 + leeway_ms(life_s)


@final
class TokenTexts:
    """One served ad's three tokens: the same payload, with a tag for each use."""

    def __init__(self, track: str, impression: str, click: str) -> None:
        self.track = track
        self.impression = impression
        self.click = click


class TokenInvalid(ValueError):
    """Not a valid token: its shape, spelling or tag is wrong."""


def leeway_ms(life_s: int) -> int:
    return life_s * 100 if life_s < MAX_LEEWAY_S * 10 else MAX_LEEWAY_S * 1000


def last_day(issued_ms: int, life_s: int) -> int:
    """Returns the day on which a token expires, leeway included: days since the epoch, in UTC."""
    return (issued_ms + life_s * 1000 + leeway_ms(life_s)) // DAY_MS


@dataclass(frozen=True, slots=True)
class TokenTemplate:
    """A payload without id, instant and person: the part that is constant for one ad in one slot."""

    before: bytes
    lives: bytes
    after: bytes
    secret: bytes

    def at_version(self, snapshot_version: int) -> "TokenTemplate":
        """Returns the same template for another snapshot version."""
        version = snapshot_version.to_bytes(8, "big")
        after = self.after[:_VERSION_AT] + version + self.after[_VERSION_AT + 8 :]
        return TokenTemplate(self.before, self.lives, after, self.secret)

    def for_mail(
        self, life_s: int, *, is_cap_counted: bool = True, is_held: bool = False
    ) -> "TokenTemplate":
        """Returns the same template for a mail: impression and click count for *life_s*."""
        marks = int.from_bytes(self.after[_MARKS_AT:], "big")
        marks |= CAP_COUNTED * is_cap_counted | HELD * is_held
        after = self.after[:_MARKS_AT] + marks.to_bytes(4, "big")
        return TokenTemplate(self.before, 2 * life_s.to_bytes(4, "big"), after, self.secret)

    def payload(self) -> bytes:
        """Returns the payload with zeros for id, instant and person."""
        return b"".join((self.before, bytes(6), self.lives, bytes(16), self.after, _NOBODY))

    def sign(self, token_id: bytes, issued_ms: int, person: bytes = _NOBODY) -> TokenTexts:
        """Computes one MAC and returns three texts. *person*: 8 bytes, masked."""
        issued = issued_ms.to_bytes(6, "big")
        raw = b"".join((self.before, issued, self.lives, token_id, self.after, person))
        payload, *tags = sign_and_encode(hmac_state(self.secret), raw)
        head = payload.decode() + "."
        track, impression, click = [head + tag.decode() for tag in tags]
        return TokenTexts(track, impression, click)


def token_template(payload: TokenPayload, secret: bytes) -> TokenTemplate:
    """Ignores *payload*'s id, instant and person."""
    raw = _pack(payload)
    return TokenTemplate(raw[:10], raw[16:24], raw[40:124], secret)


def sign_token(payload: TokenPayload, secret: bytes) -> TokenTexts:
    template = token_template(payload, secret)
    return template.sign(
        payload.token_id.bytes, payload.issued_ms, payload.person.to_bytes(8, "big")
    )


def parse_token(text: str) -> tuple[TokenPayload, bytes, bytes]:
    """
    Returns the payload, its raw bytes and the tag, all unverified: the payload only names the secret to verify with.

    Raises `TokenInvalid`. The length is checked before anything is decoded.
    """
    if len(text) != TOKEN_CHARS or text[PAYLOAD_CHARS] != "." or not text.isascii():
        raise TokenInvalid("wrong shape")
    # Payload and tag are multiples of three bytes, so the concatenated texts decode to the concatenated bytes.
    both = _unb64(text[:PAYLOAD_CHARS] + text[PAYLOAD_CHARS + 1 :])
    raw = both[:PAYLOAD_BYTES]
    return _unpack(raw), raw, both[PAYLOAD_BYTES:]


def verify_tag(raw: bytes, tag: bytes, use: TokenUse, secret: bytes) -> bool:
    """Compares in constant time."""
    start = _TAG_AT[use]
    expected = mac(hmac_state(secret), raw)[start : start + TAG_BYTES]
    return hmac.compare_digest(expected, tag)


hmac_state = lru_cache(maxsize=4096)(prepare_key)
"""`prepare_key`, cached."""


def _unb64(text: str) -> bytes:
    """Strict mode accepts only the alphabet, and a multiple of three bytes has no spare bits."""
    try:
        raw = binascii.a2b_base64(text.encode("ascii").translate(_PLAIN), strict_mode=True)
    except binascii.Error as error:
        raise TokenInvalid("not base64url") from error
    if len(raw) != PAYLOAD_BYTES + TAG_BYTES:
        raise TokenInvalid("not canonical base64url")
    return raw


def property_id_of(raw: bytes) -> str:
    """Returns the property id of payload bytes, verified or not: it names the secret to verify with."""
    return _text_of(raw[40:56])


def campaign_id_of(raw: bytes) -> str:
    """Returns the campaign id, likewise."""
    return _text_of(raw[88:104])


@lru_cache(maxsize=65_536)
def _text_of(raw: bytes) -> str:
    return str(uuid.UUID(bytes=raw))


@lru_cache(maxsize=65_536)
def _often(raw: bytes) -> uuid.UUID:
    """Caches an id that many tokens contain."""
    return uuid.UUID(bytes=raw)


def _pack(p: TokenPayload) -> bytes:
    flags = p.is_test | p.consent_limited << 1 | p.preview << 2
    return _LAYOUT.pack(
        _VERSION,
        flags,
        _SURFACE_NUMBER[p.surface],
        _SOURCE_NUMBER[p.source],
        _MODEL_NUMBER[p.pricing_model],
        _FORMAT_NUMBER[p.format],
        p.kid,
        p.issued_ms.to_bytes(6, "big"),
        p.life_s,
        p.click_life_s,
        p.token_id.bytes,
        p.property_id.bytes,
        p.slot_id.bytes,
        p.ad_id.bytes,
        p.campaign_id.bytes,
        p.price_micros,
        p.snapshot_version,
        p.marks,
        p.person,
    )


def _unpack(raw: bytes) -> TokenPayload:
    values: tuple[Any, ...] = _LAYOUT.unpack(raw)
    version, flags, surface, source, model, ad_format = values[:6]
    if version != _VERSION or flags > 7:  # noqa: PLR2004 - three flag bits
        raise TokenInvalid("unknown token version")
    try:
        return TokenPayload(
            bool(flags & 1),
            bool(flags & 2),
            bool(flags & 4),
            _SURFACES[surface],
            _SOURCES[source],
            _MODELS[model],
            _FORMATS[ad_format],
            values[6],
            int.from_bytes(values[7], "big"),
            values[8],
            values[9],
            uuid_of(values[10]),
            _often(values[11]),
            _often(values[12]),
            _often(values[13]),
            _often(values[14]),
            values[15],
            values[16],
            values[17],
            values[18],
        )
    except IndexError as error:
        raise TokenInvalid("unknown vocabulary") from error
