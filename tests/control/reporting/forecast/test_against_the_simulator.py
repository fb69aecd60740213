"""What was forecast of random campaigns, against what the simulator then delivers of them."""

from dataclasses import replace
from random import Random
from statistics import median

import pytest

from tests.control.reporting.forecast.market import Market, a_market, a_proposal

A_MARKET = 5
"""Campaigns that are proposed to each market, one at a time."""


def judged(market: Market, rng: Random) -> tuple[float, bool]:
    """The error of the likely number, and whether the interval held."""
    proposal = a_proposal(market, rng)
    found = market.forecast(proposal).delivered
    delivered = round(market.deliver(proposal).delivered[-1] / proposal.price)
    return abs(found.likely - delivered) / max(1, delivered), found.low <= delivered <= found.high


def test_ten_forecasts_hold() -> None:
    rng, markets = Random(1), [a_market(seed, hours=6, requests_a_day=10_000) for seed in (1, 2)]

    found = [judged(markets[number // A_MARKET], rng) for number in range(10)]

    assert median(error for error, _ in found) <= 0.1
    assert sum(held for _, held in found) >= 8


@pytest.mark.long
def test_of_a_hundred_forecasts_the_median_error_is_a_tenth_at_most_and_ninety_hold() -> None:
    rng, count = Random(2), 100
    found = []
    for seed in range(count // A_MARKET):
        market = a_market(seed)
        found += [judged(market, rng) for _ in range(A_MARKET)]

    assert median(error for error, _ in found) <= 0.1
    assert sum(held for _, held in found) >= 90


def test_an_interval_of_ten_thousand_events_is_thirty_percent_wide_at_most() -> None:
    market = a_market(3)
    proposal = a_proposal(market, Random(3))
    first = replace(proposal.order.campaign, targeting="", bid_micros=20_000)
    dearest = replace(proposal, order=replace(proposal.order, campaign=first))

    found = market.forecast(dearest).available

    assert found.likely >= 10_000
    assert found.high <= found.likely * 1.3
    assert found.low >= found.likely * 0.7
