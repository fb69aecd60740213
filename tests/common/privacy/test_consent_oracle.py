"""Our readers of consent strings against the IAB's: every field, for strings of theirs, of ours, and broken ones."""

import random
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest

from common.privacy.bits import DecodeError
from common.privacy.gpp import TCF_EU, US_CALIFORNIA, US_NATIONAL, US_PRIVACY, read_gpp
from common.privacy.tcf import TcString, read_tc_string
from common.privacy.us import (
    MSPA_STATES,
    STATES,
    OptOutValue,
    UsChoices,
    read_us_california,
    read_us_national,
    read_us_privacy,
    read_us_state,
)
from common.privacy.vendors import Field, Listed, VendorSet
from tests.support import consent_oracle
from tests.support.consent_strings import a_gpp_string, a_tc_string, a_usca, a_usnat
from tests.support.garbling import garbled

MADE = 3_000
OWN = 1_000
BROKEN = 4_000
_KNOWN = frozenset({2, *range(5, 28)})
"""Sections the libraries keep; of others they forget the number."""
_STATE_NAMES = (
    *("usva", "usco", "usut", "usct", "usfl", "usmt", "usor", "ustx"),
    *("usde", "usia", "usne", "usnh", "usnj", "ustn", "usmn"),
)
_WITHOUT_GPC = frozenset({"usva", "usut", "usfl"})
"""The libraries drop a segment behind these; we read one as anywhere."""
_MSPA_NAMES = ("usmd", "usin", "usky", "usri")
_SAID = {OptOutValue.YES: "Y", OptOutValue.NO: "N", OptOutValue.NOT_APPLICABLE: "-"}


@pytest.fixture(scope="module")
def strings() -> list[tuple[str, str, dict[str, Any]]]:
    consent_oracle.install()
    return consent_oracle.made(7, MADE)


def test_strings_encoded_by_the_iab_are_decoded_field_by_field(
    strings: list[tuple[str, str, dict[str, Any]]],
) -> None:
    assert len(strings) == MADE
    for kind, text, theirs in strings:
        assert _ours(kind, text) == theirs, text


def test_strings_that_we_encode_are_decoded_alike_by_the_iab(strings: object) -> None:  # noqa: ARG001 - it installs
    own = [*_own_tcf(random.Random(1)), *_own_gpp(random.Random(2))]

    for (kind, text), theirs in zip(own, consent_oracle.read(own), strict=True):
        assert _ours(kind, text) == theirs, text


def test_the_readable_part_of_a_broken_string_is_decoded_alike_by_the_iab(
    strings: list[tuple[str, str, dict[str, Any]]],
) -> None:
    chance = random.Random(3)
    broken = [(kind, garbled(text, chance)) for kind, text, _ in chance.choices(strings, k=BROKEN)]
    # The libraries fill the memory with some of what we refuse: ranges of millions of sections.
    read = [(one, ours) for one in broken if (ours := _ours(*one)) is not None]

    compared = 0
    for (one, ours), theirs in zip(read, consent_oracle.read(o for o, _ in read), strict=True):
        if theirs is not None:
            assert ours == theirs, one
            compared += 1
    assert compared > BROKEN // 20


def _own_tcf(chance: random.Random) -> Iterable[tuple[str, str]]:
    def some(most: int, share: float = 0.4) -> list[int]:
        return [one for one in range(1, most + 1) if chance.random() < share]

    for _ in range(OWN):
        restrictions = {
            (chance.randint(1, 24), chance.randint(0, 2)): [
                (first, first + chance.choice((0, 0, 3))) for first in (1 + 9 * n, 6 + 9 * n)
            ]
            for n in range(chance.randint(0, 3))
        }
        yield (
            "tcf",
            a_tc_string(
                consents=some(24),
                interests=some(24),
                vendor_consents=some(chance.choice((0, 1, 16, 40, 200))),
                vendor_interests=some(30),
                restrictions=restrictions,
                publisher=some(24) if chance.random() < 0.5 else None,
                publisher_interests=some(24),
                disclosed=some(90) if chance.random() < 0.5 else None,
                allowed=some(20) if chance.random() < 0.3 else None,
                as_ranges=chance.random() < 0.5,
            ),
        )


def _own_gpp(chance: random.Random) -> Iterable[tuple[str, str]]:
    def some(count: int) -> list[int]:
        return [chance.randint(0, 2) for _ in range(count)]

    for _ in range(OWN):
        gpc = chance.choice((None, True, False))
        national = a_usnat(
            version=chance.choice((1, 2)),
            sharing_notice=chance.randint(0, 2),
            notices=some(3),
            opt_outs=some(3),
            child=some(3),
            personal_data=chance.randint(0, 2),
            service_provider=chance.randint(0, 2),
            gpc=gpc,
        )
        sections = {
            TCF_EU: a_tc_string(publisher=()),
            US_PRIVACY: "1YN-",
            US_NATIONAL: national,
            US_CALIFORNIA: a_usca(notices=some(2), opt_outs=some(2), child=some(2), gpc=gpc),
        }
        kept = {number: text for number, text in sections.items() if chance.random() < 0.6}
        yield "gpp", a_gpp_string(kept)


