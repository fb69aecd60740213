"""What budgets, frequency caps and the edge itself say at this moment, as one value: deciding asks nobody."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

_NOTHING: Mapping[str, int] = MappingProxyType({})


BUDGET_UNKNOWN = -1
"""Of a budget: nobody has said yet what of it may be committed here. It was asked for, or there is nobody to ask."""
MAX_UNKNOWN_BUDGETS = 64
"""Budgets without an answer that one decision asks for; then it turns to those who need none."""


class Lookup(Protocol):
    """A number by name, as a mapping gives it; what stands behind it may work it out when it is asked."""

    def get(self, name: str, default: int, /) -> int: ...


class Ranking(StrEnum):
    GREEDY = "greedy"
    """By what candidates are expected to be worth."""
    THOMPSON = "thompson"
    """By a draw of what they may be worth (`common.decision.rules.thompson`)."""


@dataclass(slots=True, init=False)
class Gates:
    """
    Made anew for each request, so not frozen (which costs four times the making); nothing changes one.

    ``stale``: the snapshot is too old for live traffic; ``spool_full``: events could not be kept.

    ``available_micros``: campaign id to what may still be committed here and now, of campaigns with a budget, or
    `BUDGET_UNKNOWN`; one that is not in it has nothing. ``counts``: what this person saw by
    `common.decision.frequency.cap_key`, 0 where a key is missing; None where nobody can say. ``ranking``: how this
    edge ranks. ``pass_rates``: campaign id to how many of a million chances it takes, all where a name is missing.
    """

    stale: bool = False
    spool_full: bool = False
    available_micros: Lookup = field(default_factory=lambda: _NOTHING)
    counts: Lookup | None = None
    ranking: Ranking = Ranking.GREEDY
    pass_rates: Lookup = field(default_factory=lambda: _NOTHING)

    def __init__(  # noqa: PLR0917 - a value's fields, in their order
        self,
        stale: bool = False,  # noqa: FBT001, FBT002 - a value's fields, in their order
        spool_full: bool = False,  # noqa: FBT001, FBT002 - as above
        available_micros: Lookup = _NOTHING,
        counts: Lookup | None = None,
        ranking: Ranking = Ranking.GREEDY,
        pass_rates: Lookup = _NOTHING,
    ) -> None:
        self.stale = stale
        self.spool_full = spool_full
        self.available_micros = available_micros
        self.counts = counts
        self.ranking = ranking
        self.pass_rates = pass_rates


OPEN = Gates()
