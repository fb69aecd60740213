"""Sets of vendors in a consent string, kept in their encoded form: a look-up of one vendor decodes no others."""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from common.privacy.bits import Bits, DecodeError, Unreadable

_ID_BITS = 16
_COUNT_BITS = 12
_PURPOSE_BITS, _KIND_BITS = 6, 2

Ranges = tuple[tuple[int, int], ...]
"""First and last vendor of each range, both inclusive."""


class RestrictionKind(IntEnum):
    """A publisher's restriction of one purpose for some vendors. 3 is not defined."""

    NOT_ALLOWED = 0
    CONSENT_NEEDED = 1
    INTEREST_NEEDED = 2


@dataclass(frozen=True, slots=True)
class Field:
    """One bit for each vendor, the first one highest; ``highest``: the number of bits."""

    bits: int
    highest: int

    def __contains__(self, vendor: int) -> bool:
        return 0 < vendor <= self.highest and bool(self.bits >> (self.highest - vendor) & 1)


@dataclass(frozen=True, slots=True)
class Listed:
    ranges: Ranges

    def __contains__(self, vendor: int) -> bool:
        for first, last in self.ranges:  # noqa: SIM110 - there may be hundreds; a generator takes three times as long
            if first <= vendor <= last:
                return True
        return False


VendorSet = Field | Listed


class Restriction(NamedTuple):
    """A plain tuple, because one string may contain six hundred."""

    purpose: int
    kind: int
    vendors: Listed


NOBODY = Listed(())


def take_vendors(bits: Bits) -> VendorSet:
    """Reads a bit field or ranges, as the string indicates. Raises `Unreadable`."""
    highest = bits.take(_ID_BITS)
    if bits.take(1):
        return _take_listed(bits, bits.take(_COUNT_BITS))
    return Field(bits.take(highest), highest)


def take_restrictions(bits: Bits) -> tuple[Restriction, ...]:
    """Raises `Unreadable`."""
    found = []
    for _ in range(bits.take(_COUNT_BITS)):
        head = bits.take(_PURPOSE_BITS + _KIND_BITS + _COUNT_BITS)
        purpose, kind = head >> (_KIND_BITS + _COUNT_BITS), head >> _COUNT_BITS & 3
        found.append(Restriction(purpose, kind, _take_listed(bits, head & 0xFFF)))
    return tuple(found)


def _take_listed(bits: Bits, count: int) -> Listed:
    """The cost depends on the number of bits, not on the number of vendors that they cover."""
    if not count:
        return NOBODY
    ranges: list[tuple[int, int]] = []
    for _ in range(count):
        entry = bits.take(_ID_BITS + 1)
        first = last = entry & 0xFFFF
        if entry >> _ID_BITS:
            last = bits.take(_ID_BITS)
        if not 0 < first <= last:
            raise Unreadable(DecodeError.VALUE)
        ranges.append((first, last))
    return Listed(tuple(ranges))
