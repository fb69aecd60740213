"""
Who may commit what of which budget: the memory of the one process that grants, pure. Instants are its own clock's, ms.

A lease that was granted counts against its budget until it was given back, or committed and settled; that of a worker
nobody hears of any more until its term has ended and the events of whatever it served in it have come.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from common.pacing.lease import TERM_MS, Lease, Want, free_micros, in_flight_micros, share_out
from common.pacing.lease_messages import GrantLine, Grants, Report

_PLENTY = 10
"""Units a worker there must be for a standing lease: then those that stand idle do not matter."""
STEP_MS = 60_000
"""Commits of one minute are kept as one, as charges are by the minute of their serve."""


@dataclass(frozen=True, slots=True)
class Bound:
    """``young_micros``: the part of what is charged whose serves may still bring more events."""

    limit_micros: int
    charged_micros: int
    young_micros: int


@dataclass(frozen=True, slots=True)
class Figures:
    """
    What the ledger says of a campaign that may spend. ``day`` and ``day_start_ms``: today in its zone, where it has a
    budget a day; else empty and 0.
    """

    unit_micros: int
    total: Bound | None
    daily: Bound | None
    day: str = ""
    day_start_ms: int = 0


@dataclass(frozen=True, slots=True)
class Book:
    """What is kept of one worker: all that a grantor must not forget. ``leases``: by campaign."""

    heard_ms: int
    sequence: int
    leases: Mapping[str, Lease]


@dataclass(slots=True)
class Spender:
    """
    One worker, and its leases by campaign. ``applied``: it has the grants up to there. ``changed``: campaign to the
    grants that told it last.
    """

    heard_ms: int
    sequence: int = 0
    applied: int = 0
    during_ms: int = 1_000
    changed: dict[str, int] = field(default_factory=dict)
    leases: dict[str, Lease] = field(default_factory=dict)


class Grantor:
    """*settle_ms*: how long after a serve its events may come, and be charged."""

    def __init__(self, epoch: int, *, settle_ms: int, term_ms: int = TERM_MS) -> None:
        self.epoch = epoch
        self._settle_ms = settle_ms
        self._term_ms = term_ms
        self._number = 0
        self._spenders: dict[str, Spender] = {}
        self._leases: dict[str, dict[str, Lease]] = defaultdict(dict)
        """By campaign and worker."""
        self._wants: dict[str, dict[str, Want]] = {}
        self._commits: dict[str, dict[int, int]] = defaultdict(dict)
        """By campaign and minute: what was committed, as it was heard."""
        self._recalled: set[tuple[str, str]] = set()
        self._moved: set[str] = set()
        """Workers whose book changed since it was taken."""

    def restore(self, books: Mapping[str, Book], commits: Mapping[int, Mapping[str, int]]) -> None:
        """Takes over from the grantor before: its *books* by worker, its *commits* by minute and campaign."""
        self._number = 1
        for worker, book in books.items():
            told = {name: 1 for name, lease in book.leases.items() if lease.open_micros > 0}
            self._spenders[worker] = Spender(book.heard_ms, book.sequence, changed=told)
            for campaign_id, lease in book.leases.items():
                self._keep(campaign_id, worker, lease)
        for minute, campaigns in commits.items():
            for campaign_id, micros in campaigns.items():
                self._commits[campaign_id][minute] = micros

    def take_books(self) -> dict[str, Book]:
        """Of the workers whose book changed since the last time; to be kept before anybody is told of a grant."""
        moved, self._moved = self._moved, set()
        mine = {name: self._spenders[name] for name in moved if name in self._spenders}
        return {name: Book(one.heard_ms, one.sequence, one.leases) for name, one in mine.items()}

    def commits_of(self, minute: int) -> dict[str, int]:
        """By campaign."""
        return {name: of[minute] for name, of in self._commits.items() if minute in of}

    @property
    def asked(self) -> list[str]:
        """Campaigns that were asked for, or committed, since the last round."""
        return list(self._wants)

    @property
    def workers(self) -> list[str]:
        return list(self._spenders)

    def hear(self, worker: str, report: Report, now_ms: int) -> bool:
        """False: heard before. A worker that is not known any more holds nothing but what it says it committed."""
        spender = self._spenders.get(worker)
        if spender is None:
            spender = self._spenders[worker] = Spender(now_ms)
        elif report.sequence <= spender.sequence:
            return False
        spender.during_ms = max(1, now_ms - spender.heard_ms)
        spender.heard_ms, spender.sequence = now_ms, report.sequence
        self._moved.add(worker)
        spender.applied = report.number if report.epoch == self.epoch else 0
        for line in report.lines:
            lease = spender.leases.get(line.campaign_id) or self._keep(
                line.campaign_id, worker, Lease()
            )
            before = lease.committed_micros
            lease.learn(Lease(0, line.returned_micros, line.committed_micros))
            lease.granted_micros = max(
                lease.granted_micros, lease.returned_micros + lease.committed_micros
            )
            committed = lease.committed_micros - before
            if committed:
                self._note(line.campaign_id, committed, now_ms)
            if committed or line.asks:
                want = Want(lease.open_micros, committed, spender.during_ms, line.asks)
                self._wants.setdefault(line.campaign_id, {})[worker] = want
        return True

    def grant(self, figures: Mapping[str, Figures], now_ms: int) -> None:
        """
        Shares out what is free of the campaigns that were asked for; one that is not in *figures* may spend nothing.

        What nobody needs is called back where somebody else does.
        """
        self._forget(now_ms)
        self._number += 1
        wants, self._wants = self._wants, {}
        for campaign_id, asked in wants.items():
            found = figures.get(campaign_id)
            if found is None:
                self._recall(campaign_id, self._leases[campaign_id])
                continue
            free = self._free(campaign_id, found, now_ms)
            given = share_out(free, asked, unit_micros=found.unit_micros)
            for worker, micros in given.items():
                self._leases[campaign_id][worker].granted_micros += micros
                self._tell(campaign_id, worker)
            self._stand(campaign_id, found, free - sum(given.values()), now_ms)
            starved = {worker for worker, one in asked.items() if one.starved}
            if starved - given.keys():
                self._recall(campaign_id, self._leases[campaign_id].keys() - starved)

    def grants(self, worker: str, days: Mapping[str, str]) -> Grants:
        """What *worker* has not applied yet. *days*: campaign to its day, of those with a budget a day."""
        spender = self._spenders[worker]
        lines = []
        for campaign_id, number in list(spender.changed.items()):
            if number <= spender.applied:
                del spender.changed[campaign_id]
                self._recalled.discard((campaign_id, worker))
                continue
            lease = self._leases[campaign_id][worker]
            lines.append(
                GrantLine(
                    campaign_id,
                    lease.granted_micros,
                    lease.returned_micros,
                    lease.committed_micros,
                    days.get(campaign_id, ""),
                    (campaign_id, worker) in self._recalled,
                )
            )
        return Grants(self.epoch, self._number, spender.sequence, tuple(lines))

    def open_micros(self, campaign_id: str) -> int:
        """Of all leases."""
        leases = self._leases.get(campaign_id, {})
        return sum(max(0, lease.open_micros) for lease in leases.values())

    def committed_since(self, campaign_id: str, since_ms: int) -> int:
        """By minutes that were not over by then."""
        first = since_ms // STEP_MS
        commits = self._commits.get(campaign_id, {})
        return sum(micros for minute, micros in commits.items() if minute >= first)

    @property
    def active(self) -> set[str]:
        """Campaigns with an open lease, or something committed lately."""
        leased = {name for name in self._leases if self.open_micros(name) > 0}
        return leased | self._commits.keys()

    def outstanding_micros(self, campaign_id: str, figures: Figures | None, now_ms: int) -> int:
        """What may still be delivered if nothing is granted any more: open leases, and what is in flight."""
        bound = None if figures is None else figures.total or figures.daily
        young = 0 if bound is None else bound.young_micros
        committed = self.committed_since(campaign_id, now_ms - self._settle_ms)
        in_flight = in_flight_micros(committed_micros=committed, charged_micros=young)
        return self.open_micros(campaign_id) + in_flight

    def _free(self, campaign_id: str, figures: Figures, now_ms: int) -> int:
        opened = self.open_micros(campaign_id)
        young_since_ms = now_ms - self._settle_ms
        frees = []
        for bound, since_ms in (
            (figures.total, young_since_ms),
            (figures.daily, max(young_since_ms, figures.day_start_ms)),
        ):
            if bound is None:
                continue
            committed = self.committed_since(campaign_id, since_ms)
            in_flight = in_flight_micros(
                committed_micros=committed, charged_micros=bound.young_micros
            )
            frees.append(
                free_micros(
                    bound_micros=bound.limit_micros,
                    charged_micros=bound.charged_micros,
                    open_micros=opened,
                    in_flight_micros=in_flight,
                )
            )
        return min(frees, default=0)

    def _stand(self, campaign_id: str, figures: Figures, free: int, now_ms: int) -> None:
        """
        Where there is plenty, a unit to each worker that has none and did not ask: it will be asked soon, and need not
        wait then.
        """
        heard = [
            name for name, one in self._spenders.items() if now_ms - one.heard_ms < self._term_ms
        ]
        if free < _PLENTY * len(heard) * figures.unit_micros:
            return
        leases = self._leases[campaign_id]
        for worker in heard:
            if worker not in leases:
                self._keep(campaign_id, worker, Lease(figures.unit_micros))
                self._tell(campaign_id, worker)

    def _recall(self, campaign_id: str, workers: Iterable[str]) -> None:
        for worker in workers:
            if self._leases[campaign_id][worker].open_micros > 0:
                self._recalled.add((campaign_id, worker))
                self._tell(campaign_id, worker)

    def _keep(self, campaign_id: str, worker: str, lease: Lease) -> Lease:
        self._leases[campaign_id][worker] = self._spenders[worker].leases[campaign_id] = lease
        return lease

    def _tell(self, campaign_id: str, worker: str) -> None:
        spender = self._spenders.get(worker)
        if spender is not None:
            spender.changed[campaign_id] = self._number
            self._moved.add(worker)

    def _note(self, campaign_id: str, micros: int, now_ms: int) -> None:
        commits = self._commits[campaign_id]
        minute = now_ms // STEP_MS
        commits[minute] = commits.get(minute, 0) + micros

    def _forget(self, now_ms: int) -> None:
        """Workers whose last serve has settled, and commits that have."""
        before_ms = now_ms - self._term_ms - self._settle_ms
        gone = [name for name, one in self._spenders.items() if one.heard_ms < before_ms]
        for worker in gone:
            for campaign_id in self._spenders.pop(worker).leases:
                del self._leases[campaign_id][worker]
        settled = (now_ms - self._settle_ms) // STEP_MS
        for campaign_id, commits in list(self._commits.items()):
            for minute in [minute for minute in commits if minute < settled]:
                del commits[minute]
            if not commits:
                del self._commits[campaign_id]
