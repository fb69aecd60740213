"""A worker is granted the leases that a test sets."""

from common.pacing.lease_messages import GrantLine, Grants
from common.pacing.worker_leases import LeasedBudgets
from common.snapshot.model import Campaign


def grant_lease(
    budgets: LeasedBudgets,
    campaign: Campaign,
    micros: int,
    *,
    number: int = 1,
    day: str = "",
    recalled: bool = False,
    at_ms: int = 0,
) -> None:
    """*micros*: all that was ever granted. *at_ms*: when the report that this answers was sent."""
    report = budgets.report(at_ms)
    line = GrantLine(campaign.id, micros, 0, 0, day, recalled)
    budgets.apply(Grants(1, number, report.sequence, (line,)))
    budgets.check_term(at_ms)
