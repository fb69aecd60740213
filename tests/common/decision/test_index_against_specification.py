"""
The index finds what a walk over every candidate finds, gate by gate: on any snapshot, for any caller, at any hour, and
on every snapshot that deltas lead to; also on the ones they have led away from.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.decision.candidate_order import iter_in_order
from common.decision.decide import decide
from common.decision.decision_input import DecisionInput
from common.decision.dynamic_gates import dynamic_drop
from common.decision.index import build_steps, match
from common.decision.index.index_registry import indexes_of
from common.decision.index.property_index import TreeParams
from common.decision.rules.candidate import DropReason, static_candidate
from common.decision.rules.eligibility import account_serves, fit_drop, static_drop
from common.decision.rules.gates import Gates, Ranking
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Fill, NoFill, NoFillReason
from common.decision.rules.ranking import Worth, rank_of, worth_of
from common.decision.rules.thompson import bound_micros
from common.decision.rules.tie_group import TieGroup
from common.snapshot.model import Ad
from common.snapshot.snapshot import Snapshot, apply_entries, build_snapshot
from tests.common.decision.worlds import ENVIRONMENT, Worlds, named

SMALL = TreeParams(leaf=4, run=1, remembered=3)
"""So that a handful of ads fill many blocks, and the memory forgets."""
CALLERS = 6
DELTAS = 4
CASES = CALLERS * (DELTAS + 2)
"""A seed's snapshots times the callers of each."""

Groups = list[list[str]]


def _found_by_walking(
    snapshot: Snapshot, o: Opportunity, now_ms: int, ranking: Ranking
) -> tuple[Groups, DropReason]:
    """Groups of ad ids, best first, and what dropped the one that came furthest of the others."""
    furthest: DropReason = (-1, NoFillReason.NO_CANDIDATE)
    groups: dict[tuple[float, ...], list[str]] = {}
    for ad in snapshot.ads.values():
        campaign = snapshot.campaigns.get(ad.campaign_id)
        if campaign is None or o.slot.property_id not in campaign.property_ids:
            continue
        drop = static_drop(snapshot, o.slot, campaign, ad) or fit_drop(o, now_ms, campaign, ad)
        if drop is None:
            worth = worth_of(campaign, ad, snapshot.rates.get(ad.id), o.slot.id)
            order = (rank_of(campaign), *_order(worth, ranking))
            groups.setdefault(order, []).append(ad.id)
        else:
            furthest = max(furthest, drop)
    return [sorted(groups[order]) for order in sorted(groups)], furthest


def _found_by_index(
    snapshot: Snapshot, o: Opportunity, now_ms: int, ranking: Ranking
) -> tuple[Groups, DropReason]:
    matches = match(snapshot, o, now_ms, ranking)
    return [[c.ad.id for c in group.candidates] for group in matches.groups()], matches.furthest


def _order(worth: Worth, ranking: Ranking) -> tuple[float, ...]:
    """The most valuable first; Thompson's ranking takes them by the most that a draw may give."""
    if ranking is Ranking.GREEDY:
        return (-worth.ecpm_micros,)
    bound = bound_micros(worth.ecpm_micros, worth.spread)
    return (-bound, -worth.ecpm_micros, worth.spread)


def _decided_by_walking(decision_input: DecisionInput) -> Ad | NoFillReason:
    snapshot, o = decision_input.snapshot, decision_input.opportunity
    if not account_serves(snapshot, o.property.account_id):
        return NoFillReason.ACCOUNT_STOPPED
    found, furthest = _found_by_walking(
        snapshot, o, decision_input.now_ms, decision_input.gates.ranking
    )
    groups = [TieGroup([static_candidate(snapshot, o.slot.id, ad) for ad in ads]) for ads in found]
    for candidate in iter_in_order(groups, decision_input):
        drop = dynamic_drop(decision_input, candidate.campaign, candidate.ad)
        if drop is None:
            return candidate.ad
        furthest = max(furthest, drop)
    return furthest[1]


def _check_snapshot(snapshot: Snapshot, worlds: Worlds, callers: list[Opportunity]) -> None:
    for o in callers:
        now_ms = worlds.now_ms()
        slot = snapshot.slots[o.slot.id]
        o.slot, o.property = slot, snapshot.properties[slot.property_id]
        ranking = worlds.rng.choice(list(Ranking))
        found = _found_by_walking(snapshot, o, now_ms, ranking)
        assert _found_by_index(snapshot, o, now_ms, ranking) == found
        gates = Gates(spool_full=worlds.maybe(0.1), ranking=ranking)
        decision_input = DecisionInput(snapshot, o, gates, now_ms, worlds.rng.getrandbits(64))
        decision = decide(snapshot, o, gates, now_ms, decision_input.seed)
        match decision:
            case Fill():
                assert _decided_by_walking(decision_input) == decision.ad
            case NoFill(reason):
                assert _decided_by_walking(decision_input) == reason


def _check(seed: int) -> None:
    worlds = Worlds(seed)
    made = worlds.objects()
    objects = named(made)
    snapshot = build_snapshot(ENVIRONMENT, "epoch", 1, made)
    for ranking in Ranking:
        indexes_of(snapshot, ranking, SMALL)
    callers = [worlds.opportunity() for _ in range(CALLERS)]
    _check_snapshot(snapshot, worlds, callers)
    first = snapshot
    for _ in range(DELTAS):
        snapshot = apply_entries(snapshot, snapshot.version + 1, worlds.delta(objects))
        for _step in build_steps(snapshot, worlds.rng.choice(list(Ranking))):
            pass
        _check_snapshot(snapshot, worlds, callers)
    _check_snapshot(first, worlds, callers)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_the_index_finds_what_a_walk_over_every_candidate_finds(seed: int) -> None:
    _check(seed)


@pytest.mark.long
@settings(max_examples=200_000 // CASES + 1, deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_the_index_finds_what_a_walk_finds_two_hundred_thousand_times(seed: int) -> None:
    _check(seed)
