"""
Consent choices of users in the United States: the sections ``usnat``, ``usca`` and those of other states in a GPP
string, all parsed into one type, and the older US Privacy String (``1YNN``).

Written from the "Global Privacy Platform" section descriptions (usnat versions 1 and 2, states version 1) and from
"CCPA Compliance Mechanics: U.S. Privacy String v1.0".
"""

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from common.privacy.bits import MAX_CHARS, Bits, DecodeError, Unreadable, parse_bits

_US_PRIVACY = re.compile(r"1([YN-])([YN-])([YN-])", re.IGNORECASE)
_ENCODED_SHORT_BITS = 66
"""Length of the first layout's 60 bits, padded to whole bytes, then to whole characters; later layouts have 70."""
_GPC_SEGMENT = 1
_SENSITIVE, _OLD_SENSITIVE, _SENSITIVE_CALIFORNIA = 16, 12, 9
_CHILD, _OLD_CHILD, _CHILD_CALIFORNIA = 3, 2, 2


class OptOutValue(IntEnum):
    """Values of a field of two bits. For an opt-out, `YES` means opted out; for a consent, see `Consented`."""

    NOT_APPLICABLE = 0
    YES = 1
    NO = 2


class Consented(IntEnum):
    NOT_APPLICABLE = 0
    NO = 1
    YES = 2


class StateLayout(NamedTuple):
    """The number of fields of each kind in a state's section; all other fields are the same in every state."""

    sensitive_notices: int
    sensitive: int
    child: int
    personal_data: int


STATES = {
    9: StateLayout(0, 8, 1, 0),  # Virginia
    10: StateLayout(0, 7, 1, 0),  # Colorado
    11: StateLayout(1, 8, 1, 0),  # Utah
    12: StateLayout(0, 8, 3, 0),  # Connecticut
    13: StateLayout(0, 8, 3, 1),  # Florida
    14: StateLayout(0, 8, 3, 1),  # Montana
    15: StateLayout(0, 11, 3, 1),  # Oregon
    16: StateLayout(0, 8, 1, 1),  # Texas
    17: StateLayout(0, 9, 5, 1),  # Delaware
    18: StateLayout(1, 8, 1, 0),  # Iowa
    19: StateLayout(0, 8, 1, 1),  # Nebraska
    20: StateLayout(0, 8, 3, 1),  # New Hampshire
    21: StateLayout(0, 10, 5, 1),  # New Jersey
    22: StateLayout(0, 8, 1, 1),  # Tennessee
    23: StateLayout(0, 8, 1, 1),  # Minnesota
}
"""By section number."""


class MspaLayout(NamedTuple):
    """Fields of a section that begins with the MSPA; the *sensitive* ones are in an optional segment of their own."""

    child: int
    sensitive: int


MSPA_STATES = {
    24: MspaLayout(0, 0),  # Maryland; its other segment contains Global Privacy Control
    25: MspaLayout(1, 8),  # Indiana
    26: MspaLayout(1, 8),  # Kentucky
    27: MspaLayout(1, 8),  # Rhode Island
}
"""
By section number. They follow the format of the IAB's library. The draft of the description has a header before the
core; with it their version is unknown, and they are garbled.
"""
_OPT_OUT_MODE, _SERVICE_PROVIDER_MODE = 1, 2

_Values = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class UsChoices:
    """
    ``notices`` and ``opt_outs`` correspond by position: sale, sharing and targeted advertising, as far as the section
    has them; ``child`` by age group; ``gpc`` is None where the string does not contain it.
    """

    version: int
    sharing_notice: int
    notices: _Values
    sensitive_notices: _Values
    opt_outs: _Values
    sensitive: _Values
    child: _Values
    personal_data: int
    mspa_covered: int
    mspa_opt_out_option: int
    mspa_service_provider: int
    gpc: bool | None


@dataclass(frozen=True, slots=True)
class UsPrivacy:
    """`OptOutValue` of the notice, of the opt-out of sale, and of the LSPA's coverage."""

    notice: OptOutValue
    opt_out: OptOutValue
    covered: OptOutValue


def read_us_national(text: str) -> UsChoices | DecodeError:
    """Never raises."""
    try:
        return _parse_us_national(text)
    except Unreadable as unreadable:
        return unreadable.why


def read_us_california(text: str) -> UsChoices | DecodeError:
    """Never raises."""
    try:
        return _parse_us_california(text)
    except Unreadable as unreadable:
        return unreadable.why


def read_us_state(number: int, text: str) -> UsChoices | DecodeError:
    """*number*: the section's, one of `STATES` or `MSPA_STATES`. Never raises."""
    try:
        if number in MSPA_STATES:
            return _parse_mspa_state(MSPA_STATES[number], text)
        return _parse_us_state(STATES[number], text)
    except Unreadable as unreadable:
        return unreadable.why


def read_us_privacy(text: str) -> UsPrivacy | DecodeError:
    """Never raises."""
    if len(text) > MAX_CHARS:
        return DecodeError.TOO_LONG
    found = _US_PRIVACY.fullmatch(text)
    if found is None:
        return DecodeError.VALUE
    values = {"Y": OptOutValue.YES, "N": OptOutValue.NO, "-": OptOutValue.NOT_APPLICABLE}
    notice, opt_out, covered = (values[part.upper()] for part in found.groups())
    return UsPrivacy(notice, opt_out, covered)


