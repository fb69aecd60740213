"""State of one worker in the allocator, complete and as changes of a round."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field

from common.pacing.holds import Hold
from common.pacing.lease import Lease
from common.pacing.lease_messages import Report
from common.service.cooperative import batches

UNIT_HOLD_MS = 6_000
"""
How long a single unit stays with the worker that requested it. Otherwise each request would recall the last unit of a
budget from another worker, and no call would find it. An idle unit still returns within ten seconds.
"""
_MAX_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class WorkerLeases:
    """Durable state of one worker. ``leases``: by campaign."""

    reported_ms: int
    sequence: int
    leases: Mapping[str, Lease]


@dataclass(frozen=True, slots=True)
class AllocationRound:
    """
    Changes of one round. ``commits``: those reported in it, by campaign, in ``minute``, without ``holds``. ``workers``:
    those that reported or got grants, with their changed leases. ``removed``: workers whose leases no longer count.
    """

    number: int
    minute: int
    commits: Mapping[str, int]
    workers: Mapping[str, WorkerLeases]
    holds: Sequence[Hold] = ()
    removed: Sequence[str] = ()


@dataclass(slots=True)
class WorkerState:
    """
    One worker, with its leases by campaign. ``applied``: number of the last grants that it applied.

    ``changed``: campaign to the last grants that contained it.
    ``touched``: campaigns whose lease changed since the last round was taken; an empty name marks a report.
    ``held_until_ms``: campaign to the instant until which its last unit is not recalled.
    """

    reported_ms: int
    sequence: int = 0
    applied: int = 0
    during_ms: int = 1_000
    changed: dict[str, int] = field(default_factory=dict)
    leases: dict[str, Lease] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    held_until_ms: dict[str, int] = field(default_factory=dict)

    @property
    def all_leases(self) -> WorkerLeases:
        return WorkerLeases(self.reported_ms, self.sequence, self.leases)

    def receive_report(self, report: Report, now_ms: int, epoch: int) -> None:
        """*epoch*: the current leader's; grants of other epochs are sent again."""
        self.during_ms = max(1, now_ms - self.reported_ms)
        self.reported_ms, self.sequence = now_ms, report.sequence
        self.applied = report.number if report.epoch == epoch else 0
        self.touched.add("")

    def has_unapplied_first_lease(self, campaign_id: str, lease: Lease) -> bool:
        """Whether its first *lease* is in grants that it has not applied: its request needs no further grant."""
        is_first = lease.committed_micros == 0 and lease.available_micros > 0
        return is_first and self.changed.get(campaign_id, 0) > self.applied

    def hold_unit(self, campaign_id: str, now_ms: int) -> None:
        """Keeps a granted unit here for its next call."""
        if len(self.held_until_ms) >= _MAX_KEPT:
            self.held_until_ms = {
                name: until for name, until in self.held_until_ms.items() if until > now_ms
            }
        self.held_until_ms[campaign_id] = now_ms + UNIT_HOLD_MS

    def take_changes_steps(self) -> Generator[None, None, WorkerLeases]:
        touched, self.touched = self.touched, set()
        leases, changed = self.leases, dict[str, Lease]()
        for batch in batches(touched):
            changed |= {name: leases[name] for name in batch if name in leases}
            yield
        return WorkerLeases(self.reported_ms, self.sequence, changed)
