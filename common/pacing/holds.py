"""
Holds: what prepared mails are expected to cost, held against budgets until the mails expire.

A mail may be opened and charged for weeks, so its commit outlasts the settling time. Commits and charges of mails are
summed under one key, `HoldDays`, which both follow from the token: what is held is the difference of the two sums. So a
charge releases its own commit, and what was never charged returns when the key's last day is over.

Counts of a worker only grow, as those of leases do: the state is the maximum that each worker reported, so reports may
be lost, repeated and reordered.
"""

from collections.abc import Generator, Iterable, Iterator, KeysView, Mapping
from datetime import date
from typing import NamedTuple

from common.pacing.lease import Lease
from common.pacing.lease_messages import ReportLine
from common.service.cooperative import batches

_MARK = "@"
_NOTHING: Mapping["HoldDays", int] = {}


class HoldDays(NamedTuple):
    """
    ``day``: ISO date of the serve in the campaign's time zone; the charge counts against the daily budget of that day.
    ``until_day``: see `common.tracking.token.last_day`.
    """

    day: str
    until_day: int


class Hold(NamedTuple):
    """``micros``: committed by the worker since it started."""

    worker: str
    campaign_id: str
    days: HoldDays
    micros: int


def hold_name(campaign_id: str, days: HoldDays) -> str:
    """Returns the name of a hold in reports and commit files, where a campaign's id is expected."""
    return f"{campaign_id}{_MARK}{days.day}/{days.until_day}"


def find_hold(name: str) -> tuple[str, HoldDays] | None:
    """Returns None where *name* is the id of a campaign."""
    if _MARK not in name:
        return None
    campaign_id, _, text = name.rpartition(_MARK)
    day, _, until_day = text.partition("/")
    try:
        return campaign_id, HoldDays(date.fromisoformat(day).isoformat(), int(until_day))
    except ValueError:
        return None


def is_hold(line: ReportLine) -> bool:
    return find_hold(line.campaign_id) is not None


class HeldCommits:
    """Commits for mails, by campaign, days and worker."""

    def __init__(self) -> None:
        self._held: dict[str, dict[HoldDays, dict[str, int]]] = {}
        self._grown: dict[tuple[str, str, HoldDays], Hold] = {}
        self._first_day = 0
        """Holds that ended before this day were dropped."""

    @property
    def campaigns(self) -> KeysView[str]:
        return self._held.keys()

    def merge(self, hold: Hold) -> int:
        """Returns how much more the worker committed than was known."""
        if hold.days.until_day < self._first_day:
            return 0
        workers = self._held.setdefault(hold.campaign_id, {}).setdefault(hold.days, {})
        before = workers.get(hold.worker, 0)
        if hold.micros <= before:
            return 0
        workers[hold.worker] = hold.micros
        self._grown[hold[:3]] = hold
        return hold.micros - before

    def merge_line(self, worker: str, line: ReportLine, more_micros: dict[str, int]) -> bool:
        """Merges the *line* of a hold, and adds what is new to its campaign in *more_micros*. False: it is no hold."""
        found = find_hold(line.campaign_id)
        if found is None:
            return False
        more = self.merge(Hold(worker, *found, line.committed_micros))
        more_micros[found[0]] = more_micros.get(found[0], 0) + more
        return True

    def take_from_leases(
        self, worker: str, leases: Mapping[str, Lease]
    ) -> Iterator[tuple[str, Lease]]:
        """Yields *leases* by campaign. Merges those that an older allocator kept under the name of a hold."""
        for name, lease in leases.items():
            found = find_hold(name)
            if found is None:
                yield name, lease
            else:
                self.merge(Hold(worker, *found, lease.committed_micros))

    def restore_steps(self, holds: Iterable[Hold]) -> Generator[None, None, None]:
        """Takes over stored *holds*."""
        for batch in batches(holds):
            for one in batch:
                self.merge(one)
            yield
        self._grown.clear()

    def take_grown(self) -> tuple[Hold, ...]:
        """Returns the holds that grew since the last call."""
        grown, self._grown = self._grown, {}
        return tuple(grown.values())

    def held_micros(
        self,
        campaign_id: str,
        charged: Mapping[HoldDays, int] = _NOTHING,
        *,
        first_day: int,
        day: str | None = None,
    ) -> int:
        """
        Returns what is held and not charged yet. *charged*: micros that the ledger charged for held tokens.

        *first_day*: the earliest last day that still holds. *day*: only what was served on it. Clicks may be charged
        more than was expected, so no difference counts below 0.
        """
        held = self._held.get(campaign_id)
        if held is None:
            return 0
        found = 0
        for days, workers in held.items():
            if days.until_day >= first_day and day in {None, days.day}:
                found += max(0, sum(workers.values()) - charged.get(days, 0))
        return found

    def drop_before_steps(self, first_day: int) -> Generator[None, None, None]:
        """Removes holds whose last day is before *first_day*."""
        if first_day <= self._first_day:
            return
        self._first_day = first_day
        for batch in batches(list(self._held)):
            for campaign_id in batch:
                held = self._held[campaign_id]
                kept = {days: held[days] for days in held if days.until_day >= first_day}
                if kept:
                    self._held[campaign_id] = kept
                else:
                    del self._held[campaign_id]
            yield
