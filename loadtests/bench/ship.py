"""
`make bench-ship`: processor time of shipping, for each event: spool → Kafka, `acks=all`, idempotent, with the worker's
own shipper.

Two ways alternate by round: from memory, as a living worker ships new events (the bar is for this one), and from disk,
as an orphan's folder or a backlog is shipped. Beside them is the cost of the producer's `send` for each record alone.
"""

import asyncio
import os
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import uvloop
from aiokafka import AIOKafkaProducer

from common.service.channels import partition_of
from common.service.kafka_connection import KafkaConnection
from common.tracking.event import EventRecord, RequestFacts, WriterId
from common.values.enums import EventKind, Format, PricingModel, Reason, Source, Surface
from deploy.standalone.kafka import Kafka
from edge.adapters.kafka_events import KafkaEventLog
from edge.spool.orphan import adopt_orphans, ship_orphan
from edge.spool.ship import Shipper
from edge.spool.spool import TAIL_RECORDS, Spool
from loadtests.bench.report import Report, median
from loadtests.bench.rounds import OTHER_CORE, SERVER_CORE, pin
from loadtests.bench.scale import measure_scale
from loadtests.bench.slow import refuse_slow

_ROUNDS = int(os.environ.get("BENCH_ROUNDS", "7"))
_FROM_DISK = 50_000
_ONE_BY_ONE = 5_000
_AT_ONCE = 500
_TOPIC = "bench-ship"


async def measure(bootstrap: str, folder: Path) -> Report:
    figures: dict[str, list[float]] = {}
    log = KafkaEventLog(KafkaConnection(bootstrap), _TOPIC)
    for number in range(_ROUNDS + 1):
        found = {
            "memory": await _from_memory(folder / f"memory-{number}", log),
            "disk": await _from_disk(folder / f"disk-{number}", log),
            "one_by_one": await _one_by_one(bootstrap),
        }
        for name, (cpu_us, per_s) in found.items():
            if number:  # the first is a warm-up
                figures.setdefault(f"{name}_cpu_us_per_event", []).append(cpu_us)
                figures.setdefault(f"{name}_events_per_s", []).append(per_s)
                print(f"  round {number} {name}: {cpu_us:.2f} us of CPU an event, {per_s:,.0f}/s")
    await log.close()
    report = Report("ship", {name: median(values) for name, values in figures.items()})
    ways = ("memory", "disk")
    alone = report.figures["one_by_one_cpu_us_per_event"]
    report.ratios = {
        f"one_by_one_to_{way}": alone / report.figures[f"{way}_cpu_us_per_event"] for way in ways
    }
    report.reach = {"max_memory_cpu_us_per_event": 4.0}
    return report


async def _from_memory(folder: Path, log: KafkaEventLog) -> tuple[float, float]:
    spool = await _filled(folder, TAIL_RECORDS)
    shipper = Shipper(spool, log, linger_s=0.0)
    running = asyncio.create_task(shipper.run())
    found = await _used(shipper.drain(60.0), TAIL_RECORDS)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await spool.close()
    return found


async def _from_disk(folder: Path, log: KafkaEventLog) -> tuple[float, float]:
    await (await _filled(folder, _FROM_DISK)).close()
    (orphan,) = adopt_orphans(folder)
    return await _used(ship_orphan(orphan, log), _FROM_DISK)


async def _one_by_one(bootstrap: str) -> tuple[float, float]:
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, acks="all", enable_idempotence=True)
    await producer.start()

    async def send_all() -> None:
        raw = b"x" * 850
        for first in range(0, _ONE_BY_ONE, _AT_ONCE):
            keys = [uuid.uuid4().bytes for _ in range(first, first + _AT_ONCE)]
            sent = [
                await producer.send(_TOPIC, raw, key=key, partition=partition_of(key))
                for key in keys
            ]
            await asyncio.gather(*sent)

    found = await _used(send_all(), _ONE_BY_ONE)
    await producer.stop()
    return found


async def _filled(folder: Path, count: int) -> Spool:
    """A spool with *count* events of as many clients."""
    writer = WriterId("bench", uuid.uuid4().hex)
    spool = Spool.open(folder, writer, max_bytes=1 << 30, sync_ms=0)
    for first in range(0, count, _AT_ONCE):
        events = [
            replace(_EVENT, token_id=uuid.uuid4()) for _ in range(min(_AT_ONCE, count - first))
        ]
        await spool.append_all([(event, event.token_id.bytes[:8]) for event in events])
    return spool


async def _used(work: Awaitable[object], count: int) -> tuple[float, float]:
    """CPU time of this process in µs for each of *count* events, and events a second."""
    started, used = time.perf_counter(), time.process_time()
    await work
    cpu_s, elapsed_s = time.process_time() - used, time.perf_counter() - started
    return cpu_s / count * 1e6, count / elapsed_s


@contextmanager
def _kafka(folder: Path) -> Iterator[str]:
    kafka = Kafka(folder / "kafka", print)
    kafka.start()
    try:
        if kafka.identity:
            pin(kafka.identity.pid, OTHER_CORE)
        pin(os.getpid(), SERVER_CORE)
        yield kafka.bootstrap
    finally:
        kafka.stop()


_EVENT = EventRecord(
    kind=EventKind.IMPRESSION,
    token_id=uuid.UUID(int=1),
    issued_ms=1_800_000_000_000,
    at_ms=1_800_000_001_000,
    property_id=uuid.UUID(int=2),
    slot_id=uuid.UUID(int=3),
    ad_id=uuid.UUID(int=4),
    campaign_id=uuid.UUID(int=5),
    is_test=False,
    consent_limited=False,
    preview=False,
    source=Source.AUCTION,
    surface=Surface.WEB,
    format=Format.BANNER,
    pricing_model=PricingModel.CPM,
    price_micros=1_000,
    snapshot_version=7,
    facts=RequestFacts(
        ip_prefix="203.0.113.0/24",
        user_agent_family="Chrome",
        user_agent_major="140",
        referrer_origin="https://shop.example",
        origin="https://shop.example",
        client_hash="00112233445566ff",
        prefetch=False,
    ),
    reason=Reason.OK,
    judge_version=1,
    value_cents=None,
    currency=None,
    order_id=None,
)


def main() -> int:
    refuse_slow("ship")
    with (
        tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp") as folder,
        _kafka(Path(folder)) as bootstrap,
    ):
        report = uvloop.run(measure(bootstrap, Path(folder)))
    report.scale = measure_scale()
    return report.print()


if __name__ == "__main__":
    sys.exit(main())
