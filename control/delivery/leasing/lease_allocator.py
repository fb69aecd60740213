"""
Allocates budgets to workers: the state of the one process that grants, pure. Instants are in ms of its own clock.
What takes time for many campaigns runs in steps. The state is consistent again at the end of the steps only.

A granted lease counts against its budget until it is returned, or committed and settled. The lease of a silent worker
counts until its term has ended and the events of that term have arrived.
"""

from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

import structlog

from common.pacing.holds import HeldCommits, Hold, is_hold
from common.pacing.lease import (
    AHEAD_UNITS,
    TERM_MS,
    Lease,
    LeaseRequest,
    RemainingShare,
    desired_micros,
    fair_share,
    grantable_of_plan,
    lacks_share,
    open_in,
    share_out,
)
from common.pacing.lease_messages import GrantLine, Grants, Report, ReportLine
from common.service.cooperative import batches
from common.tracking.token import DAY_MS
from common.values.errors import UNFORESEEN
from control.delivery.leasing.budget_limits import HOLDS_MS, BudgetFigures
from control.delivery.leasing.in_flight import STEP_MS, InFlightCommits
from control.delivery.leasing.worker_state import AllocationRound, WorkerLeases, WorkerState
from control.delivery.pacing.pacing_controller import PacingController, planned_in
from control.delivery.pacing.usage import Usage

_GRANTED_AT_ONCE = 25
"""Campaigns between two steps of granting: half a millisecond."""
_NOBODY: Mapping[str, Lease] = {}
_log: structlog.stdlib.BoundLogger = structlog.get_logger("pace")


