"""
Candidates tied on priority and eCPM, and the weighted random order in which they are tried. Among the ads of one
campaign, the one that promises most of its objective comes first.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from common.decision.rules.chance import splitmix64
from common.decision.rules.ranking import pick
from common.decision.rules.thompson import bound_micros

if TYPE_CHECKING:
    from common.decision.rules.candidate import Candidate

_SIBLINGS = 0x5349424C
"""Salt of the draw between a campaign's own ads."""


class TieGroup:
    """
    One or more candidates of equal rank and eCPM (and of equal spread, for a ranking that uses it), ordered by ad id.

    The data for rotation is computed on first use and kept. Reuse the group where the same candidates match: then a
    draw costs the logarithm of the group's size.
    """

    __slots__ = ("_ends", "_unequal", "bound_micros", "candidates", "ecpm_micros", "rank", "spread")

    def __init__(self, candidates: Sequence["Candidate"]) -> None:
        first = candidates[0]
        self.candidates = tuple(candidates)
        self.rank = first.rank
        self.ecpm_micros = first.ecpm_micros
        self.spread = first.spread
        self.bound_micros = bound_micros(first.ecpm_micros, first.spread)
        """Upper bound of every draw of Thompson's ranking in this group."""
        self._ends: list[int] | None = None
        self._unequal: Mapping[str, tuple[Candidate, ...]] = {}

    def find_first(self, seed: int) -> "Candidate | None":
        """Returns the first of `iter_in_order`; None where finding it costs as much as that."""
        if len(self.candidates) == 1:
            return self.candidates[0]
        if self._ends is None or self._unequal:
            return None
        return self.candidates[bisect_right(self._ends, seed % self._ends[-1])]

    def iter_in_order(self, seed: int) -> Iterator["Candidate"]:
        """
        Yields all candidates in an order drawn from *seed*, by weight and without replacement. Among the candidates
        that pass the last gates, each wins in proportion to its weight.

        A campaign's ads count together: whichever is drawn, the one that promises most of the objective is used.
        """
        if len(self.candidates) == 1:
            return iter(self.candidates)
        if self._ends is None:
            self._ends = list(accumulate(c.ad.weight for c in self.candidates))
            self._unequal = _siblings_with_unequal_value(self.candidates)
        drawn = _weighted_shuffle(self.candidates, self._ends, seed)
        return _best_ad_of_campaign(drawn, self._unequal, seed) if self._unequal else drawn


def _weighted_shuffle(
    candidates: Sequence["Candidate"], ends: list[int], seed: int
) -> Iterator["Candidate"]:
    """
    *ends*: cumulative weights. The first draw is *seed* itself; later draws are hashed from it.

    A draw that hits a taken candidate is repeated, which keeps the odds of the others. Once the taken ones have more
    than half of the weight, the others are collected anew. So a draw needs at most two tries on average.
    """
    taken: set[int] = set()
    left = ends[-1]
    draw = 0
    while True:
        place = bisect_right(ends, (splitmix64(seed, draw) if draw else seed) % ends[-1])
        draw += 1
        if place in taken:
            continue
        yield candidates[place]
        taken.add(place)
        left -= candidates[place].ad.weight
        if not left:
            return
        if 2 * left < ends[-1]:
            candidates = [one for at, one in enumerate(candidates) if at not in taken]
            ends = list(accumulate(one.ad.weight for one in candidates))
            taken.clear()


def _siblings_with_unequal_value(
    candidates: Sequence["Candidate"],
) -> dict[str, tuple["Candidate", ...]]:
    """Returns candidates by campaign, for campaigns whose ads promise different amounts of the objective."""
    if len({candidate.objective_ppb for candidate in candidates}) == 1:
        return {}
    own: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        own.setdefault(candidate.campaign.id, []).append(candidate)
    return {
        name: tuple(ads)
        for name, ads in own.items()
        if len(ads) > 1 and len({ad.objective_ppb for ad in ads}) > 1
    }


def _best_ad_of_campaign(
    drawn: Iterator["Candidate"], unequal: Mapping[str, tuple["Candidate", ...]], seed: int
) -> Iterator["Candidate"]:
    waiting: dict[str, list[Candidate]] = {}
    for candidate in drawn:
        name = candidate.campaign.id
        if name not in unequal:
            yield candidate
            continue
        own = waiting.setdefault(name, list(unequal[name]))
        yield own.pop(_best_place(own, candidate, seed))


def _best_place(own: Sequence["Candidate"], drawn: "Candidate", seed: int) -> int:
    """
    Returns the position of the best in *own*;
    among equally good ones *drawn* if it is one of them, else one by weight.
    """
    most = max(one.objective_ppb for one in own)
    best = [place for place, one in enumerate(own) if one.objective_ppb == most]
    for place in best:
        if own[place] is drawn:
            return place
    return best[pick([own[place].ad.weight for place in best], splitmix64(seed, _SIBLINGS))]
