"""Consumers of one process divide the partitions that the log assigns to it."""

from control.events.ingest.consumer_split import SharedSource
from tests.support.memory_source import MemoryEventSource


class Assigned(MemoryEventSource):
    """What the log says next, each time it is asked."""

    def __init__(self, *turns: set[int]) -> None:
        super().__init__()
        self._turns = [frozenset(turn) for turn in turns]

    async def assigned(self) -> frozenset[int]:
        return self._turns.pop(0)


async def test_each_partition_has_one_consumer_after_every_change_of_assignment() -> None:
    every = {0, 1, 2, 3}
    shared = SharedSource(Assigned(every, every, {0, 2}, {0, 2}), 2)
    first, second = shared.share(0), shared.share(1)
    assert [set(await one.assigned()) for one in (first, second)] == [{0, 1}, {2, 3}]
    assert [set(await one.assigned()) for one in (first, second)] == [{0}, {2}]


async def test_a_partition_lost_between_polls_is_left_out_once_for_each_consumer() -> None:
    shared = SharedSource(Assigned({0, 2}, {0, 2}, {0}, {0, 2}, {0, 2}), 2)
    first, second = shared.share(0), shared.share(1)
    await first.assigned()
    assert await second.assigned() == {2}
    assert await first.assigned() == {0}
    assert await second.assigned() == frozenset()
    assert await second.assigned() == {2}


async def test_a_consumer_reads_its_own_partitions_only() -> None:
    source = MemoryEventSource()
    shared = SharedSource(source, 2)
    first, second = shared.share(0), shared.share(1)
    for partition in range(4):
        source.append(partition, b"%d" % partition)
        await source.seek(partition, None)
    for share in (first, second):
        await share.assigned()
    read = [
        [one.partition for one in await share.poll(most=9, wait_ms=1)] for share in (first, second)
    ]
    assert read == [[0, 1], [2, 3]]