def _ours(kind: str, text: str) -> dict[str, Any] | None:
    """What we read, in the oracle's words; None where we refuse."""
    if kind == "tcf":
        tc = read_tc_string(text)
        return None if isinstance(tc, DecodeError) else _tcf(tc)
    return _gpp(text)


def _tcf(tc: TcString) -> dict[str, Any]:
    publisher = tc.publisher
    restrictions: dict[str, set[int]] = {}
    for one in tc.restrictions:
        found = restrictions.setdefault(f"{one.purpose}-{one.kind}", set())
        found.update(_members(one.vendors))
    plain: tuple[str, ...] = (
        "created_ds",
        "updated_ds",
        "cmp_id",
        "cmp_version",
        "screen",
        "language",
    )
    plain += ("vendor_list", "policy", "service_specific", "own_texts", "purpose_one_hidden")
    return {name: getattr(tc, name) for name in (*plain, "country")} | {
        "special_features": _bits(tc.special_features, 12),
        "consents": _bits(tc.purposes.consents, 24),
        "interests": _bits(tc.purposes.interests, 24),
        "vendor_consents": _members(tc.vendor_consents),
        "vendor_interests": _members(tc.vendor_interests),
        "restrictions": {name: sorted(found) for name, found in restrictions.items() if found},
        "disclosed": _members(tc.disclosed),
        "allowed": _members(tc.allowed),
        "publisher_consents": _bits(publisher.purposes.consents, 24) if publisher else [],
        "publisher_interests": _bits(publisher.purposes.interests, 24) if publisher else [],
        "custom_count": publisher.custom_count if publisher else 0,
        "custom_consents": _bits(publisher.custom.consents, publisher.custom_count)
        if publisher
        else [],
        "custom_interests": _bits(publisher.custom.interests, publisher.custom_count)
        if publisher
        else [],
    }


def _gpp(text: str) -> dict[str, Any] | None:
    gpp = read_gpp(text)
    if isinstance(gpp, DecodeError):
        return None
    fields: dict[str, Any] = {"sections": sorted(_KNOWN & gpp.sections.keys())}
    readers: dict[str, tuple[int, Callable[[str], UsChoices | DecodeError]]] = {
        "usnat": (US_NATIONAL, read_us_national),
        "usca": (US_CALIFORNIA, read_us_california),
    }
    states = (*_STATE_NAMES, *_MSPA_NAMES)
    for name, number in zip(states, (*STATES, *MSPA_STATES), strict=True):
        readers[name] = (number, partial(read_us_state, number))
    for name, (number, reader) in readers.items():
        if number in gpp.sections:
            choices = reader(gpp.sections[number])
            if isinstance(choices, DecodeError):
                return None
            fields[name] = _us(choices) | ({"gpc": None} if name in _WITHOUT_GPC else {})
    if US_PRIVACY in gpp.sections:
        privacy = read_us_privacy(gpp.sections[US_PRIVACY])
        if isinstance(privacy, DecodeError):
            return None
        value = (privacy.notice, privacy.opt_out, privacy.covered)
        fields["uspv1"] = [_SAID[one] for one in value]
    if TCF_EU in gpp.sections:
        tc = read_tc_string(gpp.sections[TCF_EU])
        if isinstance(tc, DecodeError):
            return None
        names = ("cmp_id", "consents", "interests", "vendor_consents", "vendor_interests")
        whole = _tcf(tc)
        fields["tcfeuv2"] = {name: whole[name] for name in (*names, "publisher_consents")}
    return fields


def _us(choices: UsChoices) -> dict[str, Any]:
    """The libraries cut version 1 to the fields it had at first, however long it is written."""
    cut = (12, 2) if choices.version == 1 and choices.opt_outs[2:] else (None, None)
    lists = ("notices", "sensitive_notices", "opt_outs")
    plain: tuple[str, ...] = ("version", "sharing_notice", "personal_data", "mspa_covered")
    plain += ("mspa_opt_out_option", "mspa_service_provider", "gpc")
    return (
        {name: getattr(choices, name) for name in plain}
        | {name: list(getattr(choices, name)) for name in lists}
        | {
            "sensitive": list(choices.sensitive[: cut[0]]),
            "child": list(choices.child[: cut[1]]),
        }
    )


def _bits(value: int, width: int) -> list[int]:
    return [one for one in range(1, width + 1) if value >> (width - one) & 1]


def _members(vendors: VendorSet | None) -> list[int]:
    match vendors:
        case None:
            return []
        case Field(bits, highest):
            return _bits(bits, highest)
        case Listed(ranges):
            return sorted({one for first, last in ranges for one in range(first, last + 1)})
