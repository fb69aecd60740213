"""Stored flags give the same verdict under the same lists, for any request."""

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.ivt import ivt_flags
from common.ivt.judge import IvtInput, IvtSignals, extract_signals, judge
from common.ivt.judge_lists import make_lists
from common.ivt.rejudge import KeptAgent, judge_again
from common.privacy.anonymize import cut_address
from common.values.enums import EventKind, QualitySignal, Reason, Surface
from tests.support.builders import NOW_MS, a_property
from tests.support.labelled_day import CHROME, PROXIES, ROBOTS

PROPERTY = a_property(excluded_ip_ranges=("198.51.100.0/28",))
RANGES = ("203.0.113.64/26", "198.51.100.0/24", "104.47.0.0/17", "2001:db8::/48")
ADDRESSES = st.sampled_from(RANGES).flatmap(
    lambda text: st.integers(0, 255).map(lambda host: ip_network(text)[host % 64])
) | st.sampled_from(["192.0.2.1", "2001:db9::1"]).map(ip_address)
SHOWINGS = st.builds(
    IvtInput,
    address=st.none() | ADDRESSES,
    user_agent=st.sampled_from([None, CHROME, "Toaster", *ROBOTS, *PROXIES]),
    origin=st.sampled_from([None, "https://shop.example", "https://evil.example"]),
    prefetch=st.booleans(),
    server_caller=st.booleans(),
    is_test=st.booleans(),
    consent_limited=st.booleans(),
    surface=st.sampled_from(Surface),
    issued_ms=st.sampled_from([NOW_MS, NOW_MS + 60_000]),
    at_ms=st.just(NOW_MS + 1_000),
    kind=st.sampled_from([*EventKind, *QualitySignal]),
    campaign_ends_ms=st.sampled_from([None, NOW_MS, NOW_MS - 90_000_000]),
    is_agent_unstated=st.booleans(),
)

_SHOWN = IvtInput(
    address=None,
    user_agent=CHROME,
    origin=None,
    prefetch=False,
    server_caller=False,
    is_test=False,
    consent_limited=False,
    surface=Surface.WEB,
    issued_ms=NOW_MS,
    at_ms=NOW_MS + 1_000,
)


@given(SHOWINGS, st.sets(st.sampled_from(RANGES)), st.booleans())
@settings(max_examples=500)
def test_the_same_lists_give_the_same_verdict(
    ivt_input: IvtInput,
    ranges: set[str],
    count_opens: bool,  # noqa: FBT001 - drawn
) -> None:
    lists = make_lists("\n".join(sorted(ranges)), count_opens=count_opens)
    kept = extract_signals(ivt_input, PROPERTY, lists)
    network = None if ivt_input.address is None else ip_network(cut_address(ivt_input.address))

    again = judge_again(kept, network, lists, _kept_agent(ivt_input))
    first = judge(ivt_input, PROPERTY, lists)
    assert (again.reason, again.signs) == (first.reason, first.signs)


@given(SHOWINGS, st.sets(st.sampled_from(RANGES)))
@settings(max_examples=300)
def test_more_networks_in_the_lists_make_nothing_valid(ivt_input: IvtInput, more: set[str]) -> None:
    few, many = make_lists(""), make_lists("\n".join(sorted(more)))
    network = None if ivt_input.address is None else ip_network(cut_address(ivt_input.address))
    first = judge(ivt_input, PROPERTY, few)

    again = judge_again(extract_signals(ivt_input, PROPERTY, few), network, many)
    assert first.valid or not again.valid


def _kept_agent(ivt_input: IvtInput) -> KeptAgent:
    agent = None if ivt_input.is_agent_unstated else ivt_input.agent
    return KeptAgent() if agent is None else KeptAgent(agent.family, agent.pattern)


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (KeptAgent("Chrome", "list:Viber"), Reason.OK),
        (KeptAgent(None, "list:Viber"), Reason.UNKNOWN_USER_AGENT),
        (KeptAgent("curl", None), Reason.BOT_USER_AGENT),
        (KeptAgent("Chrome", "word:crawl"), Reason.BOT_USER_AGENT),
        (KeptAgent("Chrome", None), Reason.BOT_USER_AGENT),
    ],
)
def test_a_robot_is_valid_after_its_rule_was_dropped(agent: KeptAgent, reason: Reason) -> None:
    signals = IvtSignals(
        kind=EventKind.IMPRESSION,
        surface=Surface.WEB,
        is_test=False,
        consent_limited=False,
        issued_ms=NOW_MS,
        at_ms=NOW_MS,
        signs=ivt_flags.ROBOT,
    )
    assert judge_again(signals, None, make_lists(""), agent).reason is reason


def test_a_family_now_known_as_an_http_library_is_invalid() -> None:
    kept = extract_signals(_SHOWN, PROPERTY, make_lists(""))
    assert judge_again(kept, None, make_lists(""), KeptAgent("Chrome")).valid
    assert not judge_again(kept, None, make_lists(""), KeptAgent("PowerShell")).valid
