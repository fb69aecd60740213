"""
Where a worker stores every event before it responds: events are appended and synced, then shipped by `edge.spool.ship`.

Appends that arrive during a sync share the next one, so the disk's sync rate does not limit the event rate. Records
that are only offered wait for an append, or a twentieth of a second.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from errno import EDQUOT, ENOSPC
from itertools import islice
from pathlib import Path
from time import monotonic

from common.tracking.event import RecordBody, WriterId
from common.tracking.record import EncodedRecord
from edge.spool.append_counters import AppendCounters
from edge.spool.commit_queue import CommitQueue
from edge.spool.pending_append import Append, AppendEntry, encode_appends, resolve, settle
from edge.spool.retention import RetainedSegments
from edge.spool.segment import (
    SEGMENT_BYTES,
    Segment,
    SegmentFile,
    SegmentReader,
    WriteStuck,
    segment_path,
)
from edge.spool.set_aside import set_aside
from edge.spool.writer_lock import WriterLock, make_folder, sync_folder

TAIL_RECORDS = 10_000
"""Records kept in memory for shipping; older unshipped ones are read back from disk."""
_CROWD = 4
"""After a commit of this many records, waiting for more pays off."""
_NEARLY_FULL = 0.95
_MIN_SEGMENT_BYTES = 64 << 10
_FULL = frozenset({ENOSPC, EDQUOT})


class SpoolFull(Exception):
    """The event is not stored: the spool reached its bound, the disk is full, or the disk failed."""


class Spool:
    """
    One worker's spool, in a folder of its own that it holds locked. Belongs to one event loop.

    Sequences are assigned once a commit is on disk: 1, 2, 3 … without gaps, even after failures.
    """

    def __init__(
        self,
        lock: WriterLock,
        writer: WriterId,
        *,
        max_bytes: int,
        sync_ms: float,
        retained: RetainedSegments | None = None,
    ) -> None:
        self.writer = writer
        self.appended = AppendCounters()
        self.last_sequence = 0
        """The newest record on disk."""
        self.size_bytes = 0
        self.refused = 0
        """Appends that raised `SpoolFull`."""
        self._lock = lock
        self._retained = retained
        self._max_bytes = max_bytes
        self._segment_bytes = min(SEGMENT_BYTES, max(_MIN_SEGMENT_BYTES, max_bytes // 16))
        self._sync_s = sync_ms / 1000
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="spool")
        self._segments: list[Segment] = []
        self._file: SegmentFile | None = None
        self._pending = CommitQueue()
        self._committing: asyncio.Task[None] | None = None
        self._tail: deque[EncodedRecord] = deque()
        self._reader = SegmentReader()
        self._grown = asyncio.Event()
        self._settled = 0
        self._progress_s = monotonic()
        """When the log last settled a record, or the first record after all were settled was appended."""
        self._stuck = False
        self._closed = False

    @classmethod
    def open(
        cls,
        spool_dir: Path,
        writer: WriterId,
        *,
        max_bytes: int,
        sync_ms: float,
        retained: RetainedSegments | None = None,
    ) -> "Spool":
        """
        A new spool in a folder of its own under *spool_dir*. *retained*: where settled segments go; None: they are
        deleted. Raises OSError; blocks on the disk.
        """
        lock = make_folder(spool_dir, writer)
        return cls(lock, writer, max_bytes=max_bytes, sync_ms=sync_ms, retained=retained)

    @property
    def nearly_full(self) -> bool:
        """True at 95 % of the bound: paid ads then stop, so that events of ads already served can still be stored."""
        return self._stuck or self.size_bytes >= self._max_bytes * _NEARLY_FULL

    @property
    def settled(self) -> int:
        """The highest sequence that the log can no longer lose."""
        return self._settled

    @property
    def stalled_s(self) -> float:
        """Time since the log last settled a record, while others wait for it; 0: none waits."""
        return 0.0 if self._settled == self.last_sequence else monotonic() - self._progress_s

    @property
    def ended(self) -> bool:
        """Whether no record will follow."""
        return self._closed

    @property
    def damaged(self) -> int:
        return self._reader.damaged

    async def append(self, body: RecordBody, partition_key: bytes) -> int:
        """
        Returns the record's sequence once it is on disk. Raises `SpoolFull`; then it is not stored,
        and never will be.
        """
        (result,) = await self.append_all(((body, partition_key),))
        if isinstance(result, Exception):
            raise result
        return result

    async def append_all(self, entries: Sequence[AppendEntry]) -> list[int | Exception]:
        """
        `append` for several records, which share one wait. Each gets its sequence, or the error for which it alone
        failed.

        Raises `SpoolFull`; then none of them is stored.
        """
        if self._closed or self._stuck or self.size_bytes >= self._max_bytes:
            self.refused += len(entries)
            raise SpoolFull
        self._pending.hurry()
        return await self._enqueue(entries)

    def offer(self, body: RecordBody, partition_key: bytes) -> None:
        """`append` for callers that do not wait for the result. Refused records are counted. Never raises."""
        is_full = self._pending.is_crowded or self.size_bytes >= self._max_bytes
        if self._closed or self._stuck or is_full:
            self.refused += 1
            return
        self._enqueue(((body, partition_key),)).add_done_callback(settle)

    async def read(self, after: int, limit: int) -> list[EncodedRecord]:
        """
        Up to *limit* durable records beyond *after*, in order; from memory if it still holds them. Raises OSError, as
        `SegmentReader.read`.
        """
        if after >= self.last_sequence:
            return []
        first = self._tail[0].sequence if self._tail else self.last_sequence + 1
        if after + 1 >= first:
            start = after + 1 - first
            return list(islice(self._tail, start, start + limit))
        segments = [
            Segment(s.path, s.first, s.last or self.last_sequence, s.size_bytes)
            for s in self._segments
        ]
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, self._reader.read, segments, after, limit)

    async def wait_beyond(self, sequence: int, timeout_s: float) -> None:
        """Returns when there is a record beyond *sequence*, or after *timeout_s*."""
        if self.last_sequence > sequence:
            return
        self._grown.clear()
        try:
            async with asyncio.timeout(timeout_s):
                await self._grown.wait()
        except TimeoutError:
            return

    def settle(self, through: int) -> None:
        """The log can no longer lose records up to *through*: segments without later records leave the spool."""
        if through > self._settled:
            self._progress_s = monotonic()
        self._settled = max(self._settled, min(through, self.last_sequence))
        while self._tail and self._tail[0].sequence <= self._settled:
            self._tail.popleft()
        while self._segments and (self._segments[0].last or self._settled + 1) <= self._settled:
            gone = self._segments.pop(0)
            self._put_away(gone)
            self.size_bytes -= gone.size_bytes

    async def set_aside(self, segment: Segment) -> int:
        """Moves *segment*, which cannot be read, out of the spool. Returns its last sequence. Raises OSError."""
        (mine,) = (one for one in self._segments if one.path == segment.path)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._disk, self._end_segment, mine)
        # A commit that the disk's thread did before was adopted by now; a later one has set ``last``.
        last = mine.last or self.last_sequence
        await loop.run_in_executor(None, set_aside, self._lock.folder, mine, last)
        self._segments.remove(mine)
        self.size_bytes -= mine.size_bytes
        return last

    async def close(self) -> None:
        """Commits pending records. Leaves unsettled records on disk for the worker that adopts the folder."""
        self._closed = True
        self._grown.set()
        self._pending.hurry()
        if self._committing is not None:
            await self._committing
        if self._file is not None:
            self._file.close()
            self._file = None
        self._disk.shutdown()
        if self._settled == self.last_sequence:
            for segment in self._segments:
                self._put_away(segment)
            self._lock.remove()
        else:
            self._lock.release()

    def _put_away(self, segment: Segment) -> None:
        if self._retained is None:
            segment.path.unlink(missing_ok=True)
        else:
            self._retained.keep(self.writer, segment, segment.last or self.last_sequence)

    def _enqueue(self, entries: Sequence[AppendEntry]) -> "asyncio.Future[list[int | Exception]]":
        done: asyncio.Future[list[int | Exception]] = asyncio.get_running_loop().create_future()
        self._pending.put(Append(entries, done))
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit_pending())
        return done

    async def _commit_pending(self) -> None:
        crowded = False
        try:
            while self._pending:
                await self._pending.wait_for_company()
                await asyncio.sleep(self._sync_s if crowded else 0)
                taken, records = self._pending.take()
                crowded = records >= _CROWD
                await self._commit(taken)
        finally:
            self._committing = None

    async def _commit(self, taken: list[Append]) -> None:
        first = self.last_sequence + 1
        encoded = encode_appends(self.writer, taken, first)
        if not encoded.records:
            resolve(taken, encoded.results)
            return
        data = b"".join(encoded.frames)
        if self._stuck or self.size_bytes + len(data) > self._max_bytes:
            self._refuse(taken, None)
            return
        try:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._disk, self._write, data, first)
        except (OSError, WriteStuck) as error:
            self._stuck = isinstance(error, WriteStuck)
            self._refuse(taken, error)
            return
        self._adopt(encoded.records, len(data))
        self.appended.count(encoded.bodies)
        resolve(taken, encoded.results)

    def _write(self, data: bytes, first: int) -> None:
        """Runs on the disk's thread."""
        try:
            self._write_once(data, first)
        except OSError as error:
            if error.errno not in _FULL or self._retained is None or not self._retained.make_room():
                raise
            self._write_once(data, first)

    def _write_once(self, data: bytes, first: int) -> None:
        for newest in self._segments[-1:]:  # read once: the loop may set segments aside meanwhile
            if newest.size_bytes >= self._segment_bytes:
                self._end_segment(newest)
            if self._file is None and newest.last is None:
                newest.last = first - 1
        if self._file is None:
            path = segment_path(self._lock.folder, first)
            self._file = SegmentFile(path)
            self._segments.append(Segment(path, first, None, 0))
            sync_folder(self._lock.folder)
        self._file.append(data)

    def _end_segment(self, segment: Segment) -> None:
        """The next commit begins a new segment if this is the last. Runs on the disk's thread."""
        if self._file is not None and self._segments[-1:] == [segment]:
            self._file.close()
            self._file = None

    def _adopt(self, records: list[EncodedRecord], size_bytes: int) -> None:
        self._segments[-1].size_bytes += size_bytes
        self.size_bytes += size_bytes
        if self._settled == self.last_sequence:
            self._progress_s = monotonic()
        self.last_sequence = records[-1].sequence
        self._tail.extend(records)
        while len(self._tail) > TAIL_RECORDS:
            self._tail.popleft()
        self._grown.set()

    def _refuse(self, taken: list[Append], error: Exception | None) -> None:
        for append in taken:
            self.refused += len(append.entries)
            if not append.done.done():
                refusal = SpoolFull()
                refusal.__cause__ = error
                append.done.set_exception(refusal)
