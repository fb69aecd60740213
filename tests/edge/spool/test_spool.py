"""The spool keeps what it acknowledged, refuses what it cannot keep, and gives both back in order."""

import asyncio
import os
import resource
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from common.tracking.event import LogRecord
from edge.spool import spool as spool_module
from edge.spool.segment import SegmentFile
from edge.spool.spool import Spool, SpoolFull
from edge.spool.writer_lock import lock_folder
from tests.support.records import a_writer, an_event
from tests.support.spools import fill, fill_up, folder_of, is_empty, on_disk, segments_of

MEGABYTE = 1 << 20


@pytest.fixture
async def spool(tmp_path: Path) -> AsyncIterator[Spool]:
    made = open_spool(tmp_path)
    yield made
    await made.close()


def open_spool(folder: Path, *, max_bytes: int = 64 * MEGABYTE) -> Spool:
    return Spool.open(folder, a_writer(), max_bytes=max_bytes, sync_ms=1)


@contextmanager
def files_end_at(size_bytes: int) -> Iterator[None]:
    """The kernel refuses to make any file of this process longer: a full disk, at a chosen byte."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_an_acknowledged_record_is_on_disk(spool: Spool, tmp_path: Path) -> None:
    event = an_event()
    sequence = await spool.append(event, b"client")
    assert on_disk(tmp_path) == [LogRecord(spool.writer, sequence, b"client", event)]


async def test_sequences_run_from_one_without_gaps(spool: Spool) -> None:
    first = await fill(spool, 300)
    second = await fill(spool, 300)
    assert sorted(first + second) == list(range(1, 601))


async def test_records_are_read_back_in_order_after_a_sequence(spool: Spool) -> None:
    await fill(spool, 50)
    assert [r.sequence for r in await spool.read(10, 20)] == list(range(11, 31))


async def test_reading_beyond_the_end_gives_nothing(spool: Spool) -> None:
    await fill(spool, 3)
    assert await spool.read(3, 10) == []


async def test_records_no_longer_in_memory_are_read_from_disk(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    count = spool_module.TAIL_RECORDS + 500
    await fill(spool, count)
    position, sequences = 0, []
    while records := await spool.read(position, 700):
        sequences += [record.sequence for record in records]
        position = records[-1].sequence
    assert sequences == list(range(1, count + 1))
    await spool.close()


async def test_reading_again_from_an_earlier_sequence_returns_the_same(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    await fill(spool, spool_module.TAIL_RECORDS + 100)
    first = await spool.read(20, 30)
    await spool.read(50, 30)
    assert await spool.read(20, 30) == first
    await spool.close()


async def test_segments_roll_and_are_deleted_once_settled(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_bytes=MEGABYTE)
    for _ in range(6):
        await fill(spool, 100)
    before = segments_of(tmp_path)
    spool.settle(before[1].first)
    after = segments_of(tmp_path)
    assert len(before) >= 3
    assert [s.first for s in after] == [s.first for s in before[1:]]
    await spool.close()


async def test_a_segment_with_one_unsettled_record_stays(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_bytes=MEGABYTE)
    for _ in range(6):
        await fill(spool, 100)
    before = segments_of(tmp_path)
    spool.settle(before[1].first - 2)
    assert segments_of(tmp_path)[0].first == before[0].first
    await spool.close()


async def test_offered_records_share_a_sync_with_others(tmp_path: Path) -> None:
    sizes: list[int] = []

    class Counted(SegmentFile):
        def append(self, data: bytes) -> None:
            sizes.append(len(data))
            super().append(data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spool_module, "SegmentFile", Counted)
        spool = open_spool(tmp_path)
        for _ in range(20):
            spool.offer(an_event(), b"client")
            await asyncio.sleep(0)
        assert await spool.append(an_event(), b"client") == 21
        assert len(sizes) == 1
        spool.offer(an_event(), b"client")
        await spool.wait_beyond(21, 30)
        assert spool.last_sequence == 22
        spool.offer(an_event(), b"client")
        await spool.close()
    assert spool.last_sequence == 23
    assert len(on_disk(tmp_path)) == 23


async def test_a_full_spool_refuses_and_keeps_no_trace(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_bytes=200_000)
    await fill_up(spool)
    assert 100_000 < spool.size_bytes <= 200_000
    assert [r.sequence for r in on_disk(tmp_path)] == list(range(1, spool.last_sequence + 1))
    await spool.close()


async def test_a_spool_is_nearly_full_before_it_is_full(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_bytes=200_000)
    before = spool.nearly_full
    await fill_up(spool)
    assert (before, spool.nearly_full) == (False, True)
    await spool.close()


async def test_a_settled_spool_takes_records_again(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_bytes=300_000)
    await fill_up(spool)
    last = spool.last_sequence
    spool.settle(last)
    assert await spool.append(an_event(), b"client") == last + 1
    await spool.close()


async def test_a_full_disk_refuses_and_leaves_no_torn_frame(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    await fill(spool, 10)
    with files_end_at(spool.size_bytes + 100), pytest.raises(SpoolFull):
        await spool.append(an_event(), b"client")
    assert await spool.append(an_event(), b"client") == 11
    assert [r.sequence for r in on_disk(tmp_path)] == list(range(1, 12))
    assert segments_of(tmp_path)[0].size_bytes == spool.size_bytes
    await spool.close()


async def test_a_record_that_cannot_be_encoded_fails_alone(spool: Spool) -> None:
    bad = spool.append(an_event(order_id="\ud800"), b"client")
    good = [spool.append(an_event(), b"client") for _ in range(2)]
    results = await asyncio.gather(bad, *good, return_exceptions=True)
    assert isinstance(results[0], TypeError)
    assert results[1:] == [1, 2]


async def test_a_cancelled_caller_stops_no_other(spool: Spool) -> None:
    gone = asyncio.create_task(spool.append(an_event(), b"gone"))
    await asyncio.sleep(0)
    gone.cancel()
    await spool.append(an_event(), b"client")
    assert spool.last_sequence == 2


async def test_a_closed_spool_with_unsettled_records_leaves_them(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    await fill(spool, 5)
    spool.settle(4)
    await spool.close()
    assert len(on_disk(tmp_path)) == 5


async def test_a_closed_spool_that_is_settled_leaves_nothing(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    await fill(spool, 5)
    spool.settle(5)
    await spool.close()
    assert is_empty(tmp_path)


async def test_appends_after_close_are_refused_and_counted(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    await spool.close()
    with pytest.raises(SpoolFull):
        await spool.append_all([(an_event(), b"client"), (an_event(), b"client")])
    assert spool.refused == 2


async def test_the_folder_of_a_living_writer_is_not_adopted(spool: Spool, tmp_path: Path) -> None:
    await fill(spool, 1)
    assert lock_folder(folder_of(tmp_path)) is None


async def test_an_edges_name_may_hold_anything(tmp_path: Path) -> None:
    writer = a_writer("rack 1/../edge-7")
    spool = Spool.open(tmp_path, writer, max_bytes=MEGABYTE, sync_ms=1)
    await spool.append(an_event(), b"client")
    assert on_disk(tmp_path)[0].writer == writer
    await spool.close()


async def test_what_killed_workers_left_of_new_folders_is_deleted_an_hour_later(
    tmp_path: Path,
) -> None:
    old, new = [tmp_path / f".new-{a_writer().boot}" for _ in range(2)]
    for folder in (old, new):
        folder.mkdir()
        (folder / "lock").touch()
    os.utime(old, (0, 0))
    spool = open_spool(tmp_path)
    assert (old.exists(), new.exists()) == (False, True)
    await spool.close()


async def test_a_spool_stalls_while_records_wait_and_none_is_settled(spool: Spool) -> None:
    assert spool.stalled_s == 0
    began_s = monotonic()
    first, last = await fill(spool, 2)
    assert 0 < spool.stalled_s <= monotonic() - began_s
    began_s = monotonic()
    spool.settle(first)
    assert 0 < spool.stalled_s <= monotonic() - began_s
    spool.settle(last)
    assert spool.stalled_s == 0


async def test_a_spool_stalls_from_the_first_record_that_waits(spool: Spool) -> None:
    spool.settle(max(await fill(spool, 2)))
    began_s = monotonic()
    (first,) = await fill(spool, 1)
    spool.settle(first - 1)
    await fill(spool, 1)
    assert spool.stalled_s <= monotonic() - began_s
