"""Shipping: in order, at least once, nothing deleted that the log could still lose."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from common.tracking.event import NOTHING_FOLLOWS_MS, CounterRecord
from common.values.clock import FixedClock
from edge.spool.counters import Counters
from edge.spool.ship import Shipper
from edge.spool.spool import TAIL_RECORDS, Spool
from tests.support.memory_events import MemoryEventLog
from tests.support.records import a_writer
from tests.support.spools import fill, fill_up, segments_of, until


@pytest.fixture
async def spool(tmp_path: Path) -> AsyncIterator[Spool]:
    made = Spool.open(tmp_path, a_writer(), max_bytes=1 << 20, sync_ms=1)
    yield made
    await made.close()


@asynccontextmanager
async def shipping(spool: Spool, log: MemoryEventLog) -> AsyncIterator[Shipper]:
    shipper = Shipper(spool, log, linger_s=0.002, settle_s=0.01)
    task = asyncio.create_task(shipper.run())
    try:
        yield shipper
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def numbers(log: MemoryEventLog) -> list[int]:
    return [record.sequence for record in log.records]


async def test_records_are_shipped_in_order(spool: Spool) -> None:
    log = MemoryEventLog()
    async with shipping(spool, log):
        await fill(spool, 30)
        await fill(spool, 30)
        await until(lambda: len(log.records) >= 60)
    assert numbers(log) == list(range(1, 61))


async def test_an_idle_shipper_takes_the_next_record(spool: Spool) -> None:
    log = MemoryEventLog()
    async with shipping(spool, log) as shipper:
        await fill(spool, 1)
        await until(lambda: shipper.settled == 1)
        await fill(spool, 1)
        await until(lambda: numbers(log) == [1, 2])


async def test_segments_are_deleted_once_their_records_are_settled(
    spool: Spool, tmp_path: Path
) -> None:
    log = MemoryEventLog()
    async with shipping(spool, log) as shipper:
        for _ in range(6):
            await fill(spool, 100)
        await until(lambda: shipper.settled == 600)
    assert len(segments_of(tmp_path)) == 1


async def test_unsettled_records_stay_on_disk(spool: Spool, tmp_path: Path) -> None:
    log = MemoryEventLog()
    log.settles = False
    async with shipping(spool, log):
        for _ in range(6):
            await fill(spool, 100)
        await until(lambda: len(log.records) == 600)
        assert segments_of(tmp_path)[0].first == 1


async def test_a_log_gets_all_records_after_an_outage(spool: Spool) -> None:
    log = MemoryEventLog()
    log.is_unavailable = True
    with capture_logs() as lines:
        async with shipping(spool, log) as shipper:
            await fill(spool, 40)
            await until(lambda: shipper.counts.failed >= 3)
            log.is_unavailable = False
            await until(lambda: len(log.records) == 40)
    assert numbers(log) == list(range(1, 41))
    assert [line["event"] for line in lines] == ["ship_failed", "ship_recovered"]


async def test_a_log_that_lost_its_records_gets_them_again(spool: Spool) -> None:
    log = MemoryEventLog()
    log.settles = False
    async with shipping(spool, log) as shipper:
        await fill(spool, 40)
        await until(lambda: len(log.records) == 40)
        log.lose()
        await until(lambda: len(log.records) == 40)
    assert shipper.counts.generations == 1


async def test_settled_records_are_not_sent_again_after_a_loss(spool: Spool) -> None:
    log = MemoryEventLog()
    async with shipping(spool, log) as shipper:
        await fill(spool, 20)
        await until(lambda: shipper.settled == 20)
        log.settles = False
        await fill(spool, 5)
        await until(lambda: len(log.records) == 25)
        log.lose()
        await until(lambda: len(log.records) == 5)
    assert numbers(log) == [21, 22, 23, 24, 25]


async def test_a_damaged_record_is_replaced_while_others_follow(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path, a_writer(), max_bytes=64 << 20, sync_ms=1)
    await fill(spool, TAIL_RECORDS + 50)  # so that the first ones are read from the disk
    segment = segments_of(tmp_path)[0].path
    raw = bytearray(segment.read_bytes())
    raw[500] ^= 0xFF
    segment.write_bytes(raw)
    log = MemoryEventLog()
    shipper = Shipper(spool, log, linger_s=0.002, settle_s=0.5, patience_s=0.05)
    tasks = [asyncio.create_task(shipper.run()), asyncio.create_task(_append_for_ever(spool))]
    try:
        await until(lambda: shipper.settled > TAIL_RECORDS + 50)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await spool.close()
    assert shipper.counts.filled == 1


async def _append_for_ever(spool: Spool) -> None:
    while True:
        await fill(spool, 1)
        await asyncio.sleep(0.001)


async def test_drain_ends_when_the_log_has_everything(spool: Spool) -> None:
    log = MemoryEventLog()
    async with shipping(spool, log) as shipper:
        await fill(spool, 500)
        assert await shipper.drain(5)
    assert len(log.records) == 500


async def test_drain_gives_up_in_time_and_leaves_the_rest(spool: Spool, tmp_path: Path) -> None:
    log = MemoryEventLog()
    log.is_unavailable = True
    async with shipping(spool, log) as shipper:
        await fill(spool, 5)
        assert not await shipper.drain(0.05)
    assert segments_of(tmp_path)[0].size_bytes > 0


async def test_counters_are_one_record_of_what_was_counted(spool: Spool) -> None:
    counters = Counters(spool, FixedClock(5_000), is_test=True)
    for _ in range(3):
        counters.count("p", "s", "c", "a", "fill", "de", "mobile", "web", "banner")
    counters.count("p", "s", None, None, "below_floor", None, None, "server", None)
    await counters.flush()
    (record,) = await spool.read(0, 10)
    assert record.body == CounterRecord(
        5_000,
        4_000,
        is_test=True,
        rows=(
            ("p", "s", "c", "a", "fill", "de", "mobile", "web", "banner", 3),
            ("p", "s", None, None, "below_floor", None, None, "server", None, 1),
        ),
    )


async def test_calls_by_key_are_recorded_with_the_decisions(spool: Spool) -> None:
    counters = Counters(spool, FixedClock(5_000), is_test=True)
    for calls in (1, 2):
        counters.count_key("p", "k", calls)
    await counters.flush()
    await counters.flush()
    bodies = [record.body for record in await spool.read(0, 10)]
    assert [body.keys for body in bodies if isinstance(body, CounterRecord)] == [
        (("p", "k", 3),),
        (),
    ]


class SetBackClock(FixedClock):
    """Its monotonic time does not follow when it is set."""

    passed_s = 1_000.0

    def monotonic_s(self) -> float:
        return self.passed_s


async def test_what_was_appended_is_reported_each_minute_after_the_clock_was_set_back(
    spool: Spool,
) -> None:
    clock = SetBackClock(7_200_000)
    counters = Counters(spool, clock, is_test=False)
    await counters.flush()
    clock.advance(ms=-3_600_000)
    await counters.flush()
    clock.passed_s += 60
    await counters.flush()
    bodies = [record.body for record in await spool.read(0, 10)]
    reported = [body.appended for body in bodies if isinstance(body, CounterRecord)]
    assert reported == [((2, 1),), (), ((1, 2),)]


async def test_an_idle_worker_still_writes_its_watermark(spool: Spool) -> None:
    await Counters(spool, FixedClock(5_000), is_test=False).flush()
    (record,) = await spool.read(0, 10)
    assert record.body == CounterRecord(5_000, 4_000, is_test=False, rows=())


async def test_the_watermark_of_an_idle_worker_moves_less_often_with_time(spool: Spool) -> None:
    counters, written = Counters(spool, FixedClock(5_000), is_test=False), list[int]()

    async def write(rounds: int) -> None:
        before = spool.last_sequence
        for _ in range(rounds):
            await counters.flush_if_due()
        written.append(spool.last_sequence - before)

    await write(10)
    await write(20)
    counters.count("p", "s", None, None, "below_floor", None, None, "web", None)
    await write(11)
    await write(20)
    await fill(spool, 1)
    await write(11)
    await write(50)
    await write(40)
    assert written == [10, 10, 11, 10, 11, 25, 10]


async def test_the_last_watermark_states_that_nothing_follows(spool: Spool) -> None:
    await Counters(spool, FixedClock(5_000), is_test=False).flush(last=True)
    (record,) = await spool.read(0, 10)
    assert isinstance(record.body, CounterRecord)
    assert record.body.through_ms == NOTHING_FOLLOWS_MS


async def test_the_last_record_waits_for_what_is_being_written(spool: Spool) -> None:
    counters = Counters(spool, FixedClock(5_000), is_test=False)
    for number in range(1_200):
        counters.count("p", str(number), None, None, "fill", None, None, "web", None)
    first = asyncio.create_task(counters.flush())
    await asyncio.sleep(0)
    await counters.flush(last=True)
    await first
    bodies = [record.body for record in await spool.read(0, 10)]
    ends = [body.through_ms for body in bodies if isinstance(body, CounterRecord)]
    assert ends == [4_000, 4_000, 4_000, NOTHING_FOLLOWS_MS]


async def test_counts_wait_while_the_spool_is_full(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path, a_writer(), max_bytes=70_000, sync_ms=1)
    counters = Counters(spool, FixedClock(5_000), is_test=False)
    await fill_up(spool)
    counters.count("p" * 400, "s" * 400, None, None, "fill", None, None, "web", None)
    await counters.flush()
    last = spool.last_sequence
    assert counters._rows.total() == 1
    spool.settle(last)
    await spool.close()


async def test_very_many_counts_are_several_records(spool: Spool) -> None:
    counters = Counters(spool, FixedClock(5_000), is_test=False)
    for number in range(4_500):
        counters.count("p", str(number), None, None, "fill", None, None, "web", None)
    await counters.flush()
    bodies = [record.body for record in await spool.read(0, 10)]
    rows = [row for body in bodies if isinstance(body, CounterRecord) for row in body.rows]
    assert len(bodies) == 9
    assert {row[1] for row in rows} == {str(number) for number in range(4_500)}
