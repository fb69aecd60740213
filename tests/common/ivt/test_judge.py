"""The filter over one request: each rule, where it does not apply, and the order they speak in."""

from dataclasses import replace
from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.contract.field_descriptions import FIELDS
from common.ivt.judge import JUDGE_VERSION, MAX_SKEW_MS, IvtInput, judge
from common.ivt.judge_lists import JudgeLists
from common.ivt.lists import NO_RANGES, RangesInvalid, parse_ranges, ranges_of
from common.values.enums import Reason, Surface
from tests.common.ivt.showings import CHROME, PROPERTY, a_showing
from tests.support.builders import NOW_MS, a_property

GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
LISTS = JudgeLists(datacenter=parse_ranges("192.0.2.0/24 # a hoster\n2001:db8:dc::/48\n"))


def reason_of(ivt_input: IvtInput) -> Reason:
    return judge(ivt_input, PROPERTY, LISTS).reason


def test_a_person_on_the_propertys_page_is_valid() -> None:
    verdict = judge(a_showing(), PROPERTY, LISTS)
    assert (verdict.reason, verdict.valid, verdict.version) == (Reason.OK, True, JUDGE_VERSION)


def test_a_test_event_carries_the_live_verdict_as_live_reason() -> None:
    robot = judge(a_showing(is_test=True, agent=None), PROPERTY, LISTS)
    local = judge(a_showing(is_test=True, origin="http://localhost:3000"), PROPERTY, LISTS)
    person = judge(a_showing(is_test=True), PROPERTY, LISTS)
    verdicts = [(one.reason, one.live_reason) for one in (robot, local, person)]
    assert verdicts == [
        (Reason.OK_TEST, Reason.MISSING_USER_AGENT),
        (Reason.OK_TEST, Reason.ORIGIN_MISMATCH),
        (Reason.OK_TEST, Reason.OK),
    ]
    assert judge(a_showing(), PROPERTY, LISTS).live_reason is None


def test_a_valid_event_with_limited_consent_has_its_own_reason() -> None:
    assert reason_of(a_showing(consent_limited=True)) is Reason.OK_CONSENT_LIMITED


@pytest.mark.parametrize(
    ("ivt_input", "reason"),
    [
        (a_showing(prefetch=True), Reason.PREFETCH),
        (a_showing(agent=None), Reason.MISSING_USER_AGENT),
        (a_showing(agent=GOOGLEBOT), Reason.BOT_USER_AGENT),
        (a_showing(agent="curl/8.5.0"), Reason.BOT_USER_AGENT),
        (a_showing(agent="python-httpx/0.28.1"), Reason.BOT_USER_AGENT),
        (a_showing(agent="Toaster"), Reason.UNKNOWN_USER_AGENT),
        (a_showing(ip="192.0.2.77"), Reason.DATACENTER_IP),
        (a_showing(ip="2001:db8:dc::1"), Reason.DATACENTER_IP),
        (a_showing(ip="198.51.100.3"), Reason.INTERNAL_TRAFFIC),
        (a_showing(ip="192.0.2.77", agent=None, is_agent_unstated=True), Reason.DATACENTER_IP),
        (a_showing(ip="198.51.100.3", agent=None, is_agent_unstated=True), Reason.INTERNAL_TRAFFIC),
        (a_showing(origin="https://evil.example"), Reason.ORIGIN_MISMATCH),
        (a_showing(origin="https://notshop.example"), Reason.ORIGIN_MISMATCH),
        (a_showing(origin="http://localhost:3000"), Reason.ORIGIN_MISMATCH),
        (a_showing(issued_ms=NOW_MS + 1_001 + MAX_SKEW_MS), Reason.CLOCK_SKEW),
    ],
)
def test_each_rule_marks_the_events_it_describes(ivt_input: IvtInput, reason: Reason) -> None:
    assert reason_of(ivt_input) is reason


@pytest.mark.parametrize(
    "ivt_input",
    [
        a_showing(origin=None),
        a_showing(origin="https://www.shop.example"),
        a_showing(origin="https://shop.example:8443"),
        a_showing(agent="okhttp/4.12.0", surface=Surface.ANDROID),
        a_showing(agent="MyApp/3 CFNetwork/1490 Darwin/23", surface=Surface.IOS),
        a_showing(agent="Dart/3.5 (dart:io)", surface=Surface.FLUTTER),
        a_showing(agent="OurOwnApp/2.0", surface=Surface.ANDROID),
        a_showing(agent="curl/8.5.0", server_caller=True),
        a_showing(agent=None, server_caller=True),
        a_showing(agent=None, is_agent_unstated=True),
        a_showing(ip="192.0.2.77", server_caller=True),
        a_showing(ip="192.0.2.77", surface=Surface.EMAIL),
        a_showing(issued_ms=NOW_MS + 1_000 + MAX_SKEW_MS),
        a_showing(address=None),
    ],
)
def test_honest_callers_pass(ivt_input: IvtInput) -> None:
    assert reason_of(ivt_input) is Reason.OK


