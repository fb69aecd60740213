"""
The order in which matching candidates are tried: priority, then value, then chance by weight. The first candidate that
passes the last gates wins.
"""

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import islice

from common.decision.decision_input import DecisionInput
from common.decision.index import Candidate
from common.decision.rules.gates import Ranking
from common.decision.rules.thompson import drawn_micros
from common.decision.rules.tie_group import TieGroup

MAX_DRAWS = 12
"""Draws of Thompson's ranking in one decision. Later candidates are ranked by their expected value."""
MAX_GROUPS = 20
"""Groups that are read ahead to find one whose value lies above the best draw so far."""


def iter_in_order(groups: Iterable[TieGroup], decision_input: DecisionInput) -> Iterator[Candidate]:
    """
    Returns the candidates in order. *groups*: from `common.decision.index.Matches.groups` for
    ``decision_input.gates.ranking``.
    """
    if decision_input.gates.ranking is Ranking.THOMPSON:
        return _by_draw(groups, decision_input.seed)
    return _by_value(groups, decision_input.seed)


def _by_value(groups: Iterable[TieGroup], seed: int) -> Iterator[Candidate]:
    for group in groups:
        yield from group.iter_in_order(seed)


_Waiting = tuple[int, int, int, Iterator[Candidate]]
"""Rank, negated value, order of arrival, and an iterator over the candidates."""


def _by_draw(groups: Iterable[TieGroup], seed: int) -> Iterator[Candidate]:
    """
    Yields the order that a draw for every candidate would give, without drawing for all. Groups arrive by their bound,
    so a candidate with a draw at or above the next group's bound cannot be overtaken. `MAX_DRAWS` and `MAX_GROUPS`
    limit the cost where much is unknown.
    """
    waiting: list[_Waiting] = []
    arrivals, draws = 0, MAX_DRAWS
    for group in groups:
        rank, least = group.rank, -group.bound_micros
        while waiting and (
            len(waiting) >= MAX_GROUPS or waiting[0][1] <= least or waiting[0][0] < rank
        ):
            yield from heappop(waiting)[3]
        orders = group.iter_in_order(seed)
        size, spread = len(group.candidates), group.spread
        drawn = min(draws, size) if spread else 0
        draws -= drawn
        for one in islice(orders, drawn) if size > 1 else group.candidates[:drawn]:
            value = drawn_micros(group.ecpm_micros, spread, one.ad.id, seed)
            heappush(waiting, (rank, -value, arrivals, iter((one,))))
            arrivals += 1
        if drawn < size:
            heappush(waiting, (rank, -group.ecpm_micros, arrivals, orders))
            arrivals += 1
    while waiting:
        yield from heappop(waiting)[3]
