"""
Which decisions of a worker are written down, and that writing never delays or fails an answer.

All in test and with `debug`, a sampled share in live. The records have a spool of their own beside the events', a small
one: when either fills up it is they that are dropped, and counted.
"""

from common.decision.decision_input import DecisionInput
from common.decision.record import is_sampled, record_of
from common.decision.rules.outcome import Decision
from common.privacy.consent import Consent
from edge.spool.spool import Spool


class DecisionRecorder:
    """*spool* None: nothing is ever recorded. *events*: the worker's spool of events, which must have the disk."""

    def __init__(self, spool: Spool | None, events: Spool | None, *, sample_ppm: int) -> None:
        self._held_back = 0
        self._spool = spool
        self._events = events
        self._sample_ppm = sample_ppm
        self.sampled_ppm: int = 0 if spool is None else sample_ppm
        """Of a million seeds, those whose decision `wants` is true of."""

    def wants(self, seed: int, *, debug: bool) -> bool:
        """Whether this decision is to be recorded: then it is made with watched gates, and given to `keep`."""
        return self._spool is not None and (debug or is_sampled(seed, self._sample_ppm))

    def keep(
        self, decision_id: str, question: DecisionInput, decision: Decision, consent: Consent
    ) -> None:
        """*question* holds the watched gates. Never waits and never raises; what finds no room is counted."""
        if self._spool is None or (self._events is not None and self._events.nearly_full):
            self._held_back += 1
            return
        record = record_of(decision_id, question, decision, consent)
        self._spool.offer(record, record.id.encode())

    @property
    def kept(self) -> int:
        """Records on disk, or further."""
        return 0 if self._spool is None else self._spool.last_sequence

    @property
    def dropped(self) -> int:
        """Records that found no room."""
        return self._held_back + (0 if self._spool is None else self._spool.refused)


NO_RECORDER = DecisionRecorder(None, None, sample_ppm=0)
