"""Which campaigns a round of grants looks at, and what becomes of the leases of a worker that ended."""

from common.pacing.lease import AHEAD_UNITS
from common.pacing.lease_messages import Report, ReportLine
from control.delivery.leasing.budget_limits import BudgetFigures, BudgetLimit
from control.delivery.leasing.lease_allocator import LeaseAllocator

UNIT, NOW_MS, SETTLE_MS = 1_000, 1_790_000_000_000, 660_000
PLENTY = BudgetFigures(UNIT, BudgetLimit(10**9, 0, 0), None)


def report(grantor: LeaseAllocator, sequence: int, units: int) -> list[str]:
    """The campaigns that a round looks at after worker ``a`` committed *units* of campaign ``c``, in all."""
    line = ReportLine("c", 0, units * UNIT, is_request=False)
    grantor.receive_report("a", Report(sequence, 1, sequence, (line,)), NOW_MS + 1_000 * sequence)
    requested = grantor.requested_campaigns
    grantor.grant({"c": PLENTY}, NOW_MS + 1_000 * sequence)
    return requested


def test_a_campaign_is_checked_again_when_half_a_lease_is_spent_or_spending_accelerates() -> None:
    grantor = LeaseAllocator(1, settle_ms=SETTLE_MS)
    grantor.receive_report("a", Report(1, 0, 0, ()), NOW_MS)
    grantor.grant({"c": PLENTY}, NOW_MS, due=["c"])
    half = AHEAD_UNITS // 2
    looked_at = [report(grantor, 2, 1), report(grantor, 3, 9), report(grantor, 4, half + 1)]
    assert looked_at == [[], ["c"], ["c"]]
    assert grantor.available_micros("c") >= AHEAD_UNITS * UNIT
