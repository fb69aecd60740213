"""Consent strings with good defaults, written bit by bit: name only what the test is about."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from common.privacy.us import STATES

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
PERSONAL = frozenset({1, 2, 3, 4, 7})
"""The purposes a personal ad that is measured needs."""
Ranges = Sequence[tuple[int, int]]


def encoded(bits: str) -> str:
    """Zeros and ones as base64url, filled up with zeros."""
    bits += "0" * (-len(bits) % 6)
    return "".join(ALPHABET[int(bits[at : at + 6], 2)] for at in range(0, len(bits), 6))


def number(value: int, width: int) -> str:
    return f"{value:0{width}b}" if width else ""


def field(members: Collection[int], width: int) -> str:
    return "".join("1" if one in members else "0" for one in range(1, width + 1))


def ranges(parts: Ranges) -> str:
    """Twelve bits of how many, then each as one vendor or two."""
    text = number(len(parts), 12)
    for first, last in parts:
        text += "0" + number(first, 16)
        if last != first:
            text = f"{text[:-17]}1{number(first, 16)}{number(last, 16)}"
    return text


def vendors(members: Collection[int], *, as_ranges: bool = False) -> str:
    highest = max(members, default=0)
    if as_ranges:
        return number(highest, 16) + "1" + ranges([(one, one) for one in sorted(members)])
    return number(highest, 16) + "0" + field(members, highest)


def fibonacci(value: int) -> str:
    weights = [1, 2]
    while weights[-1] <= value:
        weights.append(weights[-1] + weights[-2])
    text = ""
    for weight in reversed(weights):
        if text or weight <= value:
            text = ("1" if weight <= value else "0") + text
            value -= weight if weight <= value else 0
    return text + "1"


def a_tc_string(
    *,
    consents: Collection[int] = PERSONAL,
    interests: Collection[int] = (),
    vendor_consents: Collection[int] = (),
    vendor_interests: Collection[int] = (),
    restrictions: Mapping[tuple[int, int], Ranges] | None = None,
    publisher: Collection[int] | None = None,
    publisher_interests: Collection[int] = (),
    disclosed: Collection[int] | None = None,
    allowed: Collection[int] | None = None,
    version: int = 2,
    as_ranges: bool = False,
) -> str:
    """*restrictions*: purpose and kind to the vendors they are about."""
    bits = number(version, 6) + number(17_000_000_000, 36) * 2 + number(31, 12) + number(640, 12)
    bits += number(1, 6) + number(4, 6) + number(13, 6) + number(126, 12) + number(4, 6) + "10"
    bits += number(0, 12) + field(consents, 24) + field(interests, 24) + "0"
    bits += number(3, 6) + number(4, 6)
    bits += vendors(vendor_consents, as_ranges=as_ranges)
    bits += vendors(vendor_interests, as_ranges=as_ranges)
    restrictions = restrictions or {}
    bits += number(len(restrictions), 12)
    for (purpose, kind), parts in restrictions.items():
        bits += number(purpose, 6) + number(kind, 2) + ranges(parts)
    text = encoded(bits)
    if disclosed is not None:
        text += "." + encoded("001" + vendors(disclosed, as_ranges=as_ranges))
    if allowed is not None:
        text += "." + encoded("010" + vendors(allowed, as_ranges=as_ranges))
    if publisher is not None:
        text += "." + encoded(
            "011" + field(publisher, 24) + field(publisher_interests, 24) + number(0, 6)
        )
    return text


def a_gpp_string(sections: Mapping[int, str]) -> str:
    bits = number(3, 6) + number(1, 6) + number(len(sections), 12)
    last = 0
    for one in sorted(sections):
        bits += "0" + fibonacci(one - last)
        last = one
    return "~".join([encoded(bits), *(sections[one] for one in sorted(sections))])


def a_usnat(
    *,
    version: int = 2,
    sharing_notice: int = 1,
    notices: Iterable[int] = (1, 1, 1),
    opt_outs: Iterable[int] = (2, 2, 2),
    child: Iterable[int] = (0, 0, 0),
    personal_data: int = 0,
    service_provider: int = 0,
    gpc: bool | None = None,
) -> str:
    """Notified, and opted out of nothing."""
    sensitive, ages = (16, 3) if version == 2 else (12, 2)
    values = [sharing_notice, *notices, 1, 1, *opt_outs, *[0] * sensitive, *list(child)[:ages]]
    values += [personal_data, 1, 0, service_provider]
    return _us(version, values, gpc=gpc)


def a_usca(
    *,
    notices: Iterable[int] = (1, 1),
    opt_outs: Iterable[int] = (2, 2),
    child: Iterable[int] = (0, 0),
    gpc: bool | None = None,
) -> str:
    values = [*notices, 1, *opt_outs, *[0] * 9, *child, 0, 1, 0, 0]
    return _us(1, values, gpc=gpc)


def a_usva(*, notices: Iterable[int] = (1, 1), opt_outs: Iterable[int] = (2, 2)) -> str:
    """Virginia."""
    return _us(1, [1, *notices, *opt_outs, *[0] * 8, 0, 1, 0, 0], gpc=None)


def a_us_state(section: int, *, gpc: bool) -> str:
    """Of any state that is read: everything is left out, and nothing opted out of."""
    layout = STATES[section]
    return _us(
        1, [1, 1, 1, *[0] * layout.sensitive_notices, 2, 2, *[0] * (sum(layout[1:]) + 3)], gpc=gpc
    )


def _us(version: int, values: Iterable[int], *, gpc: bool | None) -> str:
    text = encoded(number(version, 6) + "".join(number(value, 2) for value in values))
    return text if gpc is None else f"{text}.{encoded('01' + ('1' if gpc else '0'))}"
