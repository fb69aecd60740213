"""
Leases: parts of a budget that one worker may commit without asking, so that all workers together never commit more
than there is. Integers only; both sides of the protocol count with what is written here.

Every count only grows, so messages may be lost, repeated and overtaken: what is known of a lease is the greatest of
each count. Three of them tell everything: what was granted, what was given back, what was committed.

A worker whose report was answered may go on committing for the term, counted from when it *sent* that report; the
grantor counts it from when it *received* it. So no clock has to agree with another, and a lease ends at the worker
first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

TERM_MS = 10_000
"""How long a worker that hears nothing goes on: long enough for a grantor to be replaced, short for a dead worker."""
HORIZON_MS = 4_000
"""What is granted lasts so long at twice the worker's pace of late: two rounds of asking, and one that is lost."""
AHEAD_UNITS = 64
"""Fills that a worker holds a lease for before anybody calls: a burst that comes between two of its reports."""
_FEWEST = 2
_MAX_PLANNED = 4
_GROWTH = 2
_MAX_DIVISOR = 4
"""One round grants at most a quarter of what is free to one worker, so that none of it is stranded in one place."""


@dataclass(slots=True)
class Lease:
    """Of one campaign, one worker; micros, ever since the worker began."""

    granted_micros: int = 0
    returned_micros: int = 0
    committed_micros: int = 0

    @property
    def available_micros(self) -> int:
        """Not committed and not given back. Below 0 where more was committed than was granted: a restored grantor."""
        return self.granted_micros - self.returned_micros - self.committed_micros

    def learn(self, other: Self) -> None:
        """Takes over whatever *other* knows and this does not."""
        self.granted_micros = max(self.granted_micros, other.granted_micros)
        self.returned_micros = max(self.returned_micros, other.returned_micros)
        self.committed_micros = max(self.committed_micros, other.committed_micros)

    def hear(self, returned_micros: int, committed_micros: int) -> int:
        """
        What its worker says, and how much more it committed than was known. It was granted as much at least, though a
        grantor that came back may not know.
        """
        before = self.committed_micros
        if committed_micros > before:
            self.committed_micros = committed_micros
        self.returned_micros = max(self.returned_micros, returned_micros)
        least = self.returned_micros + self.committed_micros
        self.granted_micros = max(self.granted_micros, least)
        return self.committed_micros - before

    def give_back(self, keep_micros: int = 0) -> None:
        """All that is open but *keep_micros*. By the worker alone: what it gave back it can no longer commit."""
        self.returned_micros += max(0, self.available_micros - keep_micros)


def open_in(leases: Iterable[Lease]) -> int:
    """Micros that may still be committed of *leases*; one that was restored and is overdrawn counts as none."""
    found = 0
    for lease in leases:
        micros = lease.granted_micros - lease.returned_micros - lease.committed_micros
        if micros > 0:
            found += micros
    return found


def wished_micros(committed_micros: int, during_ms: int) -> int:
    """What lasts four seconds at twice the pace of the last *during_ms*."""
    return committed_micros * _GROWTH * HORIZON_MS // max(1, during_ms)


@dataclass(slots=True)
class LeaseRequest:
    """
    One worker's need of one campaign. ``committed_micros`` were committed in the last ``during_ms``. ``starved``: it
    was asked and had too little, so that what it committed says nothing of what it could.
    """

    available_micros: int
    committed_micros: int = 0
    during_ms: int = 1_000
    starved: bool = False

    @property
    def wished_micros(self) -> int:
        """What it should hold, at least."""
        wished = wished_micros(self.committed_micros, self.during_ms)
        return max(wished, _GROWTH * self.available_micros) if self.starved else wished


def used_micros(*, charged_micros: int, available_micros: int, in_flight_micros: int) -> int:
    """
    What of a budget, total or daily, may not be granted again.

    *available_micros*: of all leases, those of workers that are gone included until their term and the tokens they
    may have signed have run out. *in_flight_micros*: committed lately and not charged yet.
    """
    return charged_micros + available_micros + in_flight_micros


