"""What a dead writer leaves behind is taken by one adopter, shipped whole, and then gone."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from common.decision.record import DecisionRecord
from common.tracking.event import NOTHING_FOLLOWS_MS, CounterRecord, LogRecord
from common.tracking.record import parse_record
from edge.spool.orphan import adopt_orphans, ship_orphan, ship_orphans
from edge.spool.ship import Shipper
from edge.spool.spool import Spool
from tests.support.memory_events import MemoryEventLog
from tests.support.records import a_writer, an_event
from tests.support.spools import is_empty, segments_of, until
from tests.support.waiting import PATIENCE_S

SETTLE_S = 0.01

_WRITER = """
import asyncio, sys
from pathlib import Path
from common.tracking.event import WriterId
from edge.spool.spool import Spool
from tests.support.records import an_event

async def main():
    spool = Spool.open(Path(sys.argv[1]), WriterId("edge", "a" * 32), max_bytes=1 << 26, sync_ms=1)
    while True:
        sequences = await asyncio.gather(*(spool.append(an_event(), b"client") for _ in range(20)))
        print(max(sequences), flush=True)

asyncio.run(main())
"""


async def leave_spool(spool_dir: Path, count: int, *, max_bytes: int = 1 << 26) -> list[LogRecord]:
    """A writer that died after *count* records; what it wrote."""
    spool = Spool.open(spool_dir, a_writer(), max_bytes=max_bytes, sync_ms=1)
    for _ in range(count // 100 + 1):
        await asyncio.gather(*(spool.append(an_event(), b"client") for _ in range(100)))
    records = [parse_record(record.raw) for record in await spool.read(0, 1_000_000)]
    await spool.close()
    return records


def kill_a_writer(spool_dir: Path) -> int:
    """Kills a process in the middle of appending; the highest sequence it has acknowledged."""
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(spool_dir)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(25)]
        process.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in process.stdout if line.strip()]
    return max(acknowledged)


def the_end(written: list[LogRecord]) -> LogRecord:
    """What says that nothing follows."""
    last = written[-1]
    assert not isinstance(last.body, DecisionRecord)
    body = CounterRecord(last.body.at_ms, NOTHING_FOLLOWS_MS, last.body.is_test, rows=())
    return LogRecord(last.writer, last.sequence + 1, str(last.writer).encode(), body)


def sequences_of(log: MemoryEventLog) -> list[int]:
    return [record.sequence for record in log.records]


async def test_an_orphans_records_are_shipped_and_its_folder_is_removed(tmp_path: Path) -> None:
    written = await leave_spool(tmp_path, 700)
    log = MemoryEventLog()
    (orphan,) = adopt_orphans(tmp_path)
    await ship_orphan(orphan, log, settle_s=SETTLE_S)
    assert log.records == [*written, the_end(written)]
    assert is_empty(tmp_path)


async def test_an_orphan_is_adopted_once(tmp_path: Path) -> None:
    await leave_spool(tmp_path, 1)
    (orphan,) = adopt_orphans(tmp_path)
    assert adopt_orphans(tmp_path) == []
    orphan.release()
    (again,) = adopt_orphans(tmp_path)
    again.release()


async def test_a_living_spool_is_no_orphan(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path, a_writer(), max_bytes=1 << 20, sync_ms=1)
    assert adopt_orphans(tmp_path) == []
    await spool.close()


async def test_an_empty_orphan_is_removed(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path, a_writer(), max_bytes=1 << 20, sync_ms=1)
    spool._lock.release()
    (orphan,) = adopt_orphans(tmp_path)
    await ship_orphan(orphan, MemoryEventLog(), settle_s=SETTLE_S)
    assert is_empty(tmp_path)


async def test_foreign_files_in_the_spool_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "lost+found").mkdir()
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    assert adopt_orphans(tmp_path) == []
    assert not is_empty(tmp_path)


async def test_a_torn_tail_is_cut_and_the_rest_shipped(tmp_path: Path) -> None:
    await leave_spool(tmp_path, 10)
    segment = segments_of(tmp_path)[0].path
    os.truncate(segment, segment.stat().st_size - 5)
    log = MemoryEventLog()
    (orphan,) = adopt_orphans(tmp_path)
    await ship_orphan(orphan, log, settle_s=SETTLE_S)
    assert sequences_of(log) == list(range(1, 101))
    assert log.records[-1].body == the_end(log.records[:-1]).body


async def test_a_damaged_record_is_replaced_by_an_empty_one(tmp_path: Path) -> None:
    await leave_spool(tmp_path, 10)
    segment = segments_of(tmp_path)[0].path
    raw = bytearray(segment.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    segment.write_bytes(raw)
    log = MemoryEventLog()
    (orphan,) = adopt_orphans(tmp_path)
    shipper = Shipper(orphan, log, settle_s=SETTLE_S, patience_s=0.05)
    await shipper.run()
    orphan.remove()
    assert sorted(sequences_of(log)) == list(range(1, 102))
    assert shipper.counts.filled == 1
    assert isinstance(log.records[-1].body, CounterRecord)
    assert log.records[-1].body.rows == ()
    assert log.records[-1].body.at_ms == an_event().at_ms


async def test_an_unreadable_orphan_does_not_block_the_next(
    tmp_path: Path,
) -> None:
    await leave_spool(tmp_path, 600, max_bytes=1 << 20)
    segments = segments_of(tmp_path)
    assert len(segments) > 1
    for segment in segments:
        segment.path.write_bytes(bytes(segment.size_bytes))
    log = MemoryEventLog()
    (orphan,) = adopt_orphans(tmp_path)
    async with asyncio.timeout(PATIENCE_S):
        await ship_orphan(orphan, log, settle_s=SETTLE_S)
    assert not log.records
    assert is_empty(tmp_path)


async def test_an_adopter_that_is_stopped_leaves_the_rest_to_the_next(tmp_path: Path) -> None:
    written = await leave_spool(tmp_path, 10)
    away = MemoryEventLog()
    away.is_unavailable = True
    task = asyncio.create_task(ship_orphans(tmp_path, away))
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    log = MemoryEventLog()
    (orphan,) = adopt_orphans(tmp_path)
    await ship_orphan(orphan, log, settle_s=SETTLE_S)
    assert log.records == [*written, the_end(written)]


async def test_many_orphans_are_found_in_later_passes(tmp_path: Path) -> None:
    for _ in range(12):
        await leave_spool(tmp_path, 1)
    log = MemoryEventLog()
    task = asyncio.create_task(ship_orphans(tmp_path, log, every_s=0.05, settle_s=SETTLE_S))
    await until(lambda: is_empty(tmp_path))
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert len({record.writer for record in log.records}) == 12


async def test_a_killed_writer_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    acknowledged = await asyncio.to_thread(kill_a_writer, tmp_path)
    (orphan,) = adopt_orphans(tmp_path)
    log = MemoryEventLog()
    await ship_orphan(orphan, log, settle_s=SETTLE_S)
    shipped = sequences_of(log)
    assert shipped == list(range(1, len(shipped) + 1))
    assert len(shipped) >= acknowledged


async def test_settled_segments_of_an_orphan_are_deleted_on_the_way(tmp_path: Path) -> None:
    await leave_spool(tmp_path, 600, max_bytes=1 << 20)
    before = [segment.path for segment in segments_of(tmp_path)]
    (orphan,) = adopt_orphans(tmp_path)
    orphan.settle(int(before[2].stem) - 1)
    assert [segment.path for segment in segments_of(tmp_path)] == before[2:]
    orphan.release()


async def test_an_orphan_whose_first_segments_are_gone_starts_where_it_starts(
    tmp_path: Path,
) -> None:
    await leave_spool(tmp_path, 600, max_bytes=1 << 20)
    segments = segments_of(tmp_path)
    segments[0].path.unlink()
    log = MemoryEventLog()
    (orphan,) = adopt_orphans(tmp_path)
    await ship_orphan(orphan, log, settle_s=SETTLE_S)
    assert sequences_of(log)[0] == segments[1].first