def _parse_us_national(text: str) -> UsChoices:
    bits, gpc = _segments(text)
    length = bits.left
    version = bits.take(6)
    if version not in (1, 2):
        raise Unreadable(DecodeError.VERSION)
    is_short = version == 1 and length <= _ENCODED_SHORT_BITS
    return UsChoices(
        version=version,
        sharing_notice=_take(bits, 1)[0],
        notices=_take(bits, 3),
        sensitive_notices=_take(bits, 2),
        opt_outs=_take(bits, 3),
        sensitive=_take(bits, _OLD_SENSITIVE if is_short else _SENSITIVE),
        child=_take(bits, _OLD_CHILD if is_short else _CHILD),
        personal_data=_take(bits, 1)[0],
        mspa_covered=_take(bits, 1)[0],
        mspa_opt_out_option=_take(bits, 1)[0],
        mspa_service_provider=_take(bits, 1)[0],
        gpc=gpc,
    )


def _parse_us_california(text: str) -> UsChoices:
    bits, gpc = _segments(text)
    version = bits.take(6)
    if version != 1:
        raise Unreadable(DecodeError.VERSION)
    return UsChoices(
        version=version,
        notices=_take(bits, 2),
        sharing_notice=OptOutValue.NOT_APPLICABLE,
        sensitive_notices=_take(bits, 1),
        opt_outs=_take(bits, 2),
        sensitive=_take(bits, _SENSITIVE_CALIFORNIA),
        child=_take(bits, _CHILD_CALIFORNIA),
        personal_data=_take(bits, 1)[0],
        mspa_covered=_take(bits, 1)[0],
        mspa_opt_out_option=_take(bits, 1)[0],
        mspa_service_provider=_take(bits, 1)[0],
        gpc=gpc,
    )


def _parse_us_state(layout: StateLayout, text: str) -> UsChoices:
    """Parses version 1. Some states' notice of processing is stored as a notice of sharing."""
    bits, gpc = _segments(text)
    if bits.take(6) != 1:
        raise Unreadable(DecodeError.VERSION)
    return UsChoices(
        version=1,
        sharing_notice=_take(bits, 1)[0],
        notices=_take(bits, 2),
        sensitive_notices=_take(bits, layout.sensitive_notices),
        opt_outs=_take(bits, 2),
        sensitive=_take(bits, layout.sensitive),
        child=_take(bits, layout.child),
        personal_data=sum(_take(bits, layout.personal_data)),
        mspa_covered=_take(bits, 1)[0],
        mspa_opt_out_option=_take(bits, 1)[0],
        mspa_service_provider=_take(bits, 1)[0],
        gpc=gpc,
    )


def _parse_mspa_state(layout: MspaLayout, text: str) -> UsChoices:
    """Parses version 1 of the MSPA. Its mode is one field; other sections have two."""
    core, other = _split(text)
    bits = parse_bits(core)
    if bits.take(6) != 1:
        raise Unreadable(DecodeError.VERSION)
    covered, mode = _take(bits, 2)
    sharing_notice = _take(bits, 1)[0]
    notices, opt_outs, child = _take(bits, 2), _take(bits, 2), _take(bits, layout.child)
    return UsChoices(
        version=1,
        sharing_notice=sharing_notice,
        notices=notices,
        sensitive_notices=(),
        opt_outs=opt_outs,
        sensitive=_take(parse_bits(other), layout.sensitive) if other is not None else (),
        child=child,
        personal_data=_take(bits, 1)[0],
        mspa_covered=covered,
        mspa_opt_out_option=OptOutValue.YES
        if mode == _OPT_OUT_MODE
        else OptOutValue.NOT_APPLICABLE,
        mspa_service_provider=OptOutValue.YES
        if mode == _SERVICE_PROVIDER_MODE
        else OptOutValue.NOT_APPLICABLE,
        gpc=_take_gpc(other) if other is not None and not layout.sensitive else None,
    )


def _segments(text: str) -> tuple[Bits, bool | None]:
    """Returns the core, and the value of Global Privacy Control in the optional second segment."""
    core, other = _split(text)
    gpc = None if other is None else _take_gpc(other)
    return parse_bits(core), gpc


def _split(text: str) -> tuple[str, str | None]:
    """Returns the core, and the optional second segment."""
    if len(text) > MAX_CHARS:
        raise Unreadable(DecodeError.TOO_LONG)
    core, *others = text.split(".")
    if len(others) > 1:
        raise Unreadable(DecodeError.SEGMENT)
    return core, others[0] if others else None


def _take_gpc(segment: str) -> bool:
    bits = parse_bits(segment)
    if bits.take(2) != _GPC_SEGMENT:
        raise Unreadable(DecodeError.SEGMENT)
    return bool(bits.take(1))


def _take(bits: Bits, count: int) -> _Values:
    """*count* fields of two bits; 3 is not defined."""
    whole = bits.take(2 * count)
    values = tuple(whole >> shift & 3 for shift in range(2 * (count - 1), -1, -2))
    if 3 in values:  # noqa: PLR2004 - two bits, three meanings
        raise Unreadable(DecodeError.VALUE)
    return values
