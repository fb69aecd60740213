"""Spools that dead writers left behind. The worker that gets the folder's lock ships the records, then removes it."""

import asyncio
from pathlib import Path

import structlog

from common.tracking.event import NOTHING_FOLLOWS_MS, CounterRecord, LogRecord, WriterId
from common.tracking.record import EncodedRecord, encode_record
from edge.ports import EventLog
from edge.spool.retention import RetainedSegments
from edge.spool.segment import Segment, SegmentReader, SegmentUnreadable, list_segments
from edge.spool.set_aside import mark_unreadable, set_aside, take_back
from edge.spool.ship import Shipper
from edge.spool.writer_lock import WriterLock, find_writer, lock_folder

_AT_ONCE = 8

_log = structlog.get_logger(__name__)


class OrphanSpool:
    """
    A dead writer's records, read like those of a living spool, plus a final record stating that nothing follows. Until
    that record is stored, it is unknown whether the writer has more records.
    """

    ended = True

    def __init__(
        self, lock: WriterLock, writer: WriterId, retained: RetainedSegments | None = None
    ) -> None:
        """
        Finds its end: reads the last segments, back to one with a record. Blocks on the disk. Raises OSError.

        Segments at the end that cannot be read stay in the folder for the next adopter, and the final record waits for
        them.
        """
        self.writer = writer
        self._retained = retained
        self._lock = lock
        take_back(lock.folder)
        self._segments = list_segments(lock.folder)
        self._is_cut = False
        """Whether the last segments cannot be read: they stay in the folder."""
        self._reader = SegmentReader()
        self.first_sequence = self._segments[0].first if self._segments else 1
        self._written, intact = self._find_end()
        self._end = None
        if intact is not None and not self._is_cut:
            self._end = _end_after(writer, self._written, intact)
        self.last_sequence = self._written if self._end is None else self._end.sequence

    @property
    def damaged(self) -> int:
        return self._reader.damaged

    async def read(self, after: int, limit: int) -> list[EncodedRecord]:
        loop = asyncio.get_running_loop()
        read = self._reader.read
        found = await loop.run_in_executor(None, read, self._segments, after, limit)
        if not found and self._end is not None and after < self._end.sequence:
            return [self._end]
        return found

    async def wait_beyond(self, sequence: int, timeout_s: float) -> None:
        """No record is ever added: waits for the timeout, unless there are records beyond *sequence*."""
        if sequence >= self.last_sequence:
            await asyncio.sleep(timeout_s)

    def settle(self, through: int) -> None:
        while self._segments and (self._segments[0].last or self.last_sequence) <= through:
            gone = self._segments.pop(0)
            last = gone.last or self._written
            if self._retained is None or last < gone.first:
                gone.path.unlink(missing_ok=True)
            else:
                self._retained.keep(self.writer, gone, last)

    async def set_aside(self, segment: Segment) -> int:
        """Moves *segment*, which cannot be read, out of the spool. Returns its last sequence. Raises OSError."""
        last = segment.last or self._written
        await asyncio.to_thread(set_aside, self._lock.folder, segment, last)
        self._segments.remove(segment)
        return last

    def remove(self) -> None:
        """Deletes the folder, unless its end could not be read. Call it when all records are settled."""
        if self._is_cut:
            self._lock.release()
        else:
            self._lock.remove()

    def release(self) -> None:
        """Leaves the remaining records to another adopter."""
        self._lock.release()

    def _find_end(self) -> tuple[int, EncodedRecord | None]:
        """As `_find_last`, of the segments before those that cannot be read. Raises `SegmentUnreadable` if none is."""
        while True:
            try:
                return self._find_last()
            except SegmentUnreadable as error:
                _log.error("spool_end_unreadable", path=str(error.segment.path), reason=str(error))
                mark_unreadable(self._lock.folder)
                self._is_cut = True
                self._segments.pop()
                if not self._segments:
                    raise

    def _find_last(self) -> tuple[int, EncodedRecord | None]:
        """
        The writer's last sequence, and its last readable record. If the last segment has no intact record, the sequence
        is the end of the segment before. Without any readable record there is nothing to ship, and the record is None.
        Raises `SegmentUnreadable` for the last segment; others are read when they are shipped.
        """
        reader = SegmentReader()
        last = self.first_sequence - 1
        for number, segment in enumerate(reversed(self._segments)):
            after, intact = segment.first - 1, None
            try:
                while records := reader.read([segment], after, 1_000):
                    intact = records[-1]
                    after = intact.sequence
            except SegmentUnreadable:
                if number == 0:
                    raise
            last = segment.last or after if number == 0 else last
            if intact is not None:
                return last, intact
        return self.first_sequence - 1, None


def _end_after(writer: WriterId, last: int, intact: EncodedRecord) -> EncodedRecord:
    """
    The end record. It takes the next sequence, the same for every adopter: it is stored once, however often it is
    shipped.
    """
    body = intact.body
    end = CounterRecord(body.at_ms, NOTHING_FOLLOWS_MS, body.is_test, rows=())
    key = str(writer).encode()
    record = LogRecord(writer, last + 1, key, end)
    return EncodedRecord(record.sequence, key, encode_record(record))


def adopt_orphans(
    spool_dir: Path, *, limit: int = _AT_ONCE, retained: RetainedSegments | None = None
) -> list[OrphanSpool]:
    """
    Takes up to *limit* folders whose writers are dead. Each belongs to this process until it is removed or released.

    Blocks on the disk. A folder that cannot be read now is left for the next pass.
    """
    found: list[OrphanSpool] = []
    for folder in sorted(spool_dir.iterdir()) if spool_dir.is_dir() else ():
        writer = find_writer(folder)
        lock = lock_folder(folder) if writer is not None and len(found) < limit else None
        if lock is None or writer is None:
            continue
        try:
            found.append(OrphanSpool(lock, writer, retained))
        except OSError:
            lock.release()
    return found


async def ship_orphans(
    spool_dir: Path,
    log: EventLog,
    *,
    retained: RetainedSegments | None = None,
    every_s: float = 10.0,
    settle_s: float = 1.0,
) -> None:
    """
    Adopts and ships orphans for ever, looking again each *every_s*. *settle_s*: as of `Shipper`. *retained*: where
    shipped segments go; None: they are deleted. When cancelled, it leaves the rest on disk for other adopters.
    """
    shipping: set[asyncio.Task[None]] = set()
    try:
        while True:
            room = _AT_ONCE - len(shipping)
            adopted = await asyncio.to_thread(
                adopt_orphans, spool_dir, limit=room, retained=retained
            )
            for orphan in adopted:
                task = asyncio.create_task(ship_orphan(orphan, log, settle_s=settle_s))
                shipping.add(task)
                task.add_done_callback(shipping.discard)
            await asyncio.sleep(every_s)
    finally:
        for task in shipping:
            task.cancel()
        await asyncio.gather(*shipping, return_exceptions=True)


async def ship_orphan(orphan: OrphanSpool, log: EventLog, *, settle_s: float = 1.0) -> None:
    """Ships until all records are settled; then removes the folder. *settle_s*: as of `Shipper`."""
    settled = False
    try:
        await Shipper(orphan, log, after=orphan.first_sequence - 1, settle_s=settle_s).run()
        settled = True
    finally:
        if settled:
            orphan.remove()
        else:
            orphan.release()
