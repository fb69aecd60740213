"""
Who may commit what of which budget: the memory of the one process that grants, pure. Instants are its own clock's, ms.

A lease that was granted counts against its budget until it was given back, or committed and settled; that of a worker
nobody hears of any more until its term has ended and the events of whatever it served in it have come.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from common.pacing.lease import TERM_MS, Lease, Want, in_flight_micros, share_out, used_micros
from common.pacing.lease_messages import GrantLine, Grants, Report, ReportLine
from control.pacing.commits import STEP_MS, Commits
from control.pacing.pacer import Pacer, Planned
from control.pacing.spenders import Book, Round, Spender
from control.pacing.spending import Bound, Figures

_NOBODY: Mapping[str, Lease] = {}
_STANDING = 2
_PLENTY = 10
"""Units a worker there must be for a standing lease: then those that stand idle do not matter."""


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
        self._commits = Commits()
        self._pacer = Pacer()
        self._recalled: set[tuple[str, str]] = set()
        self._heard: dict[str, int] = {}
        """By campaign: what was committed since a round was taken."""
        self._heard_ms = 0
        self._awake: list[str] = []
        """Workers that were heard within the term, as the grants under way began."""

    def restore(self, books: Mapping[str, Book], commits: Mapping[int, Mapping[str, int]]) -> None:
        """Takes over from the grantor before: its *books* by worker, its *commits* by minute and campaign."""
        self._number = 1
        for worker, book in books.items():
            told = {name: 1 for name, lease in book.leases.items() if lease.open_micros > 0}
            self._spenders[worker] = Spender(book.heard_ms, book.sequence, changed=told)
            for campaign_id, lease in book.leases.items():
                self._keep(campaign_id, worker, lease)
        for minute, campaigns in commits.items():
            self._commits.restore(minute, campaigns)

    def take_round(self) -> Round:
        """What changed since the last time; to be kept before anybody is told of a grant."""
        heard, self._heard = self._heard, {}
        books = {name: one.take_changes() for name, one in self._spenders.items() if one.touched}
        return Round(self._number, self._heard_ms // STEP_MS, heard, books)

    @property
    def books(self) -> dict[str, Book]:
        """Whole, by worker."""
        return {
            name: Book(one.heard_ms, one.sequence, one.leases)
            for name, one in self._spenders.items()
        }

    def minutes_from(self, minute: int) -> dict[int, Mapping[str, int]]:
        """Commits by campaign, of *minute* and those after it."""
        return self._commits.minutes_from(minute)

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
        spender.applied = report.number if report.epoch == self.epoch else 0
        self._heard_ms = now_ms
        spender.touched.add("")
        for line in report.lines:
            self._hear_line(worker, spender, line, now_ms)
        return True

    def _hear_line(self, worker: str, spender: Spender, line: ReportLine, now_ms: int) -> None:
        campaign_id = line.campaign_id
        lease = spender.leases.get(campaign_id)
        if lease is None:
            lease = self._keep(campaign_id, worker, Lease())
        committed = lease.hear(line.returned_micros, line.committed_micros)
        spender.touched.add(campaign_id)
        if committed:
            self._commits.note(campaign_id, committed, now_ms)
            self._heard[campaign_id] = self._heard.get(campaign_id, 0) + committed
        if committed or line.asks:
            want = Want(lease.open_micros, committed, spender.during_ms, line.asks)
            self._wants.setdefault(campaign_id, {})[worker] = want

    def grant(self, figures: Mapping[str, Figures], now_ms: int) -> None:
        """
        Shares out what is free of the campaigns that were asked for; one that is not in *figures* may spend nothing.

        What nobody needs is called back where somebody else does.
        """
        self._forget(now_ms)
        self._number += 1
        awake_ms = now_ms - self._term_ms
        self._awake = [name for name, one in self._spenders.items() if one.heard_ms > awake_ms]
        wants, self._wants = self._wants, {}
        for campaign_id, asked in wants.items():
            found = figures.get(campaign_id)
            if found is None:
                self._pacer.forget(campaign_id)
                self._recall(campaign_id, self._leases[campaign_id])
                continue
            self._grant_one(campaign_id, found, asked, now_ms)

    def _grant_one(
        self, campaign_id: str, figures: Figures, asked: Mapping[str, Want], now_ms: int
    ) -> None:
        leases = self._leases[campaign_id]
        opened = self.open_micros(campaign_id)
        used = self._used(campaign_id, figures, opened, now_ms)
        free = min((bound.limit_micros - micros for _, bound, micros in used), default=0)
        planned = [
            Planned(day, bound.terms, micros)
            for day, bound, micros in used
            if bound.terms is not None
        ]
        if planned:
            free = min(free, self._pacer.free_micros(campaign_id, planned, now_ms))
            turned = self._pacer.steer(campaign_id, planned, asked, opened, now_ms)
        else:
            turned = self._pacer.forget(campaign_id)
        if turned:
            for worker in leases:
                self._tell(campaign_id, worker)
        given = share_out(free, asked, unit_micros=figures.unit_micros)
        for worker, micros in given.items():
            leases[worker].granted_micros += micros
            self._tell(campaign_id, worker)
        self._stand(campaign_id, figures, free - sum(given.values()))
        starved = {worker for worker, one in asked.items() if one.starved}
        if starved - given.keys():
            self._recall(campaign_id, leases.keys() - starved)

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
                    self._pacer.pass_ppm(campaign_id),
                )
            )
        return Grants(self.epoch, self._number, spender.sequence, tuple(lines))

    def open_micros(self, campaign_id: str) -> int:
        """Of all leases."""
        found = 0
        for lease in self._leases.get(campaign_id, _NOBODY).values():
            micros = lease.granted_micros - lease.returned_micros - lease.committed_micros
            if micros > 0:
                found += micros
        return found

    @property
    def active(self) -> set[str]:
        """Campaigns that were leased to a worker that is not forgotten, or of which something was committed lately."""
        return self._leases.keys() | self._commits.campaigns

    def outstanding_micros(self, campaign_id: str, figures: Figures | None, now_ms: int) -> int:
        """What may still be delivered if nothing is granted any more: open leases, and what is in flight."""
        bound = None if figures is None else figures.total or figures.daily
        young = 0 if bound is None else bound.young_micros
        committed = self._commits.since(campaign_id, now_ms - self._settle_ms)
        in_flight = in_flight_micros(committed_micros=committed, charged_micros=young)
        return self.open_micros(campaign_id) + in_flight

    def _used(
        self, campaign_id: str, figures: Figures, opened: int, now_ms: int
    ) -> list[tuple[str, Bound, int]]:
        """Of each bound the day it is of, itself, and what of it may not be granted again."""
        since_ms = now_ms - self._settle_ms
        found = []
        if figures.total is not None:
            used = self._used_of(campaign_id, figures.total, opened, since_ms)
            found.append(("", figures.total, used))
        if figures.daily is not None:
            from_ms = max(since_ms, figures.day_start_ms)
            used = self._used_of(campaign_id, figures.daily, opened, from_ms)
            found.append((figures.day, figures.daily, used))
        return found

    def _used_of(self, campaign_id: str, bound: Bound, opened: int, from_ms: int) -> int:
        in_flight = in_flight_micros(
            committed_micros=self._commits.since(campaign_id, from_ms),
            charged_micros=bound.young_micros,
        )
        return used_micros(
            charged_micros=bound.charged_micros, open_micros=opened, in_flight_micros=in_flight
        )

    def _stand(self, campaign_id: str, figures: Figures, free: int) -> None:
        """
        Where there is plenty, two units to each worker that has none and did not ask: it will be asked soon, and need
        not wait then; the second is for who comes before it has told of the first.
        """
        if free < _PLENTY * len(self._awake) * figures.unit_micros:
            return
        leases = self._leases[campaign_id]
        for worker in self._awake:
            if worker not in leases:
                self._keep(campaign_id, worker, Lease(_STANDING * figures.unit_micros))
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
            spender.touched.add(campaign_id)

    def _forget(self, now_ms: int) -> None:
        """Workers whose last serve has settled, and commits that have."""
        before_ms = now_ms - self._term_ms - self._settle_ms
        gone = [name for name, one in self._spenders.items() if one.heard_ms < before_ms]
        for worker in gone:
            for campaign_id in self._spenders.pop(worker).leases:
                leases = self._leases[campaign_id]
                del leases[worker]
                if not leases:
                    del self._leases[campaign_id]
                    self._pacer.forget(campaign_id)
        self._commits.forget(now_ms - self._settle_ms)
