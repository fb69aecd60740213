"""
The lease protocol as a machine of many steps: whatever is lost, repeated, killed or begun anew, workers together never
commit more than the budget has.
"""

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from common.budget.local_day import local_day
from common.pacing.curve import UNIFORM
from common.pacing.holds import Hold, HoldDays, find_hold, is_hold
from common.pacing.lease import Lease
from common.pacing.lease_messages import (
    Grants,
    Report,
    ReportLine,
    encode_grants,
    encode_report,
    parse_grants,
    parse_report,
    run_to_end,
)
from common.pacing.plan import Terms
from common.pacing.worker_leases import LeasedBudgets
from common.snapshot.model import Budget, Campaign
from common.tracking.token import DAY_MS, last_day
from common.values.enums import Pacing
from control.delivery.leasing.budget_limits import HOLDS_MS, BudgetFigures, BudgetLimit
from control.delivery.leasing.in_flight import STEP_MS
from control.delivery.leasing.lease_allocator import LeaseAllocator
from control.delivery.leasing.worker_state import WorkerLeases
from tests.support.builders import NOW_MS, a_campaign, a_snapshot

PRICE = 1_000
SETTLE_MS = 660_000
TERM_MS = 10_000


@dataclass
class Fill:
    """``mail``: the days of its hold; events come until its last day is over."""

    at_ms: int
    mail: HoldDays | None = None
    charged: bool = False

    @property
    def settled_ms(self) -> int:
        if self.mail is None:
            return self.at_ms + SETTLE_MS
        return (self.mail.until_day + 1) * DAY_MS


class Loss(Enum):
    """What does not arrive; with the allocator, what it decided and did not keep."""

    NONE = 0
    REPORT = 1
    GRANTOR = 2
    GRANTS = 3


@dataclass
class Committed:
    """What outlives a worker, by campaign and hold."""

    counts: dict[str, memoryview] = field(default_factory=dict)
    sequence: int = 0

    def place(self, name: str) -> tuple[memoryview, int]:
        self.counts[name] = memoryview(bytearray(8)).cast("q")
        return self.counts[name], 0

    def lines(self) -> tuple[ReportLine, ...]:
        lines = [ReportLine(name, 0, one[0], is_request=False) for name, one in self.counts.items()]
        return tuple(sorted(lines, key=is_hold, reverse=True))

    def record_report(self, sequence: int, at_ms: int) -> None:
        del at_ms
        self.sequence = sequence


@dataclass
class Worker:
    name: str
    committed: Committed = field(default_factory=Committed)
    budgets: LeasedBudgets = field(init=False)
    sent_grants: list[Grants] = field(default_factory=list)
    """Whatever was ever sent to it: any of it may come again."""

    def __post_init__(self) -> None:
        self.budgets = LeasedBudgets(term_ms=TERM_MS, commits=self.committed)


