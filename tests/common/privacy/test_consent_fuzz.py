"""Malformed consent strings: no parser raises, and none works longer than its string is long."""

import gc
import itertools
import random
import sys
import time
from collections.abc import Callable, Iterator
from heapq import heappush, heappushpop
from types import FrameType

import pytest

from common.privacy.bits import MAX_CHARS, DecodeError
from common.privacy.consent import ConsentSignals, decide_consent
from common.privacy.gpp import TCF_EU, US_CALIFORNIA, US_NATIONAL, US_PRIVACY, read_gpp
from common.privacy.tcf import read_tc_string
from common.privacy.us import STATES, read_us_california, read_us_national, read_us_privacy
from tests.support.consent_strings import (
    a_gpp_string,
    a_tc_string,
    a_us_state,
    a_usca,
    a_usnat,
    a_usva,
    encoded,
    fibonacci,
    number,
    ranges,
)
from tests.support.garbling import garbled
from tests.support.printing import say

VENDOR = 700
SEED = 1
_SLOWEST = 200
READERS: tuple[Callable[[str], object], ...] = (
    read_tc_string,
    read_gpp,
    read_us_national,
    read_us_california,
    read_us_privacy,
)
_ALTERNATE = [(one, one) for one in range(1, 1_000, 2)]
_SECTIONS = {
    TCF_EU: a_tc_string(vendor_consents=range(1, 90), publisher=(1, 2)),
    US_PRIVACY: "1YNN",
    US_NATIONAL: a_usnat(gpc=True),
    US_CALIFORNIA: a_usca(gpc=False),
    9: a_usva(),
}
GOOD = (
    a_tc_string(),
    a_tc_string(vendor_consents=range(1, 900, 3), disclosed=range(1, 200), publisher=(1, 3)),
    a_tc_string(vendor_consents=range(1, 900, 31), as_ranges=True, allowed=(5, 9)),
    a_tc_string(restrictions={(2, 0): _ALTERNATE[:20], (7, 1): [(1, 900)]}),
    a_gpp_string(_SECTIONS),
    a_gpp_string({one: a_us_state(one, gpc=one % 2 == 0) for one in STATES}),
    a_usnat(version=1),
    a_usnat(),
    a_usca(),
    "1YNN",
)


def _head() -> str:
    """A TC string's bits before the vendors."""
    return number(2, 6) + "0" * 207


def _longest() -> Iterator[str]:
    """As much work as a string of the greatest length can ask for, each in another place."""
    none = number(0, 16) + "0"
    entries = [(1, 1)] * 2_800
    yield encoded(_head() + number(9, 16) + "1" + ranges(entries))
    yield encoded(
        _head() + none + none + number(2_400, 12) + (number(2, 6) + "00" + "0" * 12) * 2_400
    )
    yield encoded(
        _head() + none + none + number(1, 12) + number(2, 6) + "00" + ranges([(1, 65_535)] * 1_450)
    )
    yield encoded(_head() + number(65_535, 16) + "0" + "1" * 48_000)
    yield encoded(number(3, 6) + number(1, 6) + number(4_095, 12) + ("0" + fibonacci(1)) * 16_000)
    yield encoded(number(3, 6) + number(1, 6) + number(1, 12) + "1" + "01" * 24_000)
    yield "DBABM" + "~1YNN" * 1_600
    yield a_usnat() + "." * 8_000
    yield "1YNN" * 2_000


def _signals(text: str) -> Iterator[ConsentSignals]:
    yield ConsentSignals(gdpr="1", gdpr_consent=text)
    yield ConsentSignals(gpp=text, gpp_sid="2,7,8", us_privacy=text)
    yield ConsentSignals(gpp=text)
    yield ConsentSignals(gdpr=text, gpp_sid=text, coppa=text, lgpd=text, npa=text)


def _break(count: int) -> list[tuple[int, ConsentSignals]]:
    """
    The `_SLOWEST` decisions with the nanoseconds of the processor that each took, the slowest first. The time only
    chooses whose work is counted: it holds the interrupts of a busy machine, too.
    """
    chance, slowest = random.Random(SEED), list[tuple[int, int, ConsentSignals]]()
    made = itertools.count()
    for _ in range(count):
        text = garbled(chance.choice(GOOD), chance)
        for signals in _signals(text):
            entry = (_timed(signals), next(made), signals)
            if len(slowest) < _SLOWEST:
                heappush(slowest, entry)
            else:
                heappushpop(slowest, entry)
    return [(took, signals) for took, _, signals in sorted(slowest, reverse=True)]


def _timed(signals: ConsentSignals) -> int:
    began = time.thread_time_ns()
    consent = decide_consent(signals, presumed=False, vendor_id=VENDOR)
    took = time.thread_time_ns() - began
    assert consent.why
    return took


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Collecting the garbage of the whole test run is no string's work."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_ten_thousand_broken_strings_are_decided() -> None:
    _check_work(_break(10_000))


@pytest.mark.long
@pytest.mark.usefixtures("uncollected")
def test_a_million_broken_strings_are_decided(capsys: pytest.CaptureFixture[str]) -> None:
    slowest = _break(1_000_000)
    say(
        capsys,
        f"1000000 broken consent strings, seed {SEED}: {4 * 1_000_000} decisions, 0 crashes, "
        f"slowest {slowest[0][0] / 1_000:.0f} µs of the processor",
    )
    _check_work(slowest)


def _check_work(slowest: list[tuple[int, ConsentSignals]]) -> None:
    for _, signals in slowest:
        assert _calls(_decide, signals) <= _most_calls(signals), signals


def test_the_strings_before_mutation_are_valid() -> None:
    """Else the readers would give up at its first letter, and nothing be proved."""
    reported = [
        decide_consent(ConsentSignals(gpp=text), presumed=True, vendor_id=None)
        for text in GOOD[4:6]
    ]
    assert not any("garbled" in why for consent in reported for why in consent.why)


@pytest.mark.parametrize("text", ["", ".", "~", "A", "é", "\udc80", "C" * (MAX_CHARS + 1), "....."])
def test_text_that_is_not_a_consent_string_is_garbled(text: str) -> None:
    assert [type(reader(text)) for reader in READERS] == [DecodeError] * len(READERS)


@pytest.mark.parametrize("text", [text[:MAX_CHARS] for text in _longest()])
@pytest.mark.parametrize("reader", READERS)
def test_work_is_bounded_by_the_length_of_the_string(
    reader: Callable[[str], object], text: str
) -> None:
    assert _calls(reader, text) <= 64 + 2 * len(text)


@pytest.mark.parametrize("text", [text[:MAX_CHARS] for text in _longest()])
def test_a_decision_s_work_is_bounded_by_the_length_of_its_strings(text: str) -> None:
    for signals in _signals(text):
        assert _calls(_decide, signals) <= _most_calls(signals)


def _most_calls(signals: ConsentSignals) -> int:
    """Of one decision: what all sections of fixed length cost that GPP has, and three for each character."""
    return 2_000 + 3 * sum(len(part) for part in signals if isinstance(part, str))


def _decide(signals: ConsentSignals) -> object:
    return decide_consent(signals, presumed=True, vendor_id=VENDOR)


def _calls(function: Callable[..., object], *arguments: object) -> int:
    """How many calls, of Python and of C, one call of *function* makes."""
    count = 0

    def see(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return count