def in_flight_micros(*, committed_micros: int, charged_micros: int) -> int:
    """
    *committed_micros* of serves young enough that their events may still come, less what events of serves as young were
    charged already. Of clicks and conversions more may be charged than was expected of them: never below 0.
    """
    return max(0, committed_micros - charged_micros)


def fair_share(free: int, workers: int, *, unit_micros: int) -> int:
    """
    Micros that each of *workers* may hold before anybody calls: 64 units, or an equal part of *free* in units. One that
    is alone leaves half, for workers begin one after another.
    """
    if free <= 0:
        return 0
    equal = free // max(_FEWEST, workers) // unit_micros * unit_micros
    return min(AHEAD_UNITS * unit_micros, equal)


def grantable_of_plan(planned_micros: int, workers: int, *, unit_micros: int) -> int:
    """
    Micros to share out where a plan has *planned_micros* free. With room for a burst of 64 units, each of *workers* may
    hold as many, since the burst may come to any of them: up to four times what is free, for plans wait for what is
    ahead of them. With less room it is shared.
    """
    burst_micros = AHEAD_UNITS * unit_micros
    if planned_micros < burst_micros:
        return planned_micros
    bursts_micros = burst_micros * max(_FEWEST, workers)
    return max(planned_micros, min(bursts_micros, _MAX_PLANNED * planned_micros))


@dataclass(slots=True)
class RemainingShare:
    """Micros that are free of a campaign's budgets, and what one fill of it commits."""

    micros: int
    unit_micros: int

    def share_micros(self, workers: int) -> int:
        """`fair_share` of each, but one unit at least while there is one."""
        share = fair_share(self.micros, workers, unit_micros=self.unit_micros)
        return share or min(self.unit_micros, max(0, self.micros))

    def take(self, workers: int) -> int:
        """One worker's share, which then is not free any more."""
        found = self.share_micros(workers)
        self.micros -= found
        return found


def lacks_share(available_micros: int, share_micros: int) -> bool:
    """A lease is filled up to its fair share once half of it is gone: a line for each fill would cost too much."""
    return 2 * available_micros < share_micros


def share_out(
    free: int, wants: Mapping[str, LeaseRequest], *, unit_micros: int, share_micros: int = 0
) -> dict[str, int]:
    """
    Micros to add to each worker's lease, out of *free*: whole units while there are any, the last part of one too.

    Every worker that asks is brought to what it wishes, at least one unit, and to *share_micros*, its `fair_share`;
    where that is more than there is, those that hold least come first, a unit at a time, so that a few units left over
    still go round.
    """
    if free <= 0 or not wants:
        return {}
    most = max(unit_micros, free // _MAX_DIVISOR // unit_micros * unit_micros)
    asked = {}
    for worker in sorted(wants):
        one = wants[worker]
        missing = min(most, max(unit_micros, one.wished_micros) - one.available_micros)
        if lacks_share(one.available_micros, share_micros):
            missing = max(missing, share_micros - one.available_micros)
        if missing > 0:
            asked[worker] = -(-missing // unit_micros) * unit_micros
    if sum(asked.values()) <= free:
        return asked
    return _rationed(free, asked, wants, unit_micros)


def _rationed(
    free: int, asked: Mapping[str, int], wants: Mapping[str, LeaseRequest], unit_micros: int
) -> dict[str, int]:
    """Equal parts of whole units, and what is left over a unit each to those that hold least."""
    equal = free // len(asked) // unit_micros * unit_micros
    given = {worker: min(equal, micros) for worker, micros in asked.items()}
    left = free - sum(given.values())
    for worker in sorted(
        asked, key=lambda name: (wants[name].available_micros + given[name], name)
    ):
        more = min(unit_micros, left, asked[worker] - given[worker])
        given[worker] += more
        left -= more
    return {worker: micros for worker, micros in given.items() if micros > 0}
