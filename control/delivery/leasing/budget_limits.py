"""What the ledger says of one campaign's budgets, as far as granting goes."""

from dataclasses import dataclass

from common.pacing.plan import Terms

HOLDS_MS = 600_000
"""
So old may figures be at all: commits are kept for as much longer than they take to settle, so that what figures lack
is still counted as in flight.
"""


@dataclass(frozen=True, slots=True)
class BudgetLimit:
    """
    ``young_micros``: the part of what is charged whose serves may still bring more events. ``terms``: how it is spread;
    None where it may go at once.
    """

    limit_micros: int
    charged_micros: int
    young_micros: int
    terms: Terms | None = None


@dataclass(frozen=True, slots=True)
class BudgetFigures:
    """
    What the ledger says of a campaign that may spend. ``day`` and ``day_start_ms``: today in its zone, where it has a
    budget a day; else empty and 0. ``young_from_ms``: where its bounds' ``young_micros`` begin; 0: the settling time
    ago. ``change_ms``: when its day ends, or else its flight is about to begin; 0: neither. ``goal``: where it is
    spread, in micros that its fills commit.
    """

    unit_micros: int
    total: BudgetLimit | None
    daily: BudgetLimit | None
    day: str = ""
    day_start_ms: int = 0
    young_from_ms: int = 0
    change_ms: int = 0
    goal: BudgetLimit | None = None
