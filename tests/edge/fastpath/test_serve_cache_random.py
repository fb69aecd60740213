"""Whatever changes between requests, the serve cache gives the bytes, and leaves the counts, of the slow path."""

import random
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.decision.index.property_index import TREE_PARAMS, TreeParams
from common.snapshot.model import Ad, Campaign, Pace
from tests.support.edge_pair import MANY_BLOCKS, EdgePair, lease_all

_STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ("serve", "serve", "serve", "pace", "bid", "weight", "lease", "clock", "floor")
        ),
        st.integers(0, 1 << 30),
    ),
    max_size=12,
)


@pytest.mark.parametrize("params", [TREE_PARAMS, MANY_BLOCKS], ids=["one block", "many blocks"])
@pytest.mark.parametrize("equal", [False, True], ids=["distinct bids", "equal bids"])
async def test_random_changes_between_requests_are_answered_as_on_the_slow_path(
    pair: EdgePair, params: TreeParams, *, equal: bool
) -> None:
    worlds = count(1)
    hits = pair.lookup.hits

    @settings(
        max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(_STEPS)
    def check(steps: list[tuple[str, int]]) -> None:
        rng = random.Random(next(worlds))
        objects = [
            replace(one, bid_micros=5_000) if equal and isinstance(one, Campaign) else one
            for one in pair.world.objects
        ]
        pair.begin(objects, params)
        passed_ms = 0
        try:
            for step, number in steps:
                passed_ms += _take_step(pair, step, number, rng)
            pair.serve(pair.requests[:60] * 2)
        finally:
            pair.advance(ms=-passed_ms)

    check()
    assert pair.lookup.hits > hits


def _take_step(pair: EdgePair, step: str, number: int, rng: random.Random) -> int:
    """The milliseconds by which the clock went on."""
    snapshot = pair.edges[0].context.snapshots.current()
    campaigns = list(snapshot.campaigns.values())
    campaign = campaigns[number % len(campaigns)]
    if step == "serve":
        start = number % 90
        pair.serve(pair.requests[start : start + 60])
    elif step == "pace":
        pair.change(Pace(campaign.id, spent_micros=number, pass_ppm=number % 1_000_001))
    elif step == "bid":
        pair.change(replace(campaign, bid_micros=1 + number % 9_000_000))
    elif step == "weight":
        ads: list[Ad] = list(snapshot.ads.values())
        pair.change(replace(ads[number % len(ads)], weight=1 + number % 9))
    elif step == "lease":
        some = rng.sample(campaigns, len(campaigns) // 2)
        for edge in pair.edges:
            edge.context.budgets = lease_all(some)
    elif step == "floor":
        slots = list(snapshot.slots.values())
        pair.change(replace(slots[number % len(slots)], floor_micros=number % 9_000))
    else:
        passed_ms = number % 7_200_000
        pair.advance(ms=passed_ms)
        return passed_ms
    return 0
