"""
New events for all streams of a process.

One poller runs one query for all of them. Streams with equal filters share the rows, encoded once.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog
from sqlalchemy import Row

from common.service.secrets import KeyRing
from common.values.clock import Clock
from common.values.errors import ErrorCode, Refused, Unavailable
from common.values.messages import Message
from control.events.events_api import sse
from control.events.events_api.polling import PollRequest, find_new
from control.events.events_api.positions import (
    Position,
    encode_position,
    position_after,
    position_below,
)
from control.events.events_api.queries import Filters, get_horizon
from control.storage.database import Database

_ROWS = 500
"""Rows of one group in one poll; if there are more, the next poll follows at once."""
_RETRY_AFTER_S = 10
_log: structlog.stdlib.BoundLogger = structlog.get_logger("streams")


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """``per_account`` and ``max_streams``: streams of this process; ``max_bytes``: unsent bytes for one reader."""

    per_account: int = 20
    max_streams: int = 1000
    max_bytes: int = 2 << 20
    heartbeat_s: float = 15.0
    poll_s: float = 0.2
    check_s: float = 2.0
    """Interval between two checks whether the reader is still authorised."""


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """Why a stream ended, as sent to its reader."""

    code: ErrorCode
    message: str


SLOW = StreamEnd(
    ErrorCode.REQUEST_TIMEOUT,
    "cut: the reader was slower than the events. Connect again with Last-Event-ID; nothing is lost.",
)
STOPPING = StreamEnd(
    ErrorCode.UNAVAILABLE, "this server stops. Connect again with Last-Event-ID; nothing is lost."
)


@dataclass(frozen=True, slots=True)
class Feed:
    """What a stream shows; ``kind`` is that of its cursors, see `control.events.events_api.cursors.kind_of`."""

    filters: Filters
    kind: str

    def cursor(self, keys: KeyRing, position: Position) -> str:
        return encode_position(keys, self.kind, position)


@dataclass(frozen=True, slots=True)
class PollContext:
    """The poller's dependencies; the same for every stream of a process."""

    database: Database
    keys: KeyRing
    clock: Clock


class Subscription:
    """One reader's frames, in order. The queue is bounded: a reader that falls behind is disconnected."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._waiting: deque[tuple[Position, bytes]] = deque()
        self._waiting_bytes = 0
        self._wakeup = asyncio.Event()
        self.ended: StreamEnd | None = None

    def offer(self, position: Position, frame: bytes) -> None:
        if self.ended is not None:
            return
        self._waiting_bytes += len(frame)
        if self._waiting_bytes > self._max_bytes:
            self.end(SLOW)
            return
        self._waiting.append((position, frame))
        self._wakeup.set()

    def end(self, why: StreamEnd) -> None:
        """Ends the subscription; frames already queued can still be taken."""
        self.ended = self.ended or why
        self._wakeup.set()

    async def wait(self, timeout_s: float) -> None:
        """Waits until a frame is queued, the subscription ends, or *timeout_s* have passed."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._wakeup.wait()
        except TimeoutError:
            return

    @property
    def is_behind(self) -> bool:
        """The queue is more than half full: the reader will be disconnected soon unless the poller slows down."""
        return self._waiting_bytes > self._max_bytes // 2

    @property
    def has_waiting(self) -> bool:
        return bool(self._waiting)

    def take(self) -> list[tuple[Position, bytes]]:
        taken = list(self._waiting)
        self._waiting.clear()
        self._waiting_bytes = 0
        if self.ended is None:
            self._wakeup.clear()
        return taken


@dataclass(eq=False, slots=True)
class FeedGroup:
    """Streams of one feed. Everything up to ``position`` was offered to its readers at that time."""

    feed: Feed
    position: Position
    readers: set[Subscription] = field(default_factory=set)


