"""What a snapshot leaves behind is taken apart when nobody decides by it, and never before."""

from common.decision.rules.gates import Ranking
from common.snapshot.snapshot import Snapshot
from edge.snapshots.incremental_free import RetiredSnapshot
from edge.snapshots.prepare import prepare
from tests.support.builders import a_campaign, a_snapshot, an_ad


async def a_prepared_snapshot() -> Snapshot:
    campaign = a_campaign()
    snapshot = a_snapshot(campaign, an_ad(campaign))
    await prepare(snapshot, Ranking.GREEDY)
    return snapshot


async def test_a_state_without_readers_is_emptied() -> None:
    snapshot = await a_prepared_snapshot()
    ads, campaigns = snapshot.ads, snapshot.campaigns
    leaving = RetiredSnapshot(snapshot, whole=True)
    del snapshot
    await leaving.free()
    assert (dict(ads), dict(campaigns)) == ({}, {})


async def test_a_state_that_a_request_still_reads_stays_whole() -> None:
    snapshot = await a_prepared_snapshot()
    before = dict(snapshot.ads)
    await RetiredSnapshot(snapshot, whole=True).free(max_wait_s=0)
    assert before
    assert snapshot.ads == before


async def test_a_replaced_snapshot_keeps_the_maps_it_shares_with_the_next() -> None:
    snapshot = await a_prepared_snapshot()
    ads = snapshot.ads
    leaving = RetiredSnapshot(snapshot, whole=False)
    del snapshot
    await leaving.free()
    assert ads