class Protocol(RuleBasedStateMachine):
    """Clocks of workers and allocator run alike here; that they need not is in how terms are counted."""

    @initialize(
        units=st.integers(1, 12),
        workers=st.integers(1, 5),
        pacing=st.sampled_from(Pacing),
        flight_ms=st.integers(1, 5 * SETTLE_MS),
    )
    def begin(self, units: int, workers: int, pacing: Pacing, flight_ms: int) -> None:
        self.now_ms = NOW_MS
        self.limit = units * PRICE
        terms = Terms(self.limit, PRICE, pacing, NOW_MS, NOW_MS + flight_ms, UNIFORM)
        self.terms = None if pacing is Pacing.ASAP else terms
        self.campaign: Campaign = a_campaign(
            bid_cents=100, budget=Budget(total_micros=self.limit, daily_micros=None)
        )
        self.snapshot = a_snapshot(self.campaign)
        self.workers = [Worker(f"w{number}") for number in range(workers)]
        self.dead: list[Worker] = []
        self.fills: list[Fill] = []
        self.charged = 0
        self.kept: dict[str, WorkerLeases] = {}
        self.minutes: dict[int, dict[str, int]] = {}
        self.holds: dict[tuple[str, str, HoldDays], Hold] = {}
        self.epoch = 0
        self.is_due = False
        self.known = self._read()
        self._begin_allocator()

    @rule(which=st.integers(0, 4), rounds=st.integers(1, 6), life_days=st.integers(0, 2))
    def be_busy(self, which: int, rounds: int, life_days: int) -> None:
        """Whoever asks takes all there is, again and again, for mails that live *life_days*; 0: for pages."""
        worker = self._worker(which)
        for _ in range(rounds):
            self._serve(worker, life_days)
            self._exchange(worker, Loss.NONE)
        self._serve(worker, life_days)

    @rule()
    def check(self) -> None:
        """What is known of the campaign is read anew; else it is as old as it may be."""
        self.known = self._read()

    @rule()
    def fall_due(self) -> None:
        """Nobody asked for the campaign, and its time has come."""
        self.is_due = True

    @rule(which=st.integers(0, 4), loss=st.sampled_from(Loss))
    def exchange(self, which: int, loss: Loss) -> None:
        self._exchange(self._worker(which), loss)

    @rule(which=st.integers(0, 4), place=st.integers(0, 50))
    def report_again(self, which: int, place: int) -> None:
        worker = self._worker(which)
        if worker.sent_grants:
            worker.budgets.apply(worker.sent_grants[place % len(worker.sent_grants)])

    @rule(which=st.integers(0, 4))
    def kill(self, which: int) -> None:
        """Another takes its place, under another name."""
        worker = self._worker(which)
        self.dead.append(worker)
        self.workers[self.workers.index(worker)] = Worker(f"{worker.name}+")

    @rule(which=st.integers(0, 4), loss=st.sampled_from(Loss))
    def find_dead(self, which: int, loss: Loss) -> None:
        """Somebody reports the end of one that was killed, and may do so again, however late."""
        if not self.dead:
            return
        worker = self.dead[which % len(self.dead)]
        self._report(worker, self._end_of(worker), loss)

    @rule(which=st.integers(0, 4))
    def hand_back(self, which: int) -> None:
        self._worker(which).budgets.release_all()

    @rule()
    def another_allocator(self) -> None:
        self._begin_allocator()

    @rule(ms=st.sampled_from([1, 500, 5_000, TERM_MS, STEP_MS, SETTLE_MS, DAY_MS]))
    def wait(self, ms: int) -> None:
        """
        What is held is reported before its worker is forgotten, also by another worker of the machine: only a machine
        that is lost within a second of a commit, or cut off for eleven minutes, leaves holds unknown.
        """
        if ms >= STEP_MS:
            for worker in [
                one for one in self.workers if any(map(find_hold, one.committed.counts))
            ]:
                self._exchange(worker, Loss.NONE)
            for worker in [one for one in self.dead if any(map(find_hold, one.committed.counts))]:
                self._report(worker, self._end_of(worker), Loss.NONE)
        self.now_ms += ms
        self._settle()

    @rule(count=st.integers(1, 10))
    def charge(self, count: int) -> None:
        waiting = [fill for fill in self.fills if not fill.charged]
        for fill in waiting[:count]:
            fill.charged = True
            self.charged += PRICE

    @invariant()
    def nothing_is_committed_beyond_the_budget(self) -> None:
        under_way = sum(PRICE for fill in self.fills if not fill.charged)
        assert self.charged + under_way <= self.limit

    def _serve(self, worker: Worker, life_days: int) -> None:
        until_day = mail = None
        if life_days:
            until_day = last_day(self.now_ms, life_days * 86_400)
            mail = HoldDays(local_day("UTC", self.now_ms).name, until_day)
        worker.budgets.check_term(self.now_ms)
        lookup = worker.budgets.available_micros(self.snapshot, self.now_ms)
        while lookup.get(self.campaign.id, 0) >= PRICE:
            worker.budgets.commit(self.snapshot, self.campaign, PRICE, self.now_ms, until_day)
            self.fills.append(Fill(self.now_ms, mail))

    def _exchange(self, worker: Worker, loss: Loss) -> None:
        self._report(worker, worker.budgets.report(self.now_ms), loss)

    def _report(self, worker: Worker, sent: Report, loss: Loss) -> None:
        report = parse_report(encode_report(sent))
        if loss is Loss.REPORT or not run_to_end(
            self.allocator.receive_report_steps(worker.name, report, self.now_ms)
        ):
            return
        due = [self.campaign.id] if self.is_due else []
        self.is_due = False
        run_to_end(
            self.allocator.grant_steps({self.campaign.id: self._figures()}, self.now_ms, due=due)
        )
        if loss is Loss.GRANTOR:
            self._begin_allocator()
            return
        self._keep()
        grants = parse_grants(
            encode_grants(run_to_end(self.allocator.grants_steps(worker.name, {})))
        )
        worker.sent_grants.append(grants)
        if loss is not Loss.GRANTS and worker in self.workers:
            worker.budgets.apply(grants)

    def _end_of(self, worker: Worker) -> Report:
        lines = worker.committed.lines()
        return Report(worker.committed.sequence + 1, 0, 0, lines, has_ended=True)

    def _worker(self, which: int) -> Worker:
        return self.workers[which % len(self.workers)]

    def _figures(self) -> BudgetFigures:
        if self.now_ms - self.read_ms >= HOLDS_MS:
            self.known = self._read()
        return self.known

    def _read(self) -> BudgetFigures:
        self.read_ms = self.now_ms
        minute = (self.now_ms - SETTLE_MS) // STEP_MS
        charged = [fill for fill in self.fills if fill.charged]
        pages = [fill for fill in charged if fill.mail is None]
        young = sum(PRICE for fill in pages if fill.at_ms // STEP_MS >= minute)
        held = Counter[HoldDays]()
        for fill in charged:
            if fill.mail is not None:
                held[fill.mail] += PRICE
        bound = BudgetLimit(self.limit, self.charged, young, self.terms)
        return BudgetFigures(
            PRICE, bound, None, young_from_ms=minute * STEP_MS, held_charges=dict(held)
        )

    def _settle(self) -> None:
        """What is older brings no event any more; charges for mails are known until the holds' last day has settled."""
        kept_ms = self.now_ms - SETTLE_MS - HOLDS_MS
        self.fills = [
            fill
            for fill in self.fills
            if fill.settled_ms > (kept_ms if fill.charged and fill.mail else self.now_ms)
        ]

    def _keep(self) -> None:
        taken = run_to_end(self.allocator.take_round_steps())
        for name in taken.removed:
            self.kept.pop(name, None)
        for name, book in taken.workers.items():
            known = self.kept.get(name)
            leases = {} if known is None else dict(known.leases)
            for campaign, one in book.leases.items():
                leases[campaign] = Lease(
                    one.granted_micros, one.returned_micros, one.committed_micros
                )
            self.kept[name] = WorkerLeases(book.reported_ms, book.sequence, leases)
        for hold in taken.holds:
            self.holds[hold[:3]] = hold
        for campaign, micros in taken.commits.items():
            commits = self.minutes.setdefault(taken.minute, {})
            commits[campaign] = commits.get(campaign, 0) + micros

    def _begin_allocator(self) -> None:
        self.epoch += 1
        self.allocator = LeaseAllocator(self.epoch, settle_ms=SETTLE_MS, term_ms=TERM_MS)
        copies = {
            name: WorkerLeases(
                book.reported_ms,
                book.sequence,
                {
                    campaign: Lease(one.granted_micros, one.returned_micros, one.committed_micros)
                    for campaign, one in book.leases.items()
                },
            )
            for name, book in self.kept.items()
        }
        run_to_end(
            self.allocator.restore_steps(
                copies,
                {key: dict(value) for key, value in self.minutes.items()},
                self.holds.values(),
            )
        )


TestProtocol = Protocol.TestCase
TestProtocol.settings = settings(max_examples=100, stateful_step_count=50, deadline=None)


@pytest.mark.long
def test_the_model_holds_over_many_thousands_of_steps() -> None:
    run_state_machine_as_test(
        Protocol,
        settings=settings(max_examples=1000, stateful_step_count=50, deadline=None),
    )