class EventStreams:
    """The streams of a process. The poller runs while there are any."""

    def __init__(self, limits: StreamLimits | None = None) -> None:
        self.limits = limits or StreamLimits()
        self._groups: dict[Feed, FeedGroup] = {}
        self._open: dict[str, int] = {}
        self._poller: asyncio.Task[None] | None = None
        self._stopping = False

    @property
    def count(self) -> int:
        return sum(self._open.values())

    @contextmanager
    def admitted(self, account_id: str) -> Iterator[None]:
        """Counts one stream. Raises `Refused` (429) or `Unavailable` where a limit is reached."""
        mine = self._open.get(account_id, 0)
        if self._stopping or self.count >= self.limits.max_streams:
            raise Unavailable(
                Message("The server has as many open streams as it can serve. Try again shortly."),
                retry_after_s=_RETRY_AFTER_S,
            )
        if mine >= self.limits.per_account:
            raise Refused(
                ErrorCode.RATE_LIMITED,
                Message(
                    "The account has {max_streams} open streams, the maximum. Close one, or poll the "
                    "feed.",
                    max_streams=mine,
                ),
                retry_after_s=_RETRY_AFTER_S,
            )
        self._open[account_id] = mine + 1
        try:
            yield
        finally:
            self._open[account_id] -= 1
            if not self._open[account_id]:
                del self._open[account_id]

    @contextmanager
    def subscribed(
        self, feed: Feed, start: Position, source: PollContext
    ) -> Iterator[tuple[FeedGroup, Subscription]]:
        """
        Subscribes a reader: it is offered everything stored after the group's present position.

        If that position lies beyond *start*, the caller reads the rows between the two itself.
        """
        reader = Subscription(self.limits.max_bytes)
        group = self._groups.setdefault(feed, FeedGroup(feed, start))
        group.readers.add(reader)
        if self._stopping:
            reader.end(STOPPING)
        if self._poller is None or self._poller.done():
            self._poller = asyncio.create_task(self._poll_on(source))
        try:
            yield group, reader
        finally:
            group.readers.discard(reader)
            if not group.readers:
                self._groups.pop(feed, None)

    def stop(self) -> None:
        """Ends every stream with a message, and admits no new one."""
        self._stopping = True
        for group in self._groups.values():
            for reader in group.readers:
                reader.end(STOPPING)

    async def _poll_on(self, source: PollContext) -> None:
        while self._groups:
            try:
                has_more = await self._poll(source)
            except Unavailable as error:
                _log.warning(
                    "event_streams_backend_unavailable",
                    reason=error.message,
                    retry_in_s=self.limits.poll_s,
                )
                has_more = False
            except Exception:  # noqa: BLE001 - every stream of the process hangs on this task
                _log.exception("event_streams_poll_failed")
                has_more = False
            if not has_more or self._is_somebody_behind():
                await asyncio.sleep(self.limits.poll_s)

    def _is_somebody_behind(self) -> bool:
        """Slows down a burst, so that no reader that keeps reading is disconnected."""
        return any(reader.is_behind for group in self._groups.values() for reader in group.readers)

    async def _poll(self, source: PollContext) -> bool:
        """Whether some group had more rows than a poll takes."""
        groups = list(self._groups.values())
        requested = [PollRequest(group.feed.filters, group.position) for group in groups]
        async with source.database.service() as session:
            horizon = await get_horizon(session)
            found = await find_new(session, requested, horizon=horizon, limit=_ROWS)
        end = position_below(horizon, source.clock.now().date())
        has_more = False
        for group, rows in zip(groups, found, strict=True):
            _offer(group, rows, source.keys)
            is_full = len(rows) == _ROWS
            has_more |= is_full
            group.position = position_after(rows[-1]) if is_full else end
        return has_more


def _offer(group: FeedGroup, rows: Sequence[Row[Any]], keys: KeyRing) -> None:
    """Offers the rows to all readers of the group, before any other task runs."""
    for row in rows:
        position = position_after(row)
        frame = sse.event_frame(row, group.feed.cursor(keys, position))
        for reader in group.readers:
            reader.offer(position, frame)
