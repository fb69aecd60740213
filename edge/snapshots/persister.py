"""Writes the receiver's state to disk: deltas into the journal, and a new base when the journal has grown long."""

import asyncio

import structlog

from common.snapshot.messages import Delta, Heartbeat
from edge.snapshots.disk_store import SnapshotDiskStore
from edge.snapshots.state import SnapshotState
from edge.snapshots.sync_state import SyncState

_PAUSE_S = 0.05
"""Changes within it are written together."""
_AGE_EVERY_MS = 30_000
"""How often the journal records that the head was confirmed, so that a restart knows the snapshot's age."""
_FEW_MESSAGES = 2_000
_PART_OF_OBJECTS = 10
_MAX_BYTES = 32_000_000

_log = structlog.get_logger(__name__)


def max_messages(objects_count: int) -> int:
    """
    Messages that a journal may hold until a new base is due. A base costs some µs of CPU for each object, on the cores
    that the workers use, too. At a hundred deltas a second, a large state would otherwise be written whole every 19 s.
    """
    return max(_FEW_MESSAGES, objects_count // _PART_OF_OBJECTS)


class SnapshotPersister:
    """
    `run` until cancelled, then `save` once more. A failed write is tried again after the next change or heartbeat;
    nothing else waits for it. A machine that fails within `_PAUSE_S` of a change starts with the state before it.
    """

    def __init__(self, disk: SnapshotDiskStore, receiver: SyncState) -> None:
        """*receiver*'s current state was loaded from *disk*."""
        state = receiver.state
        self.failures = 0
        self._disk = disk
        self._receiver = receiver
        self._epoch, self._version = (state.epoch, state.version) if state is not None else ("", 0)
        self._noted_ms = receiver.confirmed_ms
        self._messages = 0
        self._bytes = 0
        self._changed = asyncio.Event()

    def changed(self) -> None:
        """The receiver adopted or confirmed a state."""
        self._changed.set()

    async def run(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self.save()
            await asyncio.sleep(_PAUSE_S)

    async def save(self) -> None:
        """
        Never raises OSError: a failure is counted and logged, and the next save writes a whole base. If it is
        cancelled, it ends after the write: another one must not begin in the same files beside it.
        """
        saving = asyncio.create_task(self._save())
        try:
            await asyncio.shield(saving)
        except asyncio.CancelledError:
            await asyncio.wait({saving})
            raise

    async def _save(self) -> None:
        state = self._receiver.state
        if state is None or not self._due(state):
            return
        try:
            await self._write(state)
        except OSError as error:
            self.failures += 1
            self._disk.close()
            _log.error("snapshot_persist_failed", reason=str(error))

    def _due(self, state: SnapshotState) -> bool:
        moved = (state.epoch, state.version) != (self._epoch, self._version)
        return moved or self._receiver.confirmed_ms - self._noted_ms >= _AGE_EVERY_MS

    async def _write(self, state: SnapshotState) -> None:
        """Collects what to write before the first await, because the receiver moves on meanwhile."""
        version, epoch, confirmed_ms = state.version, state.epoch, self._receiver.confirmed_ms
        deltas = self._receiver.find_deltas(self._epoch, self._version)
        most = max_messages(len(state))
        long = self._messages > most or self._bytes > _MAX_BYTES
        if deltas is None or long or not self._disk.has_journal:
            await asyncio.to_thread(self._disk.write_base, state.to_send(), confirmed_ms)
            self._messages = self._bytes = 0
        else:
            beat = Heartbeat(epoch, version, state.digest, confirmed_ms)
            messages: list[Delta | Heartbeat] = [*deltas, beat]
            self._bytes += await asyncio.to_thread(self._disk.append, messages)
            self._messages += len(messages)
        self._epoch, self._version, self._noted_ms = epoch, version, confirmed_ms
