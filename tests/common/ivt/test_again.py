"""A kept sight, judged again: under the same lists the verdict it had, whatever the request was."""

from ipaddress import ip_address, ip_network

from hypothesis import given, settings
from hypothesis import strategies as st

from common.ivt.again import judge_again
from common.ivt.judge import Showing, judge, observe
from common.ivt.judge_lists import make_lists
from common.privacy.reduce import cut_address
from common.vocabulary import EventKind, QualitySignal, Surface
from tests.support.builders import NOW_MS, a_property
from tests.support.labelled_day import CHROME, PROXIES, ROBOTS

PROPERTY = a_property(excluded_ip_ranges=("198.51.100.0/28",))
RANGES = ("203.0.113.64/26", "198.51.100.0/24", "104.47.0.0/17", "2001:db8::/48")
ADDRESSES = st.sampled_from(RANGES).flatmap(
    lambda text: st.integers(0, 255).map(lambda host: ip_network(text)[host % 64])
) | st.sampled_from(["192.0.2.1", "2001:db9::1"]).map(ip_address)
SHOWINGS = st.builds(
    Showing,
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
)


@given(SHOWINGS, st.sets(st.sampled_from(RANGES)), st.booleans())
@settings(max_examples=500)
def test_the_same_lists_give_the_same_verdict(
    showing: Showing,
    ranges: set[str],
    count_opens: bool,  # noqa: FBT001 - drawn
) -> None:
    lists = make_lists("\n".join(sorted(ranges)), count_opens=count_opens)
    kept = observe(showing, PROPERTY, lists)
    network = None if showing.address is None else ip_network(cut_address(showing.address))

    again, first = judge_again(kept, network, lists), judge(showing, PROPERTY, lists)
    assert (again.reason, again.signs) == (first.reason, first.signs)


@given(SHOWINGS, st.sets(st.sampled_from(RANGES)))
@settings(max_examples=300)
def test_more_networks_in_the_lists_make_nothing_valid(showing: Showing, more: set[str]) -> None:
    few, many = make_lists(""), make_lists("\n".join(sorted(more)))
    network = None if showing.address is None else ip_network(cut_address(showing.address))
    first = judge(showing, PROPERTY, few)

    again = judge_again(observe(showing, PROPERTY, few), network, many)
    assert first.valid or not again.valid
