"""
The index finds what a walk over every candidate finds, gate by gate: on any snapshot, for any caller, at any hour, and
on every snapshot that deltas lead to; also on the ones they have led away from.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.decision.decide import decide
from common.decision.eligibility import account_serves, fit_drop, standing_drop
from common.decision.gates import Gates, Ranking
from common.decision.group import Group
from common.decision.index import Candidate, build_steps, match
from common.decision.index.candidate import Drop
from common.decision.index.indexes import indexes_of
from common.decision.index.property_index import Measures
from common.decision.last_gates import drop_at_last
from common.decision.opportunity import Opportunity
from common.decision.outcome import Fill, NoFill, NoFillReason
from common.decision.question import Question
from common.decision.ranking import ecpm_micros, rank_of, worth_of
from common.decision.turn import in_turn
from common.snapshot.model import Ad
from common.snapshot.snapshot import Snapshot, apply_entries, build_snapshot
from tests.common.decision.worlds import ENVIRONMENT, Worlds, named

SMALL = Measures(block=4, run=1, remembered=3)
"""So that a handful of ads fill many blocks, and the memory forgets."""
CALLERS = 6
DELTAS = 4
CASES = CALLERS * (DELTAS + 2)
"""A seed's snapshots times the callers of each."""

Groups = list[list[str]]


def _found_by_walking(snapshot: Snapshot, o: Opportunity, now_ms: int) -> tuple[Groups, Drop]:
    """Groups of ad ids, best first, and what dropped the one that came furthest of the others."""
    furthest: Drop = (-1, NoFillReason.NO_CANDIDATE)
    groups: dict[tuple[int, int], list[str]] = {}
    for ad in snapshot.ads.values():
        campaign = snapshot.campaigns.get(ad.campaign_id)
        if campaign is None or o.slot.property_id not in campaign.property_ids:
            continue
        drop = standing_drop(snapshot, o.slot, campaign, ad) or fit_drop(o, now_ms, campaign, ad)
        if drop is None:
            value = ecpm_micros(campaign, ad, snapshot.rates.get(ad.id), o.slot.id)
            groups.setdefault((rank_of(campaign), -value), []).append(ad.id)
        else:
            furthest = max(furthest, drop)
    return [sorted(groups[order]) for order in sorted(groups)], furthest


def _found_by_index(snapshot: Snapshot, o: Opportunity, now_ms: int) -> tuple[Groups, Drop]:
    matches = match(snapshot, o, now_ms)
    return [[c.ad.id for c in group.candidates] for group in matches.groups()], matches.furthest


def _decided_by_walking(question: Question) -> Ad | NoFillReason:
    snapshot, o = question.snapshot, question.opportunity
    if not account_serves(snapshot, o.property.account_id):
        return NoFillReason.ACCOUNT_STOPPED
    groups, furthest = _found_by_walking(snapshot, o, question.now_ms)
    for candidate in in_turn([_candidates(snapshot, o, group) for group in groups], question):
        drop = drop_at_last(question, candidate.campaign, candidate.ad)
        if drop is None:
            return candidate.ad
        furthest = max(furthest, drop)
    return furthest[1]


def _candidates(snapshot: Snapshot, o: Opportunity, ad_ids: list[str]) -> Group:
    made = []
    for ad in (snapshot.ads[ad_id] for ad_id in ad_ids):
        campaign = snapshot.campaigns[ad.campaign_id]
        worth = worth_of(campaign, ad, snapshot.rates.get(ad.id), o.slot.id)
        made.append(
            Candidate(
                campaign,
                ad,
                rank_of(campaign),
                worth.ecpm_micros,
                worth.spread,
                worth.objective_ppb,
                None,
            )
        )
    return Group(made)


def _check_snapshot(snapshot: Snapshot, worlds: Worlds) -> None:
    for _ in range(CALLERS):
        o, now_ms = worlds.opportunity(), worlds.now_ms()
        slot = snapshot.slots[o.slot.id]
        o.slot, o.property = slot, snapshot.properties[slot.property_id]
        assert _found_by_index(snapshot, o, now_ms) == _found_by_walking(snapshot, o, now_ms)
        gates = Gates(spool_full=worlds.maybe(0.1))
        question = Question(snapshot, o, gates, now_ms, worlds.rng.getrandbits(64))
        decision = decide(snapshot, o, gates, now_ms, question.seed)
        match decision:
            case Fill():
                assert _decided_by_walking(question) == decision.ad
            case NoFill(reason):
                assert _decided_by_walking(question) == reason


def _check(seed: int) -> None:
    worlds = Worlds(seed)
    made = worlds.objects()
    objects = named(made)
    snapshot = build_snapshot(ENVIRONMENT, "epoch", 1, made)
    indexes_of(snapshot, Ranking.GREEDY, SMALL)
    _check_snapshot(snapshot, worlds)
    first = snapshot
    for _ in range(DELTAS):
        snapshot = apply_entries(snapshot, snapshot.version + 1, worlds.delta(objects))
        for _step in build_steps(snapshot):
            pass
        _check_snapshot(snapshot, worlds)
    _check_snapshot(first, worlds)


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_the_index_finds_what_a_walk_over_every_candidate_finds(seed: int) -> None:
    _check(seed)


@pytest.mark.long
@settings(max_examples=200_000 // CASES + 1, deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_the_index_finds_what_a_walk_finds_two_hundred_thousand_times(seed: int) -> None:
    _check(seed)
