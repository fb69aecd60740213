"""
The lease protocol as a machine of many steps: whatever is lost, repeated, killed or begun anew, workers together never
commit more than the budget has.
"""

from collections import deque
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

from common.pacing.curve import UNIFORM
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
    at_ms: int
    charged: bool = False


class Loss(Enum):
    """What does not arrive; with the grantor, what it decided and did not keep."""

    NONE = 0
    REPORT = 1
    GRANTOR = 2
    GRANTS = 3


@dataclass
class Committed:
    """What outlives a worker."""

    counts: memoryview = field(default_factory=lambda: memoryview(bytearray(8)).cast("q"))
    sequence: int = 0

    def place(self, campaign_id: str) -> tuple[memoryview, int]:
        del campaign_id
        return self.counts, 0

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
    """Clocks of workers and grantor run alike here; that they need not is in how terms are counted."""

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
        self.fills: deque[Fill] = deque()
        self.charged = 0
        self.kept: dict[str, WorkerLeases] = {}
        self.minutes: dict[int, dict[str, int]] = {}
        self.epoch = 0
        self.is_due = False
        self.known = self._read()
        self._begin_grantor()

    @rule(which=st.integers(0, 4), rounds=st.integers(1, 6))
    def be_busy(self, which: int, rounds: int) -> None:
        """Whoever asks takes all there is, again and again."""
        worker = self._worker(which)
        for _ in range(rounds):
            self._serve(worker)
            self._exchange(worker, Loss.NONE)
        self._serve(worker)

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
        lines = (ReportLine(self.campaign.id, 0, worker.committed.counts[0], is_request=False),)
        end = Report(worker.committed.sequence + 1, 0, 0, lines, has_ended=True)
        self._report(worker, end, loss)

    @rule(which=st.integers(0, 4))
    def hand_back(self, which: int) -> None:
        self._worker(which).budgets.release_all()

    @rule()
    def another_grantor(self) -> None:
        self._begin_grantor()

    @rule(ms=st.sampled_from([1, 500, 5_000, TERM_MS, STEP_MS, SETTLE_MS]))
    def wait(self, ms: int) -> None:
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

    def _serve(self, worker: Worker) -> None:
        worker.budgets.check_term(self.now_ms)
        lookup = worker.budgets.available_micros(self.snapshot, self.now_ms)
        while lookup.get(self.campaign.id, 0) >= PRICE:
            worker.budgets.commit(self.snapshot, self.campaign, PRICE, self.now_ms)
            self.fills.append(Fill(self.now_ms))

    def _exchange(self, worker: Worker, loss: Loss) -> None:
        self._report(worker, worker.budgets.report(self.now_ms), loss)

    def _report(self, worker: Worker, sent: Report, loss: Loss) -> None:
        report = parse_report(encode_report(sent))
        if loss is Loss.REPORT or not run_to_end(
            self.grantor.receive_report_steps(worker.name, report, self.now_ms)
        ):
            return
        due = [self.campaign.id] if self.is_due else []
        self.is_due = False
        run_to_end(
            self.grantor.grant_steps({self.campaign.id: self._figures()}, self.now_ms, due=due)
        )
        if loss is Loss.GRANTOR:
            self._begin_grantor()
            return
        self._keep()
        grants = parse_grants(encode_grants(run_to_end(self.grantor.grants_steps(worker.name, {}))))
        worker.sent_grants.append(grants)
        if loss is not Loss.GRANTS and worker in self.workers:
            worker.budgets.apply(grants)

    def _worker(self, which: int) -> Worker:
        return self.workers[which % len(self.workers)]

    def _figures(self) -> BudgetFigures:
        if self.now_ms - self.read_ms >= HOLDS_MS:
            self.known = self._read()
        return self.known

    def _read(self) -> BudgetFigures:
        self.read_ms = self.now_ms
        minute = (self.now_ms - SETTLE_MS) // STEP_MS
        young = sum(
            PRICE for fill in self.fills if fill.charged and fill.at_ms // STEP_MS >= minute
        )
        bound = BudgetLimit(self.limit, self.charged, young, self.terms)
        return BudgetFigures(PRICE, bound, None, young_from_ms=minute * STEP_MS)

    def _settle(self) -> None:
        """What is older brings no event any more."""
        while self.fills and self.fills[0].at_ms <= self.now_ms - SETTLE_MS:
            self.fills.popleft()

    def _keep(self) -> None:
        taken = run_to_end(self.grantor.take_round_steps())
        for name, book in taken.workers.items():
            known = self.kept.get(name)
            leases = {} if known is None else dict(known.leases)
            for campaign, one in book.leases.items():
                leases[campaign] = Lease(
                    one.granted_micros, one.returned_micros, one.committed_micros
                )
            self.kept[name] = WorkerLeases(book.reported_ms, book.sequence, leases)
        for campaign, micros in taken.commits.items():
            commits = self.minutes.setdefault(taken.minute, {})
            commits[campaign] = commits.get(campaign, 0) + micros

    def _begin_grantor(self) -> None:
        self.epoch += 1
        self.grantor = LeaseAllocator(self.epoch, settle_ms=SETTLE_MS, term_ms=TERM_MS)
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
            self.grantor.restore_steps(
                copies, {key: dict(value) for key, value in self.minutes.items()}
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
