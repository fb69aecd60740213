"""One stream of events: first the missed events, page by page at the reader's pace, then the broadcast ones."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from common.values.errors import Refused
from control.api.context import ControlContext
from control.events.events_api import sse
from control.events.events_api.fanout import (
    EventStreams,
    Feed,
    FeedGroup,
    PollContext,
    Subscription,
)
from control.events.events_api.positions import Position, position_after, position_below
from control.events.events_api.queries import get_horizon, list_following

_PAGE = 500


class Reader(Protocol):
    """Receives frames of `control.events.events_api.sse`, several at a time; may be slow."""

    async def send(self, data: bytes) -> None: ...


FindRefusal = Callable[[], Awaitable[Refused | None]]
"""Why the reader is no longer authorised; None while it is."""


class StreamReader:
    def __init__(
        self, control: ControlContext, answer: Reader, feed: Feed, find_refusal: FindRefusal
    ) -> None:
        self._control = control
        self._answer = answer
        self._feed = feed
        self._find_refusal = find_refusal
        self._limits = control.get(EventStreams).limits
        self._checked_s = self._sent_s = control.clock.monotonic_s()

    async def run(self, start: Position) -> None:
        """Runs until either side ends the stream. Raises `Unavailable` where missed events cannot be read."""
        control, feed = self._control, self._feed
        await self._send(sse.opening(self._cursor(start)))
        position = await self._catch_up(start)
        if position is None:
            return
        source = PollContext(control.database, control.keys, control.clock)
        with control.get(EventStreams).subscribed(feed, position, source) as (group, reader):
            if not position.is_behind(group.position):
                position = await self._read_until(position, group.position)
            await self._listen(group, reader, position)

    async def _catch_up(self, position: Position) -> Position | None:
        """Sends everything visible now, up to the returned position. None: the reader is no longer authorised."""
        while True:
            position, has_more = await self._read_page(position, until=None)
            if await self._is_refused():
                return None
            if not has_more:
                return position

    async def _read_until(self, position: Position, until: Position) -> Position:
        """Sends the events that were offered to other readers before this one subscribed."""
        while True:
            position, has_more = await self._read_page(position, until=until)
            if not has_more or position.is_behind(until):
                return until

    async def _read_page(
        self, position: Position, *, until: Position | None
    ) -> tuple[Position, bool]:
        filters = self._feed.filters
        async with self._control.database.tenant(filters.account_id) as session:
            horizon = await get_horizon(session)
            found = await list_following(session, filters, position, horizon=horizon, limit=_PAGE)
        rows, has_more = found[:_PAGE], len(found) > _PAGE
        wanted = [row for row in rows if until is None or until.is_behind(position_after(row))]
        await self._send(
            b"".join(sse.event_frame(row, self._cursor(position_after(row))) for row in wanted)
        )
        end = position_below(horizon, self._control.clock.now().date())
        return (position_after(rows[-1]) if has_more else end), has_more

    async def _listen(self, group: FeedGroup, reader: Subscription, start: Position) -> None:
        """*start*: the position up to which this reader has read, which may lie beyond the group's."""
        while True:
            await reader.wait(self._pause_s())
            ended = reader.ended
            waiting = [frame for position, frame in reader.take() if not start.is_behind(position)]
            await self._send(b"".join(waiting))
            if ended is not None:
                await self._send(sse.ending(ended.code, ended.message))
                return
            if await self._is_refused():
                return
            if self._is_quiet() and not reader.has_waiting:
                position = start if start.is_behind(group.position) else group.position
                await self._send(sse.heartbeat(self._cursor(position)))

    async def _is_refused(self) -> bool:
        """Checks authorisation; if refused, sends the reason to the reader."""
        if self._now_s() - self._checked_s < self._limits.check_s:
            return False
        refusal = await self._find_refusal()
        self._checked_s = self._now_s()
        if refusal is not None:
            await self._send(sse.ending(refusal.code, refusal.message))
        return refusal is not None

    async def _send(self, data: bytes) -> None:
        """Waits for a slow reader."""
        if data:
            await self._answer.send(data)
            self._sent_s = self._now_s()

    def _is_quiet(self) -> bool:
        return self._now_s() - self._sent_s >= self._limits.heartbeat_s

    def _pause_s(self) -> float:
        """Time until the next check or heartbeat, if no event arrives."""
        due_s = min(self._checked_s + self._limits.check_s, self._sent_s + self._limits.heartbeat_s)
        return max(due_s - self._now_s(), 0.01)

    def _cursor(self, position: Position) -> str:
        return self._feed.cursor(self._control.keys, position)

    def _now_s(self) -> float:
        return self._control.clock.monotonic_s()
