"""
Appends records again that the log lost after it had acknowledged them, from the retained segments. Also deletes old
segments.

One instance a machine, in its supervisor. Replaying a stored record does no harm: ingest identifies it by its writer
and number.
"""

import asyncio

import structlog

from common.tracking.event import WriterId
from common.tracking.reconcile import ReplayRequest, Retained
from common.tracking.record import EncodedRecord
from common.values.clock import Clock
from edge.ports import EventLog, EventLogUnavailable, ReplayRequests, ReplayRequestsUnavailable
from edge.settings import EdgeSettings
from edge.spool.retention import RetainedSegments
from edge.spool.segment import Segment, SegmentReader, SegmentUnreadable

_AT_ONCE = 1_000
_MOST = 100_000
"""Maximum records of one request. Missing records beyond that are requested again."""

_log = structlog.get_logger(__name__)


class Replayer:
    """``retained_bytes``, ``unreadable`` and ``sent`` are for metrics."""

    def __init__(
        self,
        settings: EdgeSettings,
        retained: RetainedSegments,
        requests: ReplayRequests,
        log: EventLog,
        clock: Clock,
    ) -> None:
        self.retained_bytes = 0
        self.unreadable = 0
        self.sent = 0
        self._settings = settings
        self._retained = retained
        self._requests = requests
        self._log = log
        self._clock = clock
        self._answers: dict[str, Retained] = {}
        """By writer, the reply to its newest request that was handled."""

    async def run(self) -> None:
        """Runs for ever. While Redis or the log is unavailable, it tries again a little later."""
        while True:
            try:
                await self.step()
            except (ReplayRequestsUnavailable, EventLogUnavailable, OSError) as error:
                _log.warning("replay_failed", reason=str(error))
            await asyncio.sleep(self._settings.reconcile_poll_s)

    async def step(self) -> None:
        """Handles the current requests once. Raises `ReplayRequestsUnavailable`, `EventLogUnavailable`, OSError."""
        self.retained_bytes = await asyncio.to_thread(self._sweep)
        self.unreadable = await asyncio.to_thread(self._retained.count_unreadable)
        highest = await asyncio.to_thread(self._retained.writers)
        names = {str(writer): writer for writer in highest}
        wanted = await self._requests.wanted()
        for name, request in wanted.items():
            writer = names.get(name) or _own_writer(name, self._settings.edge_name)
            done = self._answers.get(name)
            if writer is not None and (done is None or done.asked_ms != request.asked_ms):
                await self._answer(name, writer, request)
        now_ms = self._clock.now_ms()
        retained = {name: Retained(now_ms, highest[writer]) for name, writer in names.items()}
        await self._requests.report_retained(retained | self._answers)
        self._forget(now_ms)

    async def _answer(self, name: str, writer: WriterId, request: ReplayRequest) -> None:
        """
        Replies even if no record was found, so that control can distinguish that from an edge that is down. Holds one
        segment in memory, because a log that was lost makes control request all of them.
        """
        sent = last = 0
        for segment in await asyncio.to_thread(self._retained.segments_of, writer):
            try:
                records, end = await asyncio.to_thread(_find, segment, request, _MOST - sent)
            except SegmentUnreadable as error:
                _log.warning("replay_segment_unreadable", path=str(segment.path), reason=str(error))
                records, end = [], segment.last or 0
            last = max(last, end)
            for start in range(0, len(records), _AT_ONCE):
                await self._log.append(records[start : start + _AT_ONCE])
            sent += len(records)
        if last == 0:
            return
        self.sent += sent
        before = self._answers.get(name)
        total = sent + (before.sent if before else 0)
        self._answers[name] = Retained(self._clock.now_ms(), last, request.asked_ms, total)
        _log.warning("records_replayed", writer=name, sent=sent, ranges=request.ranges)

    def _forget(self, now_ms: int) -> None:
        kept_ms = self._settings.spool_retention_s * 1000
        self._answers = {
            name: one for name, one in self._answers.items() if now_ms - one.at_ms < kept_ms
        }

    def _sweep(self) -> int:
        settings = self._settings
        bound = settings.spool_max_bytes * settings.edge_workers
        room = bound - self._retained.spooled_bytes()
        return self._retained.sweep(
            max_bytes=max(0.0, min(settings.spool_retention_share * bound, room)),
            before_s=self._clock.now_ms() / 1000 - settings.spool_retention_s,
        )


def _find(segment: Segment, request: ReplayRequest, most: int) -> tuple[list[EncodedRecord], int]:
    """Up to *most* requested records of *segment*, and its last sequence."""
    last = segment.last
    if last is not None and (most == 0 or not request.overlaps(segment.first, last)):
        return [], last
    found: list[EncodedRecord] = []
    after, reader = segment.first - 1, SegmentReader()
    while records := reader.read([segment], after, _AT_ONCE):
        after = records[-1].sequence
        found += [one for one in records if request.holds(one.sequence)]
    return found[:most], last or after


def _own_writer(name: str, edge: str) -> WriterId | None:
    """A writer of this machine without retained segments: its spool may hold what is requested."""
    machine, _, boot = name.rpartition("/")
    return WriterId(machine, boot) if machine == edge else None
