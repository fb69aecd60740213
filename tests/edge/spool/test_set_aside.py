"""A segment that cannot be read holds up only its own records, and none of them is deleted."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from common.tracking.event import CounterRecord, EventRecord
from edge.spool import spool as spool_module
from edge.spool.orphan import adopt_orphans, ship_orphan
from edge.spool.retention import RetainedSegments
from edge.spool.segment import Segment
from edge.spool.set_aside import mark_unreadable, set_aside_of
from edge.spool.ship import Shipper
from edge.spool.spool import Spool
from tests.support.memory_events import MemoryEventLog
from tests.support.records import a_writer
from tests.support.spools import fill, is_empty, segments_of, until

COUNT = 700
SETTLE_S = 0.01


@pytest.fixture
async def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """Of several segments, with a few of the records in memory."""
    monkeypatch.setattr(spool_module, "TAIL_RECORDS", 20)
    made = Spool.open(tmp_path, a_writer(), max_bytes=1 << 20, sync_ms=1)
    for _ in range(COUNT // 100):
        await fill(made, 100)
    assert len(segments_of(tmp_path)) > 3
    return made


def make_unreadable(segment: Segment) -> bytes:
    """A folder can be renamed like a file, but not read like one. Returns what the file held."""
    content = segment.path.read_bytes()
    segment.path.unlink()
    segment.path.mkdir()
    return content


def repair(path: Path, content: bytes) -> None:
    path.rmdir()
    path.write_bytes(content)


def numbers(segment: Segment) -> set[int]:
    assert segment.last is not None
    return set(range(segment.first, segment.last + 1))


def events(log: MemoryEventLog) -> set[int]:
    return {one.sequence for one in log.records if isinstance(one.body, EventRecord)}


def empty(log: MemoryEventLog) -> set[int]:
    return {one.sequence for one in log.records if isinstance(one.body, CounterRecord)}


async def ship(shipper: Shipper, done: Callable[[], bool]) -> None:
    task = asyncio.create_task(shipper.run())
    try:
        await until(done)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_later_segments_are_shipped_and_the_file_stays(spool: Spool, tmp_path: Path) -> None:
    lost, log = segments_of(tmp_path)[1], MemoryEventLog()
    make_unreadable(lost)
    await ship(Shipper(spool, log, settle_s=SETTLE_S, retry_s=0.2), lambda: COUNT in events(log))
    assert events(log) == set(range(1, COUNT + 1)) - numbers(lost)
    assert not empty(log)
    assert spool.settled == lost.first - 1
    (aside,) = set_aside_of(tmp_path, spool.writer)
    assert numbers(aside) == numbers(lost)
    assert RetainedSegments(tmp_path).count_unreadable() == 1
    await spool.close()


async def test_numbers_of_a_segment_set_aside_are_closed_in_the_end(
    spool: Spool, tmp_path: Path
) -> None:
    lost, log = segments_of(tmp_path)[1], MemoryEventLog()
    make_unreadable(lost)
    shipper = Shipper(spool, log, settle_s=SETTLE_S, retry_s=0.1, replayable_s=0.2)
    await ship(shipper, lambda: spool.settled == COUNT)
    assert empty(log) == numbers(lost)
    assert set_aside_of(tmp_path, spool.writer)
    await spool.close()


async def test_a_segment_that_somebody_deleted_holds_up_no_later_one(
    spool: Spool, tmp_path: Path
) -> None:
    lost, log = segments_of(tmp_path)[1], MemoryEventLog()
    lost.path.unlink()
    shipper = Shipper(spool, log, settle_s=SETTLE_S, retry_s=0.1, replayable_s=0.2)
    await ship(shipper, lambda: spool.settled == COUNT)
    assert empty(log) == numbers(lost)
    assert not set_aside_of(tmp_path, spool.writer)
    await spool.close()


async def test_a_segment_that_can_be_read_again_is_shipped_whole(
    spool: Spool, tmp_path: Path
) -> None:
    segment, log = segments_of(tmp_path)[1], MemoryEventLog()
    content = make_unreadable(segment)
    shipper = Shipper(spool, log, settle_s=SETTLE_S)
    await ship(shipper, lambda: shipper.counts.failed > 1)
    repair(segment.path, content)
    await ship(shipper, lambda: spool.settled == COUNT)
    assert events(log) == set(range(1, COUNT + 1))
    await spool.close()


async def test_the_segment_in_writing_is_ended_and_set_aside(spool: Spool, tmp_path: Path) -> None:
    current, log = segments_of(tmp_path)[-1], MemoryEventLog()
    make_unreadable(current)
    shipper = Shipper(spool, log, settle_s=SETTLE_S, retry_s=0.1, replayable_s=0.2)
    await ship(shipper, lambda: shipper.counts.set_aside == 1)
    last = spool.last_sequence
    await fill(spool, 5)
    assert [one.first for one in segments_of_writer(tmp_path, spool)] == [last + 1]
    await ship(shipper, lambda: spool.settled == last + 5)
    assert empty(log) == set(range(current.first, last + 1))
    assert events(log) == set(range(1, current.first)) | set(range(last + 1, last + 6))
    await spool.close()


def segments_of_writer(spool_dir: Path, spool: Spool) -> list[Segment]:
    """Those that nothing was shipped of, in the spool itself."""
    found = RetainedSegments(spool_dir).segments_of(spool.writer)
    return [one for one in found if "aside" not in one.path.parts and one.first > COUNT]


async def test_a_restart_tries_a_segment_again_that_was_set_aside(
    spool: Spool, tmp_path: Path
) -> None:
    lost, log = segments_of(tmp_path)[1], MemoryEventLog()
    content = make_unreadable(lost)
    await ship(Shipper(spool, log, settle_s=SETTLE_S, retry_s=0.1), lambda: COUNT in events(log))
    await spool.close()
    (aside,) = set_aside_of(tmp_path, spool.writer)
    repair(aside.path, content)
    (orphan,) = adopt_orphans(tmp_path)
    await ship_orphan(orphan, log, settle_s=SETTLE_S)
    assert events(log) == set(range(1, COUNT + 1))
    assert empty(log) == {COUNT + 1}
    assert not set_aside_of(tmp_path, spool.writer)


async def test_a_restart_leaves_a_segment_aside_that_was_settled(
    spool: Spool, tmp_path: Path
) -> None:
    lost, log = segments_of(tmp_path)[1], MemoryEventLog()
    make_unreadable(lost)
    shipper = Shipper(spool, log, settle_s=SETTLE_S, retry_s=0.1, replayable_s=0.2)
    await ship(shipper, lambda: spool.settled == COUNT)
    await fill(spool, 5)
    await spool.close()
    (orphan,) = adopt_orphans(tmp_path)
    assert orphan.first_sequence > max(numbers(lost))
    await ship_orphan(orphan, log, settle_s=SETTLE_S)
    assert empty(log) == numbers(lost) | {COUNT + 6}
    assert [numbers(one) for one in set_aside_of(tmp_path, spool.writer)] == [numbers(lost)]


async def test_an_orphan_ships_what_follows_a_segment_that_cannot_be_read(
    spool: Spool, tmp_path: Path
) -> None:
    await spool.close()
    lost, log = segments_of(tmp_path)[1], MemoryEventLog()
    make_unreadable(lost)
    (orphan,) = adopt_orphans(tmp_path)
    shipper = Shipper(orphan, log, settle_s=SETTLE_S, retry_s=0.1, replayable_s=0.2)
    await shipper.run()
    orphan.remove()
    assert events(log) == set(range(1, COUNT + 1)) - numbers(lost)
    assert empty(log) == numbers(lost) | {COUNT + 1}
    assert len(set_aside_of(tmp_path, spool.writer)) == 1


async def test_an_orphan_whose_end_cannot_be_read_keeps_it(spool: Spool, tmp_path: Path) -> None:
    await spool.close()
    *_, end = segments_of(tmp_path)
    log = MemoryEventLog()
    content = make_unreadable(end)
    (orphan,) = adopt_orphans(tmp_path)
    await ship_orphan(orphan, log, settle_s=SETTLE_S)
    assert (events(log), empty(log)) == (set(range(1, end.first)), set())
    assert adopt_orphans(tmp_path) == []
    assert RetainedSegments(tmp_path).count_unreadable() == 1

    repair(end.path, content)
    (orphan,) = adopt_orphans(tmp_path)
    await ship_orphan(orphan, log, settle_s=SETTLE_S)
    assert (events(log), empty(log)) == (set(range(1, COUNT + 1)), {COUNT + 1})
    assert is_empty(tmp_path)


def test_segments_of_decision_records_are_counted_too(tmp_path: Path) -> None:
    folder = tmp_path / "decisions" / "edge-a"
    aside = folder.parent / "aside" / folder.name
    for path in (folder, aside):
        path.mkdir(parents=True)
    (aside / "0000000000000001-0000000000000009.seg").touch()
    mark_unreadable(folder)
    assert RetainedSegments(tmp_path).count_unreadable() == 2
