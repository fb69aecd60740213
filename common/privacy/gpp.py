"""
IAB Tech Lab's Global Privacy String: a header that names sections by number, followed by the sections.

Written from the "Global Privacy Platform" specification, string version 1.
"""

import re
from dataclasses import dataclass

from common.privacy.bits import MAX_CHARS, Bits, DecodeError, Unreadable, parse_bits

TCF_EU, US_PRIVACY, US_NATIONAL, US_CALIFORNIA = 2, 6, 7, 8
_HEADER, _VERSION = 3, 1
_MAX_CODE_BITS = 20
"""A section number of 20 bits is beyond ten thousand; there are about thirty sections."""
_NUMBER = re.compile(r"-?[0-9]{1,5}")
_NOT_APPLICABLE = frozenset({-1, 0})
"""Section ids that a page may name: no section applies; not known yet."""


@dataclass(frozen=True, slots=True)
class GppString:
    """``sections``: number to text, not parsed."""

    sections: dict[int, str]


def read_gpp(text: str) -> GppString | DecodeError:
    """Never raises."""
    try:
        return parse_gpp(text)
    except Unreadable as unreadable:
        return unreadable.why


def parse_gpp(text: str) -> GppString:
    """Raises `Unreadable`."""
    if len(text) > MAX_CHARS:
        raise Unreadable(DecodeError.TOO_LONG)
    header, *sections = text.split("~")
    bits = parse_bits(header)
    if bits.take(6) != _HEADER:
        raise Unreadable(DecodeError.SEGMENT)
    if bits.take(6) != _VERSION:
        raise Unreadable(DecodeError.VERSION)
    numbers = _take_numbers(bits, len(sections))
    if len(numbers) != len(sections) or not all(sections):
        raise Unreadable(DecodeError.SEGMENT)
    return GppString(dict(zip(numbers, sections, strict=True)))


def read_section_ids(text: str) -> frozenset[int] | DecodeError:
    """Returns the numbers of the applicable sections in ``gpp_sid``, separated by comma or underscore. Never raises."""
    if len(text) > MAX_CHARS:
        return DecodeError.TOO_LONG
    parts = text.replace("_", ",").split(",")
    if not all(_NUMBER.fullmatch(part) for part in parts):
        return DecodeError.VALUE
    return frozenset(int(part) for part in parts) - _NOT_APPLICABLE


def _take_numbers(bits: Bits, most: int) -> list[int]:
    """Returns ascending numbers, each coded as the distance from the previous one; no more than *most*."""
    numbers: list[int] = []
    last = 0
    for _ in range(bits.take(12)):
        is_range = bits.take(1)
        first = last = last + bits.take_fibonacci(_MAX_CODE_BITS)
        if is_range:
            last += bits.take_fibonacci(_MAX_CODE_BITS)
        if last - first >= most - len(numbers):
            raise Unreadable(DecodeError.SEGMENT)
        numbers.extend(range(first, last + 1))
    return numbers
