"""Which campaigns a round of grants looks at, and what becomes of the leases of a worker that ended."""

import gc
import sys
from collections.abc import Generator
from types import FrameType
from typing import TypeVar

from common.pacing.lease import AHEAD_UNITS, TERM_MS, Lease
from common.pacing.lease_messages import (
    Report,
    ReportLine,
    encode_grants_steps,
    parse_grants,
    run_to_end,
)
from control.delivery.leasing.budget_limits import BudgetFigures, BudgetLimit
from control.delivery.leasing.lease_allocator import LeaseAllocator
from control.delivery.leasing.lease_journal import (
    AllocatorState,
    encode_round_steps,
    restore_round_steps,
)

UNIT, NOW_MS, SETTLE_MS = 1_000, 1_790_000_000_000, 660_000
Result = TypeVar("Result")
PLENTY = BudgetFigures(UNIT, BudgetLimit(10**9, 0, 0), None)


def report(allocator: LeaseAllocator, sequence: int, units: int) -> list[str]:
    """The campaigns that a round looks at after worker ``a`` committed *units* of campaign ``c``, in all."""
    line = ReportLine("c", 0, units * UNIT, is_request=False)
    run_to_end(
        allocator.receive_report_steps(
            "a", Report(sequence, 1, sequence, (line,)), NOW_MS + 1_000 * sequence
        )
    )
    requested = allocator.requested_campaigns
    run_to_end(allocator.grant_steps({"c": PLENTY}, NOW_MS + 1_000 * sequence))
    return requested


def test_a_campaign_is_checked_again_when_half_a_lease_is_spent_or_spending_accelerates() -> None:
    allocator = LeaseAllocator(1, settle_ms=SETTLE_MS)
    run_to_end(allocator.receive_report_steps("a", Report(1, 0, 0, ()), NOW_MS))
    run_to_end(allocator.grant_steps({"c": PLENTY}, NOW_MS, due=["c"]))
    half = AHEAD_UNITS // 2
    looked_at = [report(allocator, 2, 1), report(allocator, 3, 9), report(allocator, 4, half + 1)]
    assert looked_at == [[], ["c"], ["c"]]
    assert allocator.available_micros("c") >= AHEAD_UNITS * UNIT


def test_a_removed_worker_has_no_lease_in_a_new_allocator_either() -> None:
    """The budget's only unit went to another worker since. Where it reports again, its counts begin anew."""
    allocator, stored = LeaseAllocator(1, settle_ms=SETTLE_MS), AllocatorState()
    figures = {"c": BudgetFigures(UNIT, BudgetLimit(UNIT, 0, 0), None)}
    for number, worker in enumerate(("a", "b", "a")):
        now_ms = NOW_MS + number * (SETTLE_MS + TERM_MS + 1)
        request = Report(number + 1, 0, 0, (ReportLine("c", 0, 0, is_request=True),))
        run_to_end(allocator.receive_report_steps(worker, request, now_ms))
        run_to_end(allocator.grant_steps(figures, now_ms))
        body = run_to_end(encode_round_steps(run_to_end(allocator.take_round_steps())))
        run_to_end(restore_round_steps(stored, body, 0))
        assert stored.worker_leases == allocator.worker_leases
        assert stored.worker_leases[worker].leases == {"c": Lease(UNIT)}
    assert stored.worker_leases.keys() == {"a"}


def test_no_step_takes_longer_with_more_campaigns() -> None:
    """Steps are what the event loop of `control pace` waits for, so they are counted by the functions they call."""
    few, many = (longest_steps(campaigns) for campaigns in (1_000, 3_000))
    assert few == many
    assert max(many.values()) < 3_000


def longest_steps(campaigns: int) -> dict[str, int]:
    """Calls of the longest step of each part of a round, in which a worker joins and another leaves."""
    names = [f"c{number}" for number in range(campaigns)]
    allocator = LeaseAllocator(1, settle_ms=SETTLE_MS)
    figures = dict.fromkeys(names, PLENTY)
    lines = tuple(ReportLine(name, 0, 0, is_request=True) for name in names)
    late_ms = NOW_MS + 2_000_000
    found = {}
    found["report"], _ = longest_step(
        allocator.receive_report_steps("a", Report(1, 0, 0, lines), NOW_MS)
    )
    found["grant"], _ = longest_step(allocator.grant_steps(figures, NOW_MS, due=names))
    used = tuple(ReportLine(name, 0, UNIT, is_request=False) for name in names)
    run_to_end(allocator.receive_report_steps("a", Report(2, 1, 1, used), NOW_MS))
    run_to_end(allocator.receive_report_steps("b", Report(1, 0, 0, ()), NOW_MS))
    found["join"], _ = longest_step(allocator.grant_steps(figures, NOW_MS))
    found["grants"], grants = longest_step(allocator.grants_steps("b", {}))
    found["encoded grants"], raw = longest_step(encode_grants_steps(grants))
    assert len(parse_grants(raw).lines) == campaigns
    found["round"], taken = longest_step(allocator.take_round_steps())
    found["encoded round"], body = longest_step(encode_round_steps(taken))
    state = AllocatorState()
    found["read round"], _ = longest_step(restore_round_steps(state, body, 0))
    assert len(state.worker_leases["b"].leases) == campaigns
    found["restored"], _ = longest_step(
        LeaseAllocator(2, settle_ms=SETTLE_MS).restore_steps(state.worker_leases, state.minutes)
    )
    found["left"], _ = longest_step(allocator.grant_steps(figures, late_ms))
    assert not list(allocator.active)
    return found


def longest_step(steps: Generator[None, None, Result]) -> tuple[int, Result]:
    """Runs *steps* to their end; counts the calls of the longest one."""
    counts = [0]

    def count(_: FrameType, event: str, __: object) -> None:
        counts[-1] += event == "call"

    gc.collect()
    gc.disable()  # what other tests left would be finalized, by calls of its own
    sys.setprofile(count)
    try:
        while True:
            next(steps)
            counts.append(0)
    except StopIteration as end:
        return max(counts), end.value
    finally:
        sys.setprofile(None)
        gc.enable()
