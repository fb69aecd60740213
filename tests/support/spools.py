"""Filling spools, looking into their folders, and waiting for what runs beside a test."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from common.tracking.event import CounterRecord, EventRecord, LogRecord
from common.tracking.record import parse_record
from edge.spool.segment import Segment, SegmentReader, list_segments
from edge.spool.spool import Spool, SpoolFull
from tests.support.records import an_event
from tests.support.waiting import PATIENCE_S


async def fill(spool: Spool, count: int) -> list[int]:
    """*count* events appended at once; their sequences."""
    return await asyncio.gather(
        *(spool.append(an_event(), number.to_bytes(8, "big")) for number in range(count))
    )


async def fill_up(spool: Spool) -> None:
    """Until it refuses, the least of records too."""
    smallest = CounterRecord(0, 0, is_test=True, rows=())
    for body in (an_event(), smallest):
        with pytest.raises(SpoolFull):
            await _append_for_ever(spool, body)


def folder_of(spool_dir: Path) -> Path:
    """The only writer's folder there."""
    (folder,) = spool_dir.iterdir()
    return folder


def segments_of(spool_dir: Path) -> list[Segment]:
    return list_segments(folder_of(spool_dir))


def on_disk(spool_dir: Path) -> list[LogRecord]:
    """Every record of the only writer, read as an adopter would."""
    read = SegmentReader().read(segments_of(spool_dir), 0, 1_000_000)
    return [parse_record(record.raw) for record in read]


def raw_bytes(spool_dir: Path) -> bytes:
    """Everything that is on disk, as it is."""
    return b"".join(path.read_bytes() for path in spool_dir.rglob("*.seg"))


def is_empty(folder: Path) -> bool:
    return not any(folder.iterdir())


async def until(condition: Callable[[], bool]) -> None:
    """Fails after ten seconds."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - what is awaited has no event of its own
            await asyncio.sleep(0.005)


async def _append_for_ever(spool: Spool, body: EventRecord | CounterRecord) -> None:
    while True:
        await spool.append(body, b"client")
