"""A machine sends again the records that control lacks and it still has, and reports it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from common.tracking.reconcile import ReplayRequest, Retained
from common.values.clock import FixedClock
from common.values.environment import Environment
from edge.ports import EventLogUnavailable
from edge.settings import EdgeSettings
from edge.spool.replay import Replayer
from edge.spool.retention import RetainedSegments
from edge.spool.spool import Spool
from tests.support.memory_events import MemoryEventLog
from tests.support.records import a_writer
from tests.support.spools import fill

NOW_MS = 1_800_000_000_000
EDGE = "edge-a"


@dataclass
class FakeRequests:
    requests: dict[str, ReplayRequest] = field(default_factory=dict)
    retained: dict[str, Retained] = field(default_factory=dict)

    async def wanted(self) -> Mapping[str, ReplayRequest]:
        return self.requests

    async def report_retained(self, kept: Mapping[str, Retained]) -> None:
        self.retained |= kept

    async def close(self) -> None:
        self.requests = {}


@pytest.fixture
def mailbox() -> FakeRequests:
    return FakeRequests()


@pytest.fixture
def log() -> MemoryEventLog:
    return MemoryEventLog()


@pytest.fixture
def replayer(tmp_path: Path, mailbox: FakeRequests, log: MemoryEventLog) -> Replayer:
    settings = EdgeSettings(
        environment=Environment.LIVE,
        edge_url="https://edge.example",
        redis_url="redis://nowhere",
        key_file=Path("nowhere"),
        edge_name=EDGE,
        spool_dir=tmp_path,
        spool_retention_s=1e9,
    )
    return Replayer(settings, RetainedSegments(tmp_path), mailbox, log, FixedClock(NOW_MS))


async def a_shipped_spool(folder: Path, count: int) -> Spool:
    """Ended, and all of it kept."""
    spool = Spool.open(
        folder, a_writer(EDGE), max_bytes=1 << 20, sync_ms=0, retained=RetainedSegments(folder)
    )
    for first in range(0, count, 100):  # a commit is in one segment
        await fill(spool, min(100, count - first))
    spool.settle(count)
    await spool.close()
    return spool


def numbers(log: MemoryEventLog) -> list[int]:
    return [one.sequence for one in log.records]


async def test_missing_records_are_sent_again_once(
    tmp_path: Path, replayer: Replayer, mailbox: FakeRequests, log: MemoryEventLog
) -> None:
    spool = await a_shipped_spool(tmp_path, 20)
    name = str(spool.writer)
    mailbox.requests = {name: ReplayRequest(5, ((3, 4), (9, 9)))}
    for _ in range(3):
        await replayer.step()
    assert numbers(log) == [3, 4, 9]
    assert mailbox.retained[name] == Retained(NOW_MS, 20, 5, 3)
    mailbox.requests = {name: ReplayRequest(6, ((9, 9),))}
    await replayer.step()
    assert numbers(log) == [3, 4, 9, 9]
    assert mailbox.retained[name].sent == 4


async def test_a_living_spool_sends_again_the_records_it_still_has(
    tmp_path: Path, replayer: Replayer, mailbox: FakeRequests, log: MemoryEventLog
) -> None:
    spool = Spool.open(
        tmp_path, a_writer(EDGE), max_bytes=1 << 20, sync_ms=0, retained=RetainedSegments(tmp_path)
    )
    await fill(spool, 9)
    spool.settle(9)
    mailbox.requests = {str(spool.writer): ReplayRequest(5, ((2, 2), (8, 30)))}
    await replayer.step()
    assert numbers(log) == [2, 8, 9]
    await spool.close()


async def test_records_are_read_and_sent_segment_by_segment(
    tmp_path: Path, replayer: Replayer, mailbox: FakeRequests, log: MemoryEventLog
) -> None:
    spool = await a_shipped_spool(tmp_path, 600)
    segments = RetainedSegments(tmp_path).segments_of(spool.writer)
    assert len(segments) > 2
    content = segments[1].path.read_bytes()
    segments[1].path.unlink()
    segments[1].path.mkdir()  # it cannot be read
    assert segments[1].last is not None
    lost = list(range(segments[1].first, segments[1].last + 1))
    mailbox.requests = {str(spool.writer): ReplayRequest(5, ((1, 600),))}
    await replayer.step()
    assert numbers(log) == [one for one in range(1, 601) if one not in lost]

    segments[1].path.rmdir()
    segments[1].path.write_bytes(content)
    mailbox.requests = {str(spool.writer): ReplayRequest(6, ((lost[0], lost[-1]),))}
    await replayer.step()
    assert numbers(log)[-len(lost) :] == lost


async def test_records_of_a_segment_that_was_set_aside_are_sent(
    tmp_path: Path, replayer: Replayer, mailbox: FakeRequests, log: MemoryEventLog
) -> None:
    spool = Spool.open(tmp_path, a_writer(EDGE), max_bytes=1 << 20, sync_ms=0)
    await fill(spool, 9)
    (segment,) = RetainedSegments(tmp_path).segments_of(spool.writer)
    await spool.set_aside(segment)
    mailbox.requests = {str(spool.writer): ReplayRequest(5, ((2, 4),))}
    await replayer.step()
    assert (numbers(log), replayer.unreadable) == ([2, 3, 4], 1)
    await spool.close()


async def test_segments_without_a_requested_record_are_not_read(
    tmp_path: Path, replayer: Replayer, mailbox: FakeRequests, log: MemoryEventLog
) -> None:
    spool = await a_shipped_spool(tmp_path, 600)
    segments = RetainedSegments(tmp_path).segments_of(spool.writer)
    segments[1].path.unlink()
    segments[1].path.mkdir()  # it cannot be read
    third = segments[2].first
    mailbox.requests = {str(spool.writer): ReplayRequest(5, ((2, 3), (third, third)))}
    await replayer.step()
    assert numbers(log) == [2, 3, third]


async def test_a_machine_reports_its_retained_records_without_a_request(
    tmp_path: Path, replayer: Replayer, mailbox: FakeRequests
) -> None:
    spool = await a_shipped_spool(tmp_path, 6)
    await replayer.step()
    assert mailbox.retained == {str(spool.writer): Retained(NOW_MS, 6)}
    assert replayer.retained_bytes > 0


async def test_requests_for_writers_of_other_machines_are_ignored(
    replayer: Replayer, mailbox: FakeRequests, log: MemoryEventLog
) -> None:
    mailbox.requests = {str(a_writer("edge-b")): ReplayRequest(5, ((1, 2),))}
    await replayer.step()
    assert (mailbox.retained, numbers(log)) == ({}, [])


async def test_a_replay_request_waits_until_the_log_is_available(
    tmp_path: Path, replayer: Replayer, mailbox: FakeRequests, log: MemoryEventLog
) -> None:
    spool = await a_shipped_spool(tmp_path, 3)
    mailbox.requests = {str(spool.writer): ReplayRequest(5, ((1, 3),))}
    log.is_unavailable = True
    with pytest.raises(EventLogUnavailable):
        await replayer.step()
    log.is_unavailable = False
    await replayer.step()
    assert numbers(log) == [1, 2, 3]