class LeaseAllocator:
    """*settle_ms*: how long after a serve its events may arrive and be charged."""

    def __init__(self, epoch: int, *, settle_ms: int, term_ms: int = TERM_MS) -> None:
        self.epoch = epoch
        self._settle_ms = settle_ms
        self._term_ms = term_ms
        self._number = 0
        self._states: dict[str, WorkerState] = {}
        self._leases: dict[str, dict[str, Lease]] = defaultdict(dict)
        """By campaign and worker."""
        self._requested: dict[str, dict[str, LeaseRequest]] = {}
        self.commits = InFlightCommits()
        self.holds = HeldCommits()
        self._usage = Usage(self.commits, self.holds, settle_ms=settle_ms)
        self._controller = PacingController()
        self._recalled: set[tuple[str, str]] = set()
        self._removed_workers: list[str] = []
        self._reported_ms = 0
        self._awake: list[str] = []
        """Workers that reported within the term, as of the start of the current grants."""
        self._joined: list[str] = []
        """Workers that are new since the last grants and hold no leases yet."""
        self._left: dict[str, RemainingShare] = {}
        """The free budget of each campaign that may spend, as of its last check."""
        self._days: dict[str, str] = {}
        """The day last sent with the leases of each campaign that has a daily budget."""

    def restore_steps(
        self,
        leases_by_worker: Mapping[str, WorkerLeases],
        commits: Mapping[int, Mapping[str, int]],
        holds: Iterable[Hold] = (),
    ) -> Generator[None, None, None]:
        """
        Takes over the state of the previous leader: its *leases_by_worker* by worker, its *commits* by minute and
        campaign, and its *holds*. A leader of an older release kept the names of holds among the campaigns.
        """
        yield from self.holds.restore_steps(holds)
        self._number = 1
        for worker, worker_leases in leases_by_worker.items():
            state = WorkerState(worker_leases.reported_ms, worker_leases.sequence)
            self._states[worker] = state
            for batch in batches(self.holds.take_from_leases(worker, worker_leases.leases)):
                for campaign_id, lease in batch:
                    self._keep(campaign_id, worker, lease)
                    if lease.available_micros > 0:
                        state.changed[campaign_id] = 1
                yield
        for minute, campaigns in commits.items():
            yield from self.commits.restore_steps(minute, campaigns)

    def take_round_steps(self) -> Generator[None, None, AllocationRound]:
        """Returns the changes since the last call; they must be stored before any grant is sent."""
        commits, holds = self.commits.take_new(), self.holds.take_grown()
        removed, self._removed_workers = self._removed_workers, []
        leases_by_worker = {}
        for name, one in self._states.items():
            if one.touched:
                leases_by_worker[name] = yield from one.take_changes_steps()
        minute = self._reported_ms // STEP_MS
        return AllocationRound(self._number, minute, commits, leases_by_worker, holds, removed)

    @property
    def worker_leases(self) -> dict[str, WorkerLeases]:
        """Returns all leases, by worker."""
        return {name: one.all_leases for name, one in self._states.items()}

    @property
    def requested_campaigns(self) -> list[str]:
        """Campaigns that were requested or committed since the last round."""
        return list(self._requested)

    @property
    def workers(self) -> list[str]:
        return list(self._states)

    def receive_report_steps(
        self, worker: str, report: Report, now_ms: int
    ) -> Generator[None, None, bool]:
        """
        Applies a report. Returns False where it was applied before. An unknown worker has no leases except for what it
        reports as committed.
        """
        state = self._states.get(worker)
        if state is None:
            state = self._states[worker] = WorkerState(now_ms)
            if report.has_ended:  # its commits are settled, unless mails hold them
                report = replace(report, lines=tuple(filter(is_hold, report.lines)))
            else:
                self._joined.append(worker)
        elif report.sequence <= state.sequence:
            return False
        state.receive_report(report, now_ms, self.epoch)
        self._reported_ms = now_ms
        new: dict[str, int] = {}
        for batch in batches(report.lines):
            for line in batch:
                if not self.holds.merge_line(worker, line, new):
                    self._receive_line(worker, state, line, new.pop(line.campaign_id, 0), now_ms)
            yield
        if report.has_ended:
            yield from self._reclaim(worker, state, now_ms)
        return True

    def _reclaim(self, worker: str, state: WorkerState, now_ms: int) -> Generator[None, None, None]:
        """Frees all that the dead *worker* did not commit. It gets no more grants, as if its term were over."""
        state.reported_ms = now_ms - self._term_ms
        state.changed.clear()
        for batch in batches(state.leases.items()):
            for campaign_id, lease in batch:
                if lease.available_micros > 0:
                    lease.release()
                    state.touched.add(campaign_id)
                self._requested.get(campaign_id, {}).pop(worker, None)
            yield

    def _receive_line(
        self, worker: str, state: WorkerState, line: ReportLine, held_micros: int, now_ms: int
    ) -> None:
        """*held_micros*: the part of its new commits that mails hold, which do not settle."""
        campaign_id = line.campaign_id
        lease = state.leases.get(campaign_id)
        if lease is None:
            lease = self._keep(campaign_id, worker, Lease())
        committed = lease.merge_report(line.returned_micros, line.committed_micros)
        state.touched.add(campaign_id)
        if committed > held_micros:
            self.commits.record(campaign_id, committed - held_micros, now_ms)
        is_request = line.is_request and not state.has_unapplied_first_lease(campaign_id, lease)
        if is_request or (committed and self._runs_low(campaign_id, lease, committed, state)):
            request = LeaseRequest(lease.available_micros, committed, state.during_ms, is_request)
            self._requested.setdefault(campaign_id, {})[worker] = request

    def _runs_low(
        self, campaign_id: str, lease: Lease, committed_micros: int, state: WorkerState
    ) -> bool:
        """
        Returns False where nothing would be added to *lease*: it still has half of the maximum granted ahead, and all
        that its worker would request. Most reports are like that, and cost only their counting. A pass rate controller
        needs every commit.
        """
        left = self._left.get(campaign_id)
        if left is None:
            return True
        available_micros = lease.available_micros
        return (
            lacks_share(available_micros, AHEAD_UNITS * left.unit_micros)
            or available_micros < desired_micros(committed_micros, state.during_ms)
            or self._controller.has_controller(campaign_id)
        )

    def grant_steps(
        self,
        figures: Mapping[str, BudgetFigures],
        now_ms: int,
        *,
        due: Collection[str] = (),
        unread: Collection[str] = (),
    ) -> Generator[None, None, None]:
        """
        Grants the free budget of the requested campaigns. A campaign that is missing in *figures* may spend nothing,
        and neither may one that cannot be paced.

        Idle leases are recalled where another worker needs them. New workers get their shares.
        *due*: campaigns of which every worker should hold its fair share, requested or not. *unread*: requested
        campaigns without figures; they wait for the next grants.
        """
        yield from self._forget(now_ms)
        self._number += 1
        awake_ms = now_ms - self._term_ms
        self._awake = [name for name, one in self._states.items() if one.reported_ms > awake_ms]
        requested = self._requested
        self._requested = {name: requested.pop(name) for name in unread if name in requested}
        for campaign_id in due:
            requested.setdefault(campaign_id, {})
        for batch in batches(requested.items(), _GRANTED_AT_ONCE):
            for campaign_id, requests in batch:
                try:
                    self._grant_one(campaign_id, figures.get(campaign_id), requests, now_ms)
                except UNFORESEEN:  # a fault of this campaign; the others are still granted
                    _log.exception("campaign_grant_failed", campaign=campaign_id)
                    self._end(campaign_id)
            yield
        yield from self._join()

    def _join(self) -> Generator[None, None, None]:
        """
        Gives new workers their fair share of every checked campaign. What was free at the last check is still free:
        commits since then had been granted, and plans free more with time.
        """
        joined, self._joined = self._joined, []
        for worker in joined:
            for batch in batches(self._left.items()):
                for campaign_id, left in batch:
                    if left.micros > 0 and worker not in self._leases.get(campaign_id, _NOBODY):
                        micros = left.take(len(self._awake))
                        self._keep(campaign_id, worker, Lease(micros))
                        self._answer(campaign_id, worker)
                yield

    def _end(self, campaign_id: str) -> None:
        self._controller.remove(campaign_id)
        self._days.pop(campaign_id, None)
        self._left.pop(campaign_id, None)
        self._recall(campaign_id, list(self._leases.get(campaign_id, _NOBODY)))

    def _grant_one(
        self,
        campaign_id: str,
        figures: BudgetFigures | None,
        requests: Mapping[str, LeaseRequest],
        now_ms: int,
    ) -> None:
        """*figures*: None for a campaign that may spend nothing now."""
        if figures is None:
            self._end(campaign_id)
            return
        opened = self.available_micros(campaign_id)
        used = self._usage.of(campaign_id, figures, opened, now_ms)
        free = min((limit.limit_micros - micros for _, limit, micros in used), default=0)
        planned = planned_in(used)
        if planned:
            of_plan = self._controller.free_micros(campaign_id, planned, opened, now_ms)
            unit_micros = figures.unit_micros
            free = min(free, grantable_of_plan(of_plan, len(self._awake), unit_micros=unit_micros))
            turned = self._controller.steer(campaign_id, planned, requests, opened, now_ms)
        else:
            turned = self._controller.remove(campaign_id)
        before = self._days.get(campaign_id, "")
        self._days[campaign_id] = figures.day
        if turned or figures.day != before:
            for worker in self._leases.get(campaign_id, _NOBODY):
                self._answer(campaign_id, worker)
        share = fair_share(free, len(self._awake), unit_micros=figures.unit_micros)
        given = share_out(free, requests, unit_micros=figures.unit_micros, share_micros=share)
        for worker, micros in given.items():
            self._add(campaign_id, worker, micros)
            if micros <= figures.unit_micros:
                self._states[worker].hold_unit(campaign_id, now_ms)
        starved = {worker for worker, one in requests.items() if one.starved}
        if starved - given.keys():
            workers = self._states.items()
            kept = {name for name, one in workers if one.held_until_ms.get(campaign_id, 0) > now_ms}
            self._recall(campaign_id, self._leases[campaign_id].keys() - starved - kept)
            self._left[campaign_id] = RemainingShare(0, figures.unit_micros)
        else:
            left = RemainingShare(free - sum(given.values()), figures.unit_micros)
            self._grant_ahead(campaign_id, left, fill_up=not requests)
            self._left[campaign_id] = left

    def grants_steps(self, worker: str, days: Mapping[str, str]) -> Generator[None, None, Grants]:
        """Returns the grants that *worker* has not applied yet. *days*: by campaign with a daily budget, its day."""
        state = self._states[worker]
        lines = []
        for batch in batches(list(state.changed.items())):
            for campaign_id, number in batch:
                if number <= state.applied:
                    del state.changed[campaign_id]
                    self._recalled.discard((campaign_id, worker))
                else:
                    lines.append(self._grant_line(campaign_id, worker, days.get(campaign_id, "")))
            yield
        return Grants(self.epoch, self._number, state.sequence, tuple(lines))

    def _grant_line(self, campaign_id: str, worker: str, day: str) -> GrantLine:
        lease = self._leases[campaign_id][worker]
        counts = lease.granted_micros, lease.returned_micros, lease.committed_micros
        recalled = (campaign_id, worker) in self._recalled
        pass_ppm = self._controller.pass_ppm(campaign_id)
        return GrantLine(campaign_id, *counts, day, recalled, pass_ppm)

    def available_micros(self, campaign_id: str) -> int:
        """Returns what is left in all leases."""
        return open_in(self._leases.get(campaign_id, _NOBODY).values())

    @property
    def active(self) -> Iterator[str]:
        """Yields campaigns leased to a known worker, or with commits that may still be charged."""
        yield from self._leases
        committed = chain(self.commits.campaigns, self.holds.campaigns)
        yield from (name for name in committed if name not in self._leases)

    @property
    def leased_count(self) -> int:
        """Campaigns leased to a known worker."""
        return len(self._leases)

    def outstanding_micros(
        self, campaign_id: str, figures: BudgetFigures | None, now_ms: int
    ) -> int:
        """Returns what may still be delivered without further grants: open leases, and what is in flight."""
        in_flight = self._usage.in_flight_micros(campaign_id, figures, now_ms)
        return in_flight + self.available_micros(campaign_id)

    def _grant_ahead(self, campaign_id: str, left: RemainingShare, *, fill_up: bool) -> None:
        """
        Grants a fair share to each worker without a lease. *fill_up*: also to workers that have used half of theirs.

        A worker whose lease was recalled gets nothing before that.
        """
        share_micros = left.share_micros(len(self._awake))
        for worker in self._awake:
            lease = self._leases.get(campaign_id, _NOBODY).get(worker)
            lacks = lease is None or (fill_up and lacks_share(lease.available_micros, share_micros))
            if not lacks:
                continue
            micros = min(share_micros, left.micros)
            if micros <= 0:
                return
            if lease is None:
                lease = self._keep(campaign_id, worker, Lease())
            micros -= max(0, lease.available_micros)
            if micros > 0:
                self._add(campaign_id, worker, micros)
                left.micros -= micros

    def _recall(self, campaign_id: str, workers: Iterable[str]) -> None:
        for worker in workers:
            if self._leases[campaign_id][worker].available_micros > 0:
                self._recalled.add((campaign_id, worker))
                self._answer(campaign_id, worker)

    def _add(self, campaign_id: str, worker: str, micros: int) -> None:
        """Adds to a lease, and cancels a recall that the worker has not confirmed."""
        self._leases[campaign_id][worker].granted_micros += micros
        self._recalled.discard((campaign_id, worker))
        self._answer(campaign_id, worker)

    def _keep(self, campaign_id: str, worker: str, lease: Lease) -> Lease:
        self._leases[campaign_id][worker] = self._states[worker].leases[campaign_id] = lease
        return lease

    def _answer(self, campaign_id: str, worker: str) -> None:
        state = self._states.get(worker)
        if state is not None:
            state.changed[campaign_id] = self._number
            state.touched.add(campaign_id)

    def _forget(self, now_ms: int) -> Generator[None, None, None]:
        """Removes workers whose last serve has settled, and settled commits."""
        before_ms = now_ms - self._term_ms - self._settle_ms
        for worker in [name for name, one in self._states.items() if one.reported_ms < before_ms]:
            self._removed_workers.append(worker)
            for batch in batches(self._states.pop(worker).leases):
                for campaign_id in batch:
                    leases = self._leases[campaign_id]
                    del leases[worker]
                    if not leases:
                        del self._leases[campaign_id]
                        self._controller.remove(campaign_id)
                yield
        settled_ms = now_ms - self._settle_ms - HOLDS_MS
        yield from self.commits.drop_before_steps(settled_ms)
        yield from self.holds.drop_before_steps(settled_ms // DAY_MS)
