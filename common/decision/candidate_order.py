"""
In which turn the candidates that fit are asked: priority, then value, then chance by weight; the first that passes the
last gates wins.
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
"""Draws of Thompson's ranking in one decision; who comes after is taken at what it is expected to be worth."""
MAX_GROUPS = 20
"""Groups looked ahead into for one whose value lies above the best draw so far."""


def in_turn(groups: Iterable[TieGroup], question: DecisionInput) -> Iterator[Candidate]:
    """*groups*: as `common.decision.index.Matches.groups` has them for the ranking of ``question.gates``."""
    if question.gates.ranking is Ranking.THOMPSON:
        return _by_draw(groups, question.seed)
    return _by_value(groups, question.seed)


def _by_value(groups: Iterable[TieGroup], seed: int) -> Iterator[Candidate]:
    for group in groups:
        yield from group.in_turn(seed)


_Waiting = tuple[int, int, int, Iterator[Candidate]]
"""Rank, value below zero, order of arrival, and who has them."""


def _by_draw(groups: Iterable[TieGroup], seed: int) -> Iterator[Candidate]:
    """
    The order a draw for each would give, found without drawing for all: groups come by their bound, so whoever has a
    draw at or above the next group's bound is not overtaken. The two limits above keep the cost where much is unknown.
    """
    waiting: list[_Waiting] = []
    arrivals, draws = 0, MAX_DRAWS
    for group in groups:
        rank, least = group.rank, -group.bound_micros
        while waiting and (
            len(waiting) >= MAX_GROUPS or waiting[0][1] <= least or waiting[0][0] < rank
        ):
            yield from heappop(waiting)[3]
        turns = group.in_turn(seed)
        size, spread = len(group.candidates), group.spread
        drawn = min(draws, size) if spread else 0
        draws -= drawn
        for one in islice(turns, drawn) if size > 1 else group.candidates[:drawn]:
            value = drawn_micros(group.ecpm_micros, spread, one.ad.id, seed)
            heappush(waiting, (rank, -value, arrivals, iter((one,))))
            arrivals += 1
        if drawn < size:
            heappush(waiting, (rank, -group.ecpm_micros, arrivals, turns))
            arrivals += 1
    while waiting:
        yield from heappop(waiting)[3]
