"""What readers hold of the snapshot: one reference, swapped by the one task that receives."""

from common.snapshot.snapshot import Snapshot


class SnapshotMissing(Exception):
    """No snapshot was ever adopted: the edge is not ready, and answers 503."""


class SnapshotHandle:
    """`current()` for requests, `adopt` for the worker's receiving task alone."""

    def __init__(self) -> None:
        self._current: Snapshot | None = None
        self._confirmed_ms = 0
        self.states = 0
        """Whole states adopted."""
        self.generation: int = 0
        """How often another snapshot became the current one: to tell them apart without keeping one."""

    @classmethod
    def fixed(cls, snapshot: Snapshot, *, confirmed_ms: int = 1 << 60) -> "SnapshotHandle":
        """A handle that stands, for tests and tools."""
        handle = cls()
        handle.adopt(snapshot, confirmed_ms=confirmed_ms)
        return handle

    def current(self) -> Snapshot:
        """Take it once a request. Raises `SnapshotMissing`."""
        if self._current is None:
            raise SnapshotMissing
        return self._current

    def find_current(self) -> Snapshot | None:
        return self._current

    @property
    def ready(self) -> bool:
        return self._current is not None

    def adopt(self, snapshot: Snapshot, *, confirmed_ms: int) -> None:
        """Swap; *confirmed_ms* is when the control plane last said that this is the head."""
        self._current = snapshot
        self._confirmed_ms = confirmed_ms
        self.states += 1
        self.generation += 1

    def swap(self, snapshot: Snapshot) -> None:
        """The next snapshot of the same head: its age goes on."""
        self._current = snapshot
        self.generation += 1

    def confirm(self, now_ms: int) -> None:
        """The head was confirmed: the snapshot is current as of *now_ms*."""
        self._confirmed_ms = now_ms

    def age_s(self, now_ms: int) -> float:
        """Seconds since the control plane last confirmed this snapshot; 0 at the least."""
        return max(0.0, (now_ms - self._confirmed_ms) / 1000)
