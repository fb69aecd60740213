"""What was shipped is kept for a while, and gives way first."""

import os
from errno import ENOSPC
from pathlib import Path

import pytest

from edge.spool.orphan import adopt_orphans, ship_orphan
from edge.spool.retention import RetainedSegments
from edge.spool.segment import SegmentFile
from edge.spool.spool import Spool
from tests.support.memory_events import MemoryEventLog
from tests.support.records import a_writer, an_event
from tests.support.spools import fill


@pytest.fixture
def retained(tmp_path: Path) -> RetainedSegments:
    return RetainedSegments(tmp_path)


def open_spool(folder: Path, retained: RetainedSegments, *, max_bytes: int = 1 << 20) -> Spool:
    return Spool.open(folder, a_writer(), max_bytes=max_bytes, sync_ms=0, retained=retained)


async def fill_segments(spool: Spool, count: int) -> None:
    """So many whole segments, and one begun."""
    while len(spool._segments) <= count:
        await fill(spool, 40)


class FullOnce(SegmentFile):
    """The disk is full at the first write, and has room at the second."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.writes = 0

    def append(self, data: bytes) -> None:
        self.writes += 1
        if self.writes == 1:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        super().append(data)


async def test_a_settled_segment_is_moved_from_the_spool_and_retained(
    tmp_path: Path, retained: RetainedSegments
) -> None:
    spool = open_spool(tmp_path, retained)
    await fill_segments(spool, 2)
    first, second = spool._segments[0], spool._segments[1]
    spool.settle(second.first)
    assert retained.writers() == {spool.writer: first.last}
    assert (
        spool.size_bytes
        == sum(one.size_bytes for one in spool._segments)
        == retained.spooled_bytes()
    )
    begun = spool._segments[-1].first
    assert [one.first for one in retained.segments_of(spool.writer)] == [1, second.first, begun]
    await spool.close()


async def test_a_spool_closed_after_settling_retains_all_of_it(
    tmp_path: Path, retained: RetainedSegments
) -> None:
    spool = open_spool(tmp_path, retained)
    await fill(spool, 7)
    spool.settle(7)
    await spool.close()
    assert retained.writers() == {spool.writer: 7}
    assert adopt_orphans(tmp_path) == []


async def test_the_records_of_a_shipped_orphan_are_retained(
    tmp_path: Path, retained: RetainedSegments
) -> None:
    spool = open_spool(tmp_path, retained)
    await fill_segments(spool, 1)
    last = spool.last_sequence
    await spool.close()
    (orphan,) = adopt_orphans(tmp_path, retained=retained)
    await ship_orphan(orphan, MemoryEventLog(), settle_s=0.01)
    assert retained.writers() == {spool.writer: last}
    assert retained.spooled_bytes() == 0


async def test_the_oldest_segments_are_deleted_until_the_rest_fits(
    tmp_path: Path, retained: RetainedSegments
) -> None:
    spool = open_spool(tmp_path, retained)
    await fill_segments(spool, 3)
    spool.settle(spool.last_sequence)
    segments = retained.segments_of(spool.writer)[:3]
    for age, one in enumerate(reversed(segments)):
        os.utime(one.path, (1_000_000 - age, 1_000_000 - age))
    newest = segments[2].size_bytes
    assert retained.sweep(max_bytes=newest, before_s=0.0) == newest
    assert [one.path.exists() for one in segments] == [False, False, True]
    await spool.close()


async def test_segments_that_are_too_old_are_deleted_despite_free_space(
    tmp_path: Path, retained: RetainedSegments
) -> None:
    spool = open_spool(tmp_path, retained)
    await fill(spool, 3)
    spool.settle(3)
    await spool.close()
    (segment,) = retained.segments_of(spool.writer)
    os.utime(segment.path, (1_000, 1_000))
    assert retained.sweep(max_bytes=1e9, before_s=999.0) > 0
    assert retained.sweep(max_bytes=1e9, before_s=1_001.0) == 0
    assert retained.writers() == {}


async def test_a_full_disk_deletes_retained_segments_before_refusing_events(
    tmp_path: Path, retained: RetainedSegments
) -> None:
    before = open_spool(tmp_path, retained)
    await fill(before, 5)
    before.settle(5)
    await before.close()
    spool = open_spool(tmp_path, retained)
    await fill(spool, 1)
    spool._file = FullOnce(tmp_path / "full.seg")
    assert await spool.append(an_event(), b"client") == 2
    assert retained.writers() == {}
    await spool.close()


async def test_each_hour_is_reported_once_and_counts_the_reporting_record(
    tmp_path: Path, retained: RetainedSegments
) -> None:
    spool = open_spool(tmp_path, retained)
    hour = an_event().at_ms // 3_600_000
    await fill(spool, 4)
    changes = spool.appended.changes_with((hour + 1) * 3_600_000)
    assert changes == ((hour, 4), (hour + 1, 1))
    spool.appended.mark_reported(changes)
    assert spool.appended.changes_with((hour + 1) * 3_600_000) == ()
    await fill(spool, 1)
    assert spool.appended.changes_with((hour + 1) * 3_600_000) == ((hour, 5),)
    await spool.close()
