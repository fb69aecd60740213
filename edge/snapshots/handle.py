"""The worker's reference to its current snapshot, swapped by the one task that receives snapshots."""

from common.snapshot.snapshot import Snapshot


class SnapshotMissing(Exception):
    """No snapshot was ever adopted: the edge is not ready, and responds with 503."""


class SnapshotHandle:
    """`current()` is for requests; `adopt` only for the worker's receiving task."""

    def __init__(self) -> None:
        self._current: Snapshot | None = None
        self._confirmed_ms = 0
        self.states = 0
        """Full states adopted."""
        self.generation: int = 0
        """How often the current snapshot changed. Identifies a snapshot without keeping a reference to it."""

    @classmethod
    def fixed(cls, snapshot: Snapshot, *, confirmed_ms: int = 1 << 60) -> "SnapshotHandle":
        """A handle with a fixed snapshot, for tests and tools."""
        handle = cls()
        handle.adopt(snapshot, confirmed_ms=confirmed_ms)
        return handle

    def current(self) -> Snapshot:
        """The current snapshot. Call it once a request. Raises `SnapshotMissing`."""
        if self._current is None:
            raise SnapshotMissing
        return self._current

    def find_current(self) -> Snapshot | None:
        return self._current

    @property
    def ready(self) -> bool:
        return self._current is not None

    def adopt(self, snapshot: Snapshot, *, confirmed_ms: int) -> None:
        """Swaps in a snapshot; *confirmed_ms* is when the control plane last confirmed it as the head."""
        self._current = snapshot
        self._confirmed_ms = confirmed_ms
        self.states += 1
        self.generation += 1

    def swap(self, snapshot: Snapshot) -> None:
        """Swaps in the next snapshot without changing the time of confirmation."""
        self._current = snapshot
        self.generation += 1

    def confirm(self, now_ms: int) -> None:
        """The head was confirmed: the snapshot is current as of *now_ms*."""
        self._confirmed_ms = now_ms

    def age_s(self, now_ms: int) -> float:
        """Seconds since the control plane last confirmed this snapshot; at least 0."""
        return max(0.0, (now_ms - self._confirmed_ms) / 1000)
