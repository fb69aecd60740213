"""Current state of budgets, frequency caps and the edge itself, as one value: a decision makes no outside call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

_NOTHING: Mapping[str, int] = MappingProxyType({})


BUDGET_UNKNOWN = -1
"""Marks a budget whose available amount is not known yet. It was requested, or nothing can grant it."""
MAX_UNKNOWN_BUDGETS = 64
"""Unknown budgets that one decision may request. After that it considers only campaigns without budgets."""


class Lookup(Protocol):
    """Maps a name to a number, like a mapping. An implementation may compute the number on demand."""

    def get(self, name: str, default: int, /) -> int: ...


class Ranking(StrEnum):
    GREEDY = "greedy"
    """Ranks candidates by their expected value."""
    THOMPSON = "thompson"
    """Ranks candidates by a draw of their possible value (`common.decision.rules.thompson`)."""


@dataclass(slots=True, init=False)
class Gates:
    """
    Created for each request, so not frozen (which costs four times as much to create); no code mutates it.

    ``stale``: the snapshot is too old for live traffic; ``spool_full``: the spool cannot store events.

    ``available_micros``: campaign id to the amount that may still be committed now, for campaigns with a budget, or
    `BUDGET_UNKNOWN`; a missing campaign has nothing. ``counts``: what this person saw, by
    `common.decision.frequency.cap_key`, 0 where a key is missing; None where it is unknown. ``ranking``: how this edge
    ranks. ``pass_rates``: campaign id to its pass rate in millionths; a missing campaign always passes.
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
