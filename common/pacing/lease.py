"""
Leases: parts of a budget that one worker may commit on its own, so that all workers together never commit more than is
available. Integers only; both sides of the protocol compute with this code.

Every count only grows, so messages may be lost, repeated and reordered: the current state of a lease is the maximum of
each count. There are three counts: granted, returned, committed.

A worker may commit for one term after a report that was answered, counted from when it *sent* that report. The
allocator counts the term from when it *received* it. So no clocks need to agree, and a lease always ends first at the
worker.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

TERM_MS = 10_000
"""How long a worker continues without a grant: long enough to replace an allocator, short enough if a worker dies."""
HORIZON_MS = 4_000
"""A grant lasts this long at twice the worker's recent pace: two rounds of reports, and one lost."""
AHEAD_UNITS = 64
"""Fills that a worker holds a lease for before its first request: enough for a burst between two of its reports."""
_FEWEST = 2
_MAX_PLANNED = 4
_GROWTH = 2
_MAX_DIVISOR = 4
"""One round grants one worker at most a quarter of what is free, so that the rest is not stranded in one place."""


@dataclass(slots=True)
class Lease:
    """One campaign's lease at one worker, in micros since the worker started."""

    granted_micros: int = 0
    returned_micros: int = 0
    committed_micros: int = 0

    @property
    def available_micros(self) -> int:
        """
        Neither committed nor returned. Below 0 where more was committed than granted, after the
        allocator was restored.
        """
        return self.granted_micros - self.returned_micros - self.committed_micros

    def merge_grant(self, other: Self) -> None:
        """Takes the maximum of each count."""
        self.granted_micros = max(self.granted_micros, other.granted_micros)
        self.returned_micros = max(self.returned_micros, other.returned_micros)
        self.committed_micros = max(self.committed_micros, other.committed_micros)

    def merge_report(self, returned_micros: int, committed_micros: int) -> int:
        """
        Applies a worker's counts, and returns how much more it committed than was known. At least as much must have
        been granted, though a restarted allocator may have no record of that.
        """
        before = self.committed_micros
        if committed_micros > before:
            self.committed_micros = committed_micros
        self.returned_micros = max(self.returned_micros, returned_micros)
        least = self.returned_micros + self.committed_micros
        self.granted_micros = max(self.granted_micros, least)
        return self.committed_micros - before

    def release(self, keep_micros: int = 0) -> None:
        """
        Returns all available micros but *keep_micros*. Only the worker calls it: it can no longer commit what it
        returned.
        """
        self.returned_micros += max(0, self.available_micros - keep_micros)


def open_in(leases: Iterable[Lease]) -> int:
    """Returns micros that may still be committed from *leases*; an overdrawn one, after a restore, counts as 0."""
    found = 0
    for lease in leases:
        micros = lease.granted_micros - lease.returned_micros - lease.committed_micros
        if micros > 0:
            found += micros
    return found


def desired_micros(committed_micros: int, during_ms: int) -> int:
    """Returns what lasts four seconds at twice the pace of the last *during_ms*."""
    return committed_micros * _GROWTH * HORIZON_MS // max(1, during_ms)


@dataclass(slots=True)
class LeaseRequest:
    """
    One worker's need for one campaign. ``committed_micros`` were committed in the last ``during_ms``. ``starved``: its
    lease was too small for a request, so the committed amount does not show the possible one.
    """

    available_micros: int
    committed_micros: int = 0
    during_ms: int = 1_000
    starved: bool = False

    @property
    def desired_micros(self) -> int:
        """The minimum that it should hold."""
        desired = desired_micros(self.committed_micros, self.during_ms)
        return max(desired, _GROWTH * self.available_micros) if self.starved else desired


def used_micros(*, charged_micros: int, available_micros: int, in_flight_micros: int) -> int:
    """
    Returns the part of a total or daily budget that may not be granted again.

    *available_micros*: of all leases. Leases of dead workers count until their term, and the tokens that they may have
    signed, have expired. *in_flight_micros*: committed recently and not charged yet.
    """
    return charged_micros + available_micros + in_flight_micros


