"""
Decides which decisions of a worker are recorded. Recording never delays or fails a response.

In test, and with `debug`, all decisions are recorded; in live a sampled share. The records have a small spool of their
own beside the events' spool. When either is full, decision records are dropped, and counted.
"""

from common.decision.decision_input import DecisionInput
from common.decision.record import DecisionRecord, is_sampled, record_of
from common.decision.rules.outcome import Decision
from common.privacy.consent import Consent
from edge.spool.spool import Spool


class DecisionRecorder:
    """
    *spool* None: nothing is ever recorded. *events*: the worker's event spool, which takes
    precedence on the disk.
    """

    def __init__(self, spool: Spool | None, events: Spool | None, *, sample_ppm: int) -> None:
        self._held_back = 0
        self._spool = spool
        self._events = events
        self._sample_ppm = sample_ppm
        self.sampled_ppm: int = 0 if spool is None else sample_ppm
        """Of a million seeds, those that the native cache leaves to the slow path: those for which `wants` is True."""

    def wants(self, seed: int, *, debug: bool) -> bool:
        """Whether to record this decision. It is then made with watched gates and passed to `keep`."""
        return self._spool is not None and (debug or is_sampled(seed, self._sample_ppm))

    def keep(
        self, decision_id: str, decision_input: DecisionInput, decision: Decision, consent: Consent
    ) -> None:
        """
        Never waits and never raises; a record for which the spool has no room is counted. The gates of *decision_input*
        are those of `common.decision.recorded_gates.recording`.
        """
        if self._has_room():
            self._store(record_of(decision_id, decision_input, decision, consent))

    def offer(self, record: DecisionRecord) -> None:
        """Stores *record*; never waits and never raises, as `keep`."""
        if self._has_room():
            self._store(record)

    def _has_room(self) -> bool:
        """Counts a record for which there is none."""
        has_room = self._spool is not None and (
            self._events is None or not self._events.nearly_full
        )
        self._held_back += not has_room
        return has_room

    def _store(self, record: DecisionRecord) -> None:
        assert self._spool is not None  # noqa: S101 - `_has_room`
        self._spool.offer(record, record.id.encode())

    def leave_out(self, sample_ppm: int) -> None:
        """Makes the native cache leave this many seeds of a million to the slow path, also if fewer are recorded."""
        self.sampled_ppm = max(self.sampled_ppm, sample_ppm)

    @property
    def is_recording(self) -> bool:
        """Whether decisions are recorded at all."""
        return self._spool is not None and self._sample_ppm > 0

    @property
    def kept(self) -> int:
        """Records written to disk, whether shipped or not."""
        return 0 if self._spool is None else self._spool.last_sequence

    @property
    def dropped(self) -> int:
        """Records that found no room."""
        return self._held_back + (0 if self._spool is None else self._spool.refused)


NO_RECORDER = DecisionRecorder(None, None, sample_ppm=0)