@pytest.mark.parametrize(
    "ivt_input",
    [
        a_showing(is_test=True),
        a_showing(is_test=True, agent="curl/8.5.0"),
        a_showing(is_test=True, agent=None),
        a_showing(is_test=True, ip="192.0.2.77"),
        a_showing(is_test=True, origin="http://localhost:3000"),
        a_showing(is_test=True, origin="http://127.0.0.1:5500"),
        a_showing(is_test=True, consent_limited=True),
    ],
)
def test_an_integrators_first_calls_in_test_are_valid(ivt_input: IvtInput) -> None:
    assert reason_of(ivt_input) is Reason.OK_TEST


@pytest.mark.parametrize(
    ("ivt_input", "reason"),
    [
        (a_showing(is_test=True, prefetch=True), Reason.PREFETCH),
        (a_showing(is_test=True, ip="198.51.100.3"), Reason.INTERNAL_TRAFFIC),
        (a_showing(is_test=True, origin="https://evil.example"), Reason.ORIGIN_MISMATCH),
    ],
)
def test_test_traffic_shows_the_live_verdict_on_page_and_place(
    ivt_input: IvtInput, reason: Reason
) -> None:
    assert reason_of(ivt_input) is reason


def test_the_first_matching_rule_decides() -> None:
    worst = a_showing(
        prefetch=True, agent=GOOGLEBOT, ip="192.0.2.77", origin="https://evil.example"
    )
    cures: list[dict[str, Any]] = [
        {},
        {"prefetch": False},
        {"user_agent": CHROME},
    ]
    cures += [{"address": ip_address("203.0.113.9")}, {"origin": None}]
    text = []
    for cure in cures:
        worst = replace(worst, **cure)
        text.append(reason_of(worst))
    assert text == [
        Reason.PREFETCH,
        Reason.BOT_USER_AGENT,
        Reason.DATACENTER_IP,
        Reason.ORIGIN_MISMATCH,
        Reason.OK,
    ]


def test_allowed_origins_count_beside_the_domain() -> None:
    prop = a_property(domain="shop.example", allowed_origins=("https://blog.example",))
    assert judge(a_showing(origin="https://blog.example"), prop, LISTS).valid
    assert judge(a_showing(origin="https://shop.example"), prop, LISTS).valid


def test_the_words_about_allowed_origins_hold() -> None:
    words = FIELDS["allowed_origins"]
    none = a_property(domain="shop.example", allowed_origins=())
    some = a_property(domain="shop.example", allowed_origins=("https://blog.example",))
    foreign = [
        judge(a_showing(origin="https://blog.example"), none, LISTS),
        judge(a_showing(origin="https://other.example"), some, LISTS),
    ]

    assert "stored as invalid (`origin_mismatch`)" in words
    assert [verdict.reason for verdict in foreign] == ["origin_mismatch"] * 2
    assert "besides the domain and its subdomains" in words
    assert all(
        judge(a_showing(origin="https://www.shop.example"), prop, LISTS).valid
        for prop in (none, some)
    )


def test_a_property_without_a_domain_has_no_foreign_page() -> None:
    prop = a_property(domain=None)
    assert judge(a_showing(origin="https://anywhere.example"), prop, LISTS).valid


def test_an_app_property_needs_no_origin() -> None:
    prop = a_property(kind="app", domain="shop.example")
    assert judge(a_showing(origin="https://webview.example"), prop, LISTS).valid


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_input_of_a_caller_makes_the_filter_fail(agent: str, origin: str) -> None:
    verdict = judge(a_showing(agent=agent, origin=origin), PROPERTY, LISTS)
    assert verdict == judge(a_showing(agent=agent, origin=origin), PROPERTY, LISTS)


def test_ranges_that_touch_and_overlap_are_one() -> None:
    ranges = parse_ranges("10.0.0.0/25\n10.0.0.128/25\n10.0.0.64/26\n\n# end")
    inside = [ip_address("10.0.0.0"), ip_address("10.0.0.130"), ip_address("10.0.0.255")]
    assert all(address in ranges for address in inside)
    assert ip_address("10.0.1.0") not in ranges
    assert ip_address("9.255.255.255") not in ranges


def test_an_address_of_one_version_is_in_no_range_of_the_other() -> None:
    assert ip_address("::a00:1") not in parse_ranges("10.0.0.0/8")


def test_a_broken_list_names_its_line() -> None:
    with pytest.raises(RangesInvalid, match="line 2"):
        parse_ranges("10.0.0.0/8\nnonsense")


def test_a_propertys_broken_range_is_left_out() -> None:
    assert ip_address("10.0.0.1") in ranges_of(("nonsense", "10.0.0.0/8"))


def test_an_empty_list_of_ranges_matches_nothing() -> None:
    assert ip_address("10.0.0.1") not in NO_RANGES