def in_flight_micros(*, committed_micros: int, charged_micros: int) -> int:
    """
    *committed_micros*: by serves recent enough that their events may still arrive; *charged_micros*: already charged
    for events of such serves. Clicks and conversions may be charged more than was expected, so the result is never
    below 0.
    """
    return max(0, committed_micros - charged_micros)


def fair_share(free: int, workers: int, *, unit_micros: int) -> int:
    """
    Returns the micros that each of *workers* may hold before any request: 64 units, or an equal part of *free* in whole
    units. A single worker gets half, because workers start one after another.
    """
    if free <= 0:
        return 0
    equal = free // max(_FEWEST, workers) // unit_micros * unit_micros
    return min(AHEAD_UNITS * unit_micros, equal)


def grantable_of_plan(planned_micros: int, workers: int, *, unit_micros: int) -> int:
    """
    Returns the micros to share out where a plan has *planned_micros* free. If that covers a burst of 64 units, each of
    *workers* may hold as many, because the burst may reach any of them. The sum is at most four times what is free:
    plans wait until they catch up. With less room, it is shared.
    """
    burst_micros = AHEAD_UNITS * unit_micros
    if planned_micros < burst_micros:
        return planned_micros
    bursts_micros = burst_micros * max(_FEWEST, workers)
    return max(planned_micros, min(bursts_micros, _MAX_PLANNED * planned_micros))


@dataclass(slots=True)
class RemainingShare:
    """Free micros of a campaign's budgets, and the amount that one fill commits."""

    micros: int
    unit_micros: int

    def share_micros(self, workers: int) -> int:
        """Returns the `fair_share` of each worker, but at least one unit while one is free."""
        share = fair_share(self.micros, workers, unit_micros=self.unit_micros)
        return share or min(self.unit_micros, max(0, self.micros))

    def take(self, workers: int) -> int:
        """Returns one worker's share, and removes it from the free amount."""
        found = self.share_micros(workers)
        self.micros -= found
        return found


def lacks_share(available_micros: int, share_micros: int) -> bool:
    """
    A lease is topped up to its fair share once half of it is used:
    a message line for each fill would cost too much.
    """
    return 2 * available_micros < share_micros


def share_out(
    free: int, wants: Mapping[str, LeaseRequest], *, unit_micros: int, share_micros: int = 0
) -> dict[str, int]:
    """
    Returns the micros to add to each worker's lease, out of *free*: in whole units while there are any, then the last
    part of one.

    Every requesting worker is raised to its wish, to at least one unit, and to *share_micros*, its `fair_share`. Where
    *free* is too small, workers with the least come first, one unit at a time, so that a few remaining units are
    distributed too.
    """
    if free <= 0 or not wants:
        return {}
    most = max(unit_micros, free // _MAX_DIVISOR // unit_micros * unit_micros)
    requested = {}
    for worker in sorted(wants):
        one = wants[worker]
        missing = min(most, max(unit_micros, one.desired_micros) - one.available_micros)
        if lacks_share(one.available_micros, share_micros):
            missing = max(missing, share_micros - one.available_micros)
        if missing > 0:
            requested[worker] = -(-missing // unit_micros) * unit_micros
    if sum(requested.values()) <= free:
        return requested
    return _rationed(free, requested, wants, unit_micros)


def _rationed(
    free: int, requested: Mapping[str, int], wants: Mapping[str, LeaseRequest], unit_micros: int
) -> dict[str, int]:
    """Gives equal parts in whole units, then one remaining unit each to those that hold least."""
    equal = free // len(requested) // unit_micros * unit_micros
    given = {worker: min(equal, micros) for worker, micros in requested.items()}
    left = free - sum(given.values())
    for worker in sorted(
        requested, key=lambda name: (wants[name].available_micros + given[name], name)
    ):
        more = min(unit_micros, left, requested[worker] - given[worker])
        given[worker] += more
        left -= more
    return {worker: micros for worker, micros in given.items() if micros > 0}
