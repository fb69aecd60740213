"""Events to be counted: those of people whose node of the store is unavailable wait, and delay no others."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from common.decision.frequency import cap_keys
from common.snapshot.model import FrequencyCap
from common.values.enums import EventKind
from edge.ports import Seen
from edge.state.frequency_caps import MAX_WAITING, FrequencyCaps
from tests.support.builders import NOW_MS, a_campaign, an_ad
from tests.support.memory_caps import MemoryCapStore
from tests.support.waiting import until

ANNA, BEN = b"annaanna", b"benbenbe"
CAMPAIGN = a_campaign(frequency_caps=(FrequencyCap("campaign", EventKind.IMPRESSION, 9, 3600),))
AD = an_ad(CAMPAIGN)
(KEY,) = cap_keys(CAMPAIGN, AD, EventKind.IMPRESSION)


class PartlyAwayStore(MemoryCapStore):
    """Counts nothing of the people in ``away``."""

    def __init__(self) -> None:
        super().__init__()
        self.away: set[bytes] = set()
        self.numbers: dict[bytes, list[int]] = defaultdict(list)

    async def add(self, seen: Sequence[Seen]) -> Sequence[Seen]:
        left = [one for one in seen if one.person in self.away]
        added = [one for one in seen if one.person not in self.away]
        for one in added:
            self.numbers[one.person].append(one.number)
        await super().add(added)
        return left


def issue(caps: FrequencyCaps, *people: bytes) -> None:
    for person in people:
        caps.count_issued(person, CAMPAIGN, AD, NOW_MS)


async def test_people_of_other_nodes_are_counted_and_held_events_keep_their_order() -> None:
    store = PartlyAwayStore()
    caps = FrequencyCaps(store, bytes(32))
    store.away = {ANNA}
    issue(caps, ANNA, BEN, ANNA)
    assert await caps.flush()
    issue(caps, ANNA, BEN)
    assert await caps.flush()
    assert not await caps.flush()
    assert (store.numbers, caps.waiting) == ({BEN: [2, 5]}, 3)
    counts = await caps.find_cached(ANNA, NOW_MS)
    assert counts is not None
    assert counts.get(KEY, 0) == 3

    store.away = set()
    issue(caps, ANNA)
    assert await caps.flush()
    assert await caps.flush()

    assert (store.numbers[ANNA], caps.waiting) == ([1, 3, 4, 6], 0)
    issue(caps, ANNA)
    assert await caps.flush()
    assert store.numbers[ANNA][-1] == 7


async def test_held_events_are_bounded_with_the_others() -> None:
    store = PartlyAwayStore()
    caps = FrequencyCaps(store, bytes(32))
    store.away = {ANNA}
    issue(caps, *[ANNA] * 300)
    while not caps.lost:
        issue(caps, *[BEN] * 300)
        await caps.flush()
        issue(caps, *[ANNA] * MAX_WAITING)
    assert caps.waiting == MAX_WAITING


async def test_the_loop_counts_each_event_and_sleeps_until_the_next() -> None:
    store = PartlyAwayStore()
    caps = FrequencyCaps(store, bytes(32))

    async def is_counted() -> bool:
        return not caps.waiting

    task = asyncio.create_task(caps.run())
    for number in (1, 2):
        issue(caps, ANNA)
        await until(is_counted)
        assert store.numbers == {ANNA: list(range(1, number + 1))}
    task.cancel()
