"""
Decides what to do with each message about the snapshot: a state machine without I/O, driven by
`edge.snapshots.sync_loop`.

It never goes back within an epoch, and never holds a state whose digest was not verified.
"""

from collections import deque
from collections.abc import Sequence
from enum import StrEnum

from common.snapshot.codec import SnapshotInvalid
from common.snapshot.messages import Delta, Heartbeat
from edge.snapshots.state import SnapshotState

KEPT_DELTAS = 1000
"""Deltas kept for workers and the disk. A worker further behind gets the full state."""


class SyncResult(StrEnum):
    """The result of a message."""

    IGNORED = "ignored"
    """Old or repeated."""
    CONFIRMED = "confirmed"
    """The current state is the head."""
    APPLIED = "applied"
    PULL = "pull"
    """Something is missing or wrong: pull from the source."""


class SyncState:
    """`state` and what is known of its age. All times are epoch ms of this machine's clock."""

    def __init__(self, state: SnapshotState | None = None, *, confirmed_ms: int = 0) -> None:
        self.state = state
        self.confirmed_ms = confirmed_ms
        self.refusal: str | None = None
        """Why the newest state or delta could not be adopted; None if it was."""
        self._recent: deque[Delta] = deque(maxlen=KEPT_DELTAS)
        self._head_at_ms: int | None = None
        self._fallback_at_ms: int | None = None

    @property
    def head_at_ms(self) -> int:
        """When the control plane published the newest head that we hold, by its own clock."""
        return max(self._head_at_ms or 0, self._fallback_at_ms or 0)

    def take(self, message: Heartbeat | Delta, now_ms: int) -> SyncResult:
        """Handles a pushed message. It arrives live, so what it confirms is current now."""
        self._forget_future(now_ms)
        return self._take(message, now_ms)

    def take_pulled(self, delta: Delta) -> SyncResult:
        """Handles a delta that was read from storage. Its age is unknown, so it confirms nothing."""
        return self._take(delta, None)

    def take_head(self, head: Heartbeat, now_ms: int, *, from_fallback: bool = False) -> SyncResult:
        """
        Handles a heartbeat that was read from storage; its writer may be gone. It confirms that we are current only if
        it changed since the last read; the first one only up to its own time. *from_fallback*: it came from another
        source, whose heartbeats advance separately.
        """
        self._forget_future(now_ms)
        before = self._fallback_at_ms if from_fallback else self._head_at_ms
        moved_ms = None if head.at_ms == before else now_ms
        kept = self._head_at_ms
        result = self._take(head, min(now_ms, head.at_ms) if before is None else moved_ms)
        if from_fallback and result is SyncResult.CONFIRMED:
            self._head_at_ms, self._fallback_at_ms = kept, head.at_ms
        return result

    def replace(self, state: SnapshotState) -> bool:
        """Adopts a full state, unless that would go back. Its age is unknown until a heartbeat confirms it."""
        ours = self.state
        if ours is not None and ours.epoch == state.epoch:
            if state.version < ours.version:
                return False
            if state.version == ours.version and state.digest == ours.digest:
                return False
        self.state = state
        self.refusal = None
        self._recent.clear()
        return True

    def refuse(self, reason: str) -> None:
        self.refusal = reason

    def find_deltas(self, epoch: str, after: int) -> Sequence[Delta] | None:
        """The deltas from version *after* to ours; None if they are no longer kept, or the epoch differs."""
        if self.state is None or self.state.epoch != epoch or after > self.state.version:
            return None
        missing = self.state.version - after
        if missing > len(self._recent):
            return None
        return list(self._recent)[len(self._recent) - missing :]

    def _take(self, message: Heartbeat | Delta, confirmed_ms: int | None) -> SyncResult:
        if self.state is None or message.epoch != self.state.epoch:
            return SyncResult.PULL
        if isinstance(message, Delta) and message.version == self.state.version + 1:
            return self._apply(self.state, message, confirmed_ms)
        if message.version != self.state.version:
            return SyncResult.PULL if message.version > self.state.version else SyncResult.IGNORED
        if message.digest != self.state.digest:
            self.refusal = f"version {message.version} has another digest than ours"
            return SyncResult.PULL
        if isinstance(message, Delta):
            return SyncResult.IGNORED
        self._head_at_ms = message.at_ms
        self._confirm(confirmed_ms)
        return SyncResult.CONFIRMED

    def _apply(self, state: SnapshotState, delta: Delta, confirmed_ms: int | None) -> SyncResult:
        try:
            state.apply(delta)
        except SnapshotInvalid as error:
            self.refusal = str(error)
            return SyncResult.PULL
        self._recent.append(delta)
        self._confirm(confirmed_ms)
        return SyncResult.APPLIED

    def _forget_future(self, now_ms: int) -> None:
        """After the clock was set back, a later confirmation would hide for as long that nothing is confirmed."""
        self.confirmed_ms = min(self.confirmed_ms, now_ms)

    def _confirm(self, confirmed_ms: int | None) -> None:
        self.refusal = None
        if confirmed_ms is not None:
            self.confirmed_ms = max(self.confirmed_ms, confirmed_ms)
