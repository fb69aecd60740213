"""
Serves head, deltas and full state from PostgreSQL, for edges that pull because Redis is unavailable. Any publish
process can serve them, whether it leads or not, without Redis.
"""

import asyncio
import zlib
from dataclasses import dataclass

from common.snapshot.messages import encode_delta, encode_full, encode_heartbeat
from common.snapshot.pull_auth import MAX_DELTAS, pack_parts
from common.values.clock import Clock
from common.values.environment import Environment
from common.values.errors import Unavailable
from common.values.messages import Message
from control.outbox.outbox_reader import beat_of, delta_of, find_steps, read_head
from control.outbox.state import InconsistentState, load_full
from control.storage.database import Database
from control.storage.tables.outbox import OutboxRow, SnapshotHeadRow

_HEAD_KEPT_S = 0.1
_FULL_KEPT_S = 60.0


@dataclass(frozen=True, slots=True)
class _Full:
    epoch: str
    version: int
    packed: bytes


class PullResponses:
    """Shares each response among edges, because many pull at once when Redis fails. Raises `Unavailable`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._head: SnapshotHeadRow | None = None
        self._head_ms = 0
        self._head_until_s = 0.0
        self._loading = asyncio.Lock()
        self._fulls: dict[Environment, _Full] = {}
        self._making = {environment: asyncio.Lock() for environment in Environment}

    async def head(self, environment: Environment) -> bytes:
        """Returns a heartbeat read at most 100 ms ago; it confirms the head like the heartbeats of publish."""
        head = await self._read_head()
        return encode_heartbeat(beat_of(head, environment, self._head_ms))

    async def deltas(self, environment: Environment, after: int, through: int) -> bytes | None:
        """
        Returns the deltas from ``after + 1`` to *through*, packed and compressed.

        None where they are too many or were swept.
        """
        if not 0 <= after <= through <= after + MAX_DELTAS:
            return None
        steps: list[OutboxRow] = []
        while after + len(steps) < through:
            found = await find_steps(self._database, after + len(steps))
            if not found or found[0].version != after + len(steps) + 1:
                return None
            steps += found
        wanted = steps[: through - after]
        return await asyncio.to_thread(_pack_deltas, wanted, environment)

    async def full(self, environment: Environment) -> bytes:
        """Returns header and chunks, packed, of a state from which deltas lead to the head."""
        async with self._making[environment]:
            head = await self._read_head()
            kept = self._fulls.get(environment)
            if kept is None or kept.epoch != head.epoch or kept.version < _oldest(head):
                kept = self._fulls[environment] = await self._make_full(environment)
                loop = asyncio.get_running_loop()
                loop.call_later(_FULL_KEPT_S, self._drop, environment, kept)
        return kept.packed

    async def _read_head(self) -> SnapshotHeadRow:
        async with self._loading:
            if self._head is None or self._clock.monotonic_s() >= self._head_until_s:
                self._head_ms = self._clock.now_ms()
                self._head = await read_head(self._database)
                self._head_until_s = self._clock.monotonic_s() + _HEAD_KEPT_S
            return self._head

    async def _make_full(self, environment: Environment) -> _Full:
        try:
            full = await load_full(self._database, environment)
        except InconsistentState as error:
            raise Unavailable(
                Message(
                    "The stored state is incomplete, and the publisher begins a new epoch. Try again."
                )
            ) from error
        header, chunks = await asyncio.to_thread(encode_full, full)
        packed = await asyncio.to_thread(pack_parts, [header, *chunks])
        return _Full(full.epoch, full.version, packed)

    def _drop(self, environment: Environment, full: _Full) -> None:
        if self._fulls.get(environment) is full:
            del self._fulls[environment]


def _oldest(head: SnapshotHeadRow) -> int:
    """The oldest full state that may be served: half the deltas of one call lead from it to the head."""
    return head.version - MAX_DELTAS // 2


def _pack_deltas(steps: list[OutboxRow], environment: Environment) -> bytes:
    return zlib.compress(pack_parts(encode_delta(delta_of(step, environment)) for step in steps), 1)
