"""What was found is remembered only for the instants it is right for."""

from dataclasses import replace
from itertools import islice

from common.decision.index import build_steps, match, search_counts
from common.decision.index.index_registry import indexes_of
from common.decision.index.property_index import TreeParams
from common.decision.rules.gates import Ranking
from common.snapshot.codec import encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import ObjectType, Slot
from common.snapshot.snapshot import Snapshot, apply_entries
from tests.support.builders import (
    NOW_MS,
    a_campaign,
    a_slot,
    a_snapshot,
    an_ad,
    an_opportunity,
)

ONE_AD_A_BLOCK = TreeParams(leaf=1, run=1, remembered=3)


def test_a_clock_set_back_finds_no_campaign_whose_flight_starts_later() -> None:
    slot = a_slot()
    snapshot = _first_and_later(slot, start_at_ms=NOW_MS + 50)
    o = an_opportunity(slot)
    first = match(snapshot, o, NOW_MS)
    assert len(list(islice(first.groups(), 1))) == 1

    assert len(list(match(snapshot, o, NOW_MS + 99).groups())) == 2
    assert len(list(match(snapshot, o, NOW_MS + 49).groups())) == 1


def test_equal_opportunities_share_one_search() -> None:
    slot = a_slot()
    snapshot = _first_and_later(slot, start_at_ms=NOW_MS)
    o = an_opportunity(slot)
    for _ in range(3):
        assert len(list(match(snapshot, o, NOW_MS).groups())) == 2
    assert search_counts(snapshot).searches == 1


def test_a_new_floor_of_a_slot_searches_again_without_rebuilding_the_index() -> None:
    slot = a_slot()
    snapshot = _first_and_later(slot, start_at_ms=NOW_MS)
    assert _found(snapshot, slot) == 2

    dearer = replace(slot, floor_micros=1_500_000)
    after = apply_entries(
        snapshot, 2, [ObjectChange(ObjectType.SLOT, slot.id, encode_object(dearer))]
    )
    for _ in build_steps(after):
        assert _found(snapshot, slot) == 2

    assert _found(after, dearer) == 1
    assert search_counts(after).builds == 1


def test_a_change_after_an_unprepared_change_is_applied() -> None:
    slot = a_slot()
    snapshot = _first_and_later(slot, start_at_ms=NOW_MS)
    assert _found(snapshot, slot) == 2

    dearer = replace(slot, floor_micros=1_500_000)
    after = apply_entries(
        snapshot, 2, [ObjectChange(ObjectType.SLOT, slot.id, encode_object(dearer))]
    )
    (best,) = (c for c in after.campaigns.values() if c.bid_micros == 2000)
    last = apply_entries(after, 3, [ObjectChange(ObjectType.CAMPAIGN, best.id, None)])
    for _ in build_steps(last):
        pass

    assert _found(last, dearer) == 0


def _found(snapshot: Snapshot, slot: Slot) -> int:
    return len(list(match(snapshot, an_opportunity(slot), NOW_MS).groups()))


def _first_and_later(slot: Slot, *, start_at_ms: int) -> Snapshot:
    """An ad that always stands, and behind it, in another block, one whose flight begins then."""
    ours = a_campaign(bid_cents=200)
    other = a_campaign(bid_cents=100, start_at_ms=start_at_ms)
    snapshot = a_snapshot(ours, an_ad(ours), other, an_ad(other), slot)
    indexes_of(snapshot, Ranking.GREEDY, ONE_AD_A_BLOCK)
    return snapshot
