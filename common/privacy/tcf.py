"""
IAB Europe's Transparency and Consent String, version 2 (policies 2.0 to 2.3): all four segments, every field.

Written from the format's description ("Consent string and vendor list formats v2"). Purposes and vendors count from 1.
"""

from dataclasses import dataclass
from functools import partial

from common.privacy.bits import MAX_CHARS, Bits, DecodeError, Unreadable, parse_bits
from common.privacy.vendors import Restriction, VendorSet, take_restrictions, take_vendors

VERSION = 2
_PURPOSES = 24
_SPECIAL_FEATURES = 12
_ALPHABET_FROM = ord("A")
_DISCLOSED, _ALLOWED, _PUBLISHER = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Choices:
    """One bit for each purpose: ``1 << (24 - purpose)``."""

    consents: int
    interests: int
    """Legitimate interest, not objected to."""

    def consents_to(self, purpose: int) -> bool:
        return bool(self.consents >> (_PURPOSES - purpose) & 1)

    def allows_interest(self, purpose: int) -> bool:
        return bool(self.interests >> (_PURPOSES - purpose) & 1)


@dataclass(frozen=True, slots=True)
class Publisher:
    """
    The user's choices for the publisher itself. ``custom``: those for the publisher's own purposes, the first one
    highest.
    """

    purposes: Choices
    custom_count: int
    custom: Choices


@dataclass(frozen=True, slots=True)
class TcString:
    """``created_ds``, ``updated_ds``: tenths of a second since 1970. Languages and countries are two letters."""

    created_ds: int
    updated_ds: int
    cmp_id: int
    cmp_version: int
    screen: int
    language: str
    vendor_list: int
    policy: int
    service_specific: bool
    own_texts: bool
    special_features: int
    """``1 << (12 - feature)``"""
    purposes: Choices
    purpose_one_hidden: bool
    """The user was not asked about purpose 1."""
    country: str
    vendor_consents: VendorSet
    vendor_interests: VendorSet
    restrictions: tuple[Restriction, ...]
    disclosed: VendorSet | None
    allowed: VendorSet | None
    publisher: Publisher | None


def read_tc_string(text: str) -> TcString | DecodeError:
    """Never raises."""
    try:
        return parse_tc_string(text)
    except Unreadable as unreadable:
        return unreadable.why


def parse_tc_string(text: str) -> TcString:
    """Raises `Unreadable`."""
    if len(text) > MAX_CHARS:
        raise Unreadable(DecodeError.TOO_LONG)
    core, *others = text.split(".")
    if len(others) > _PUBLISHER:
        raise Unreadable(DecodeError.SEGMENT)
    found: dict[int, Bits] = {}
    for segment in others:
        bits = parse_bits(segment)
        kind = bits.take(3)
        if kind in found or kind not in (_DISCLOSED, _ALLOWED, _PUBLISHER):
            raise Unreadable(DecodeError.SEGMENT)
        found[kind] = bits
    disclosed, allowed, publisher = (
        found.get(_DISCLOSED),
        found.get(_ALLOWED),
        found.get(_PUBLISHER),
    )
    return _core(parse_bits(core))(
        disclosed=None if disclosed is None else take_vendors(disclosed),
        allowed=None if allowed is None else take_vendors(allowed),
        publisher=None if publisher is None else _publisher(publisher),
    )


def _core(bits: Bits) -> partial[TcString]:
    if bits.take(6) != VERSION:
        raise Unreadable(DecodeError.VERSION)
    return partial(
        TcString,
        created_ds=bits.take(36),
        updated_ds=bits.take(36),
        cmp_id=bits.take(12),
        cmp_version=bits.take(12),
        screen=bits.take(6),
        language=_letters(bits),
        vendor_list=bits.take(12),
        policy=bits.take(6),
        service_specific=bool(bits.take(1)),
        own_texts=bool(bits.take(1)),
        special_features=bits.take(_SPECIAL_FEATURES),
        purposes=Choices(bits.take(_PURPOSES), bits.take(_PURPOSES)),
        purpose_one_hidden=bool(bits.take(1)),
        country=_letters(bits),
        vendor_consents=take_vendors(bits),
        vendor_interests=take_vendors(bits),
        restrictions=take_restrictions(bits),
    )


def _publisher(bits: Bits) -> Publisher:
    purposes = Choices(bits.take(_PURPOSES), bits.take(_PURPOSES))
    count = bits.take(6)
    return Publisher(purposes, count, Choices(bits.take(count), bits.take(count)))


def _letters(bits: Bits) -> str:
    first, second = bits.take(6), bits.take(6)
    if first > 25 or second > 25:  # noqa: PLR2004 - letters of the alphabet, from 0
        raise Unreadable(DecodeError.VALUE)
    return chr(_ALPHABET_FROM + first) + chr(_ALPHABET_FROM + second)
