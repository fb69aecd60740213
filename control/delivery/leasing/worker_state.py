"""What the grantor remembers of one worker, whole and as far as it changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from common.pacing.lease import Lease
from common.pacing.lease_messages import Report

KEEP_MS = 6_000
"""
How long a single unit stays where it was asked for. Called back by whoever is asked next, the last unit of a budget
would travel from worker to worker and never be where a call comes; what is idle still returns within ten seconds.
"""
_MAX_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class WorkerLeases:
    """What is kept of one worker: all that a grantor must not forget. ``leases``: by campaign."""

    heard_ms: int
    sequence: int
    leases: Mapping[str, Lease]


@dataclass(frozen=True, slots=True)
class AllocationRound:
    """
    What one round changed. ``commits``: heard in it, by campaign, in ``minute``. ``books``: of the workers that were
    heard or granted something, with the leases that changed.
    """

    number: int
    minute: int
    commits: Mapping[str, int]
    books: Mapping[str, WorkerLeases]


@dataclass(slots=True)
class WorkerState:
    """
    One worker, and its leases by campaign. ``applied``: it has the grants up to there. ``changed``: campaign to the
    grants that told it last. ``touched``: campaigns whose lease changed since the last round was taken; one that was
    heard has an empty name among them. ``kept``: campaign to the instant until which its last unit is not called back.
    """

    heard_ms: int
    sequence: int = 0
    applied: int = 0
    during_ms: int = 1_000
    changed: dict[str, int] = field(default_factory=dict)
    leases: dict[str, Lease] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    kept: dict[str, int] = field(default_factory=dict)

    def hear(self, report: Report, now_ms: int, epoch: int) -> None:
        """*epoch*: of who grants now; what another granted is told again."""
        self.during_ms = max(1, now_ms - self.heard_ms)
        self.heard_ms, self.sequence = now_ms, report.sequence
        self.applied = report.number if report.epoch == epoch else 0
        self.touched.add("")

    def is_about_to_learn(self, campaign_id: str, lease: Lease) -> bool:
        """Whether it was granted its first *lease* in grants that it has not applied: it asks, and lacks nothing."""
        is_first = lease.committed_micros == 0 and lease.available_micros > 0
        return is_first and self.changed.get(campaign_id, 0) > self.applied

    def keep_unit(self, campaign_id: str, now_ms: int) -> None:
        """It asked for a unit and has it now: the next call there is to find it."""
        if len(self.kept) >= _MAX_KEPT:
            self.kept = {name: until for name, until in self.kept.items() if until > now_ms}
        self.kept[campaign_id] = now_ms + KEEP_MS

    def take_changes(self) -> WorkerLeases:
        touched, self.touched = self.touched, set()
        leases = self.leases
        return WorkerLeases(
            self.heard_ms, self.sequence, {name: leases[name] for name in touched if name in leases}
        )
