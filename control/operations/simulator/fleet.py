"""
The simulated machines: edge workers that decide and hold leases, the mailbox of reports and grants, the allocator.

All of them run production code: `decide`, `LeasedBudgets` and `LeaseAllocator`. Only the transport of their messages is
left out.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from common.decision.decide import decide
from common.decision.dynamic_gates import expected_micros
from common.decision.rules.eligibility import is_spent_by_event
from common.decision.rules.gates import Gates
from common.decision.rules.outcome import Fill
from common.pacing.lease_messages import Grants, Report, run_to_end
from common.pacing.worker_leases import LeasedBudgets
from common.snapshot.snapshot import Snapshot
from control.delivery.leasing.budget_limits import BudgetFigures
from control.delivery.leasing.in_flight import STEP_MS
from control.delivery.leasing.lease_allocator import LeaseAllocator
from control.delivery.leasing.worker_state import WorkerLeases
from control.operations.simulator.scenario import Fleet
from control.operations.simulator.traffic import Arrival


class Worker:
    """One boot of one edge worker."""

    __slots__ = ("budgets", "edge", "name")

    def __init__(self, edge: int, name: str) -> None:
        self.edge = edge
        self.name = name
        self.budgets = LeasedBudgets()

    def serve(self, snapshot: Snapshot, arrival: Arrival) -> Fill | None:
        """Serves as the edge does: reads the present gates, decides, and commits budget."""
        caller, now_ms = arrival.caller, arrival.at_ms
        budgets = self.budgets
        gates = Gates(
            available_micros=budgets.available_micros(snapshot, now_ms),
            pass_rates=budgets.pass_rates,
        )
        decision = decide(snapshot, caller, gates, now_ms, arrival.seed)
        if not isinstance(decision, Fill):
            return None
        campaign = decision.campaign
        if is_spent_by_event(campaign):
            micros = expected_micros(snapshot, caller.slot.id, campaign, decision.ad)
            budgets.commit(snapshot, campaign, micros, now_ms)
        return decision


@dataclass(slots=True)
class LeaseMailbox:
    """Holds reports and grants; empty after an outage of Redis."""

    reports: dict[str, Report] = field(default_factory=dict)
    grants: dict[str, Grants] = field(default_factory=dict)
    is_unavailable: bool = False

    def lose(self) -> None:
        self.is_unavailable = True
        self.reports.clear()
        self.grants.clear()


class EdgeFleet:
    """All workers of the fleet. *config*: the number of edges, and of workers on each."""

    def __init__(self, config: Fleet, settle_ms: int) -> None:
        self.mailbox = LeaseMailbox()
        self.allocator = LeaseAllocator(1, settle_ms=settle_ms)
        self.workers: list[Worker] = []
        self._settle_ms = settle_ms
        self._boots = 0
        for edge in range(1, config.edges + 1):
            self.boot(edge, config.workers)

    def boot(self, edge: int, workers: int) -> None:
        """Worker names belong to one boot and are never reused."""
        for _ in range(workers):
            self._boots += 1
            self.workers.append(Worker(edge, f"edge-{edge}/{self._boots}"))

    def kill(self, edge: int) -> int:
        """Kills all workers of *edge* at once; returns how many."""
        before = len(self.workers)
        self.workers = [one for one in self.workers if one.edge != edge]
        return before - len(self.workers)

    def replace_allocator(self, now_ms: int) -> None:
        """The new allocator gets what the old one stored, and nothing else."""
        old = self.allocator
        commits = old.commits.minutes_from((now_ms - self._settle_ms) // STEP_MS)
        self.allocator = LeaseAllocator(old.epoch + 1, settle_ms=self._settle_ms)
        run_to_end(
            self.allocator.restore_steps(
                {name: _copy(worker_leases) for name, worker_leases in old.worker_leases.items()},
                commits,
            )
        )

    def report(self, at_ms: int) -> None:
        """Sends each worker's report."""
        for worker in self.workers:
            report = worker.budgets.report(at_ms)
            if not self.mailbox.is_unavailable:
                self.mailbox.reports[worker.name] = report

    def take(self, at_ms: int) -> None:
        """Gives each worker its grants. Transport takes a second or less either way, which is not simulated."""
        for worker in self.workers:
            lying = self.mailbox.grants.pop(worker.name, None)
            if lying is not None:
                worker.budgets.apply(lying)
            worker.budgets.check_term(at_ms)

    def grant(
        self,
        figures_of: Callable[[list[str]], Mapping[str, BudgetFigures]],
        days: Mapping[str, str],
        now_ms: int,
    ) -> None:
        """
        Processes the waiting reports as `control pace` does.

        *figures_of*: returns figures of campaigns that may spend. *days*: the present day of those with a daily budget.
        """
        if self.mailbox.is_unavailable:
            return
        received = list(self._receive_reports(now_ms))
        if not received:
            return
        figures = figures_of(self.allocator.requested_campaigns)
        run_to_end(self.allocator.grant_steps(figures, now_ms))
        run_to_end(self.allocator.take_round_steps())
        for name in received:
            self.mailbox.grants[name] = run_to_end(self.allocator.grants_steps(name, days))

    def _receive_reports(self, now_ms: int) -> Iterator[str]:
        for name, report in self.mailbox.reports.items():
            if run_to_end(self.allocator.receive_report_steps(name, report, now_ms)):
                yield name
        self.mailbox.reports.clear()


def _copy(worker_leases: WorkerLeases) -> WorkerLeases:
    """As the database holds it: separate from the object that the allocator continues to update."""
    leases = {name: replace(lease) for name, lease in worker_leases.leases.items()}
    return WorkerLeases(worker_leases.reported_ms, worker_leases.sequence, leases)
