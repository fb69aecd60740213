"""The ledger's figures of one campaign's budgets, as granting leases needs them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from common.pacing.holds import HoldDays
from common.pacing.plan import Terms

HOLDS_MS = 600_000
"""
Maximum age of figures. Commits are kept for as much longer than they take to settle, so that charges missing in the
figures still count as in flight.
"""


@dataclass(frozen=True, slots=True)
class BudgetLimit:
    """
    ``young_micros``: the part of the charges whose serves may still bring more events.
    ``terms``: how the budget is spread; None where it may be spent at once.
    """

    limit_micros: int
    charged_micros: int
    young_micros: int
    terms: Terms | None = None


@dataclass(frozen=True, slots=True)
class BudgetFigures:
    """
    Figures of a campaign that may spend.

    ``day`` and ``day_start_ms``: today in its timezone, where it has a daily budget; else empty and 0.
    ``young_from_ms``: start of its limits' ``young_micros``; 0: the settling time ago.
    ``change_ms``: when its day ends, or else when its flight is about to begin; 0: neither.
    ``goal``: in micros that fills commit for its events; None without a goal, and where fills commit nothing to it.
    ``held_charges``: charges for mails that may still be opened; no limit's ``young_micros`` has them.
    """

    unit_micros: int
    total: BudgetLimit | None
    daily: BudgetLimit | None
    day: str = ""
    day_start_ms: int = 0
    young_from_ms: int = 0
    change_ms: int = 0
    goal: BudgetLimit | None = None
    held_charges: Mapping[HoldDays, int] = field(default_factory=dict)
