"""
The native cache answers what was met before, and whatever changes meanwhile, in the bytes and with the counts of
reading each call whole. From source nobody is met: then these are tests of who stands behind it.
"""

import random
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.decision.index.property_index import MEASURES, TreeParams
from common.service.compiled import is_compiled
from common.snapshot.model import Ad, Campaign, Pace
from edge.fastpath.serve_cache import native_cache
from tests.edge.fastpath.test_usual_calls import (
    _PEER,
    SMALL,
    Pair,
    _leased,
    pair,
    with_bids_of_their_own,
)

__all__ = ["pair"]

_STEPS = st.lists(
    st.tuples(
        st.sampled_from(("ask", "ask", "ask", "pace", "bid", "weight", "lease", "clock", "floor")),
        st.integers(0, 1 << 30),
    ),
    max_size=12,
)


@pytest.mark.parametrize("measures", [MEASURES, SMALL], ids=["one block", "many blocks"])
async def test_a_call_is_answered_by_the_native_cache_where_its_parts_were_met(
    pair: Pair, measures: TreeParams
) -> None:
    pair.begin(with_bids_of_their_own(pair.world.objects), measures)
    for _ in range(40):  # each call tells it one thing it lacked
        pair.ask(pair.requests)
    usual = pair.ways[0]._usual
    assert usual is not None
    answers = [usual._native_cache.answer(one, 0, len(one) - 4, _PEER) for one in pair.requests]
    known = sum(one is not None for one in answers)
    assert known == (len(answers) if is_compiled(native_cache) else 0)


@pytest.mark.parametrize("measures", [MEASURES, SMALL], ids=["one block", "many blocks"])
@pytest.mark.parametrize("equal", [False, True], ids=["bids of their own", "equal bids"])
async def test_whatever_changes_between_calls_they_are_answered_alike(
    pair: Pair, measures: TreeParams, *, equal: bool
) -> None:
    worlds = count(1)

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
        pair.begin(objects, measures)
        passed_ms = 0
        try:
            for step, number in steps:
                passed_ms += _take_step(pair, step, number, rng)
            pair.ask(pair.requests[:60] * 2)
        finally:
            for edge in pair.edges:
                edge.clock.advance(ms=-passed_ms)

    check()


def _take_step(pair: Pair, step: str, number: int, rng: random.Random) -> int:
    """The milliseconds by which the clock went on."""
    snapshot = pair.edges[0].context.snapshots.current()
    campaigns = list(snapshot.campaigns.values())
    campaign = campaigns[number % len(campaigns)]
    if step == "ask":
        start = number % 90
        pair.ask(pair.requests[start : start + 60])
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
            edge.context.budgets = _leased(some)
    elif step == "floor":
        slots = list(snapshot.slots.values())
        pair.change(replace(slots[number % len(slots)], floor_micros=number % 9_000))
    else:
        passed_ms = number % 7_200_000
        for edge in pair.edges:
            edge.clock.advance(ms=passed_ms)
        return passed_ms
    return 0
