"""
How far rates of ads differ, estimated from the evidence of all of them: the method of moments for overdispersed counts.

Let y be events where E were expected, with a factor of mean 1 and variance t on each ad. Then Var(y) = E + t E², so t
is the sum of (y - E)² - y over the sum of E². Each ad is weighted down as its own spread grows (Clayton and Kaldor,
Empirical Bayes Estimates of Age-standardized Relative Risks, Biometrics 43, 1987; Marshall, 1991). Two ads of a
campaign share only the campaign's factor: its variance is their covariance. For a product of factors, 1 + t is the
product of their 1 + t. The usual spread weighs as much as a few ads, so that the few ads of a small market do not
decide the estimate alone.
"""

from collections.abc import Iterable, Sequence

from common.decision.leave_one_out import CLICKS, AdEvidence, gather_evidence
from common.decision.rules.hierarchical_rates import (
    USUAL_SPREADS,
    AdCounts,
    Hierarchy,
    VarianceEstimates,
)
from common.values.enums import Format

_WEIGHT = 2.0
"""Weight of the usual spread: that of eight ads with so many events that chance and spread are equal."""
_MAX_TIMES = 10.0
"""An estimate is at most the usual spread times this factor, and at least the usual spread divided by it."""


class MomentEstimator:
    """Sums over the ads of one format, added one campaign at a time."""

    def __init__(self) -> None:
        self._ads = _Sum(USUAL_SPREADS.campaigns + USUAL_SPREADS.ads)
        self._shared = _Sum(USUAL_SPREADS.campaigns)
        self._slots = _Sum(USUAL_SPREADS.slots)

    def add(self, evidence: Sequence[AdEvidence]) -> None:
        """Adds the evidence of one campaign's ads."""
        usual = USUAL_SPREADS.campaigns + USUAL_SPREADS.ads
        weights = [1 / (1 + one.expected * usual) for one in evidence]
        over = [
            w * (one.successes - one.expected) for w, one in zip(weights, evidence, strict=True)
        ]
        mass = [w * one.expected for w, one in zip(weights, evidence, strict=True)]
        all_over, all_mass = sum(over), sum(mass)
        for w, one, own_over, own_mass in zip(weights, evidence, over, mass, strict=True):
            self._ads.add(own_over**2 - w * w * one.successes, own_mass**2)
            self._shared.add(own_over * (all_over - own_over), own_mass * (all_mass - own_mass))
            self._add_slots(one)

    def spreads(self) -> VarianceEstimates:
        ads, shared = self._ads.variance(), self._shared.variance()
        own = (1 + ads) / (1 + shared) - 1
        return VarianceEstimates(
            shared, max(own, USUAL_SPREADS.ads / _MAX_TIMES), self._slots.variance()
        )

    def _add_slots(self, evidence: AdEvidence) -> None:
        """
        Adds the spread of one ad's slots around its mean over all of them. Each slot pulls that mean by its share of
        the events. Hence the residual is (1 - share) of Poisson's, and the spread is what the shares leave of it.
        """
        prior = 1 / (USUAL_SPREADS.campaigns + USUAL_SPREADS.ads)
        lift = (evidence.successes + prior) / (evidence.expected + prior)
        shares = [one.expected / (evidence.expected + prior) for one in evidence.slots]
        squares = sum([share * share for share in shares])
        for one, share in zip(evidence.slots, shares, strict=True):
            expected = one.expected * lift
            weight = 1 / (1 + expected * USUAL_SPREADS.slots) ** 2
            over = (one.successes - expected) ** 2 - one.successes * (1 - share)
            self._slots.add(weight * over, weight * expected**2 * (1 - 2 * share + squares))


def spreads_of(
    levels: Hierarchy, campaigns: Iterable[Sequence[AdCounts]]
) -> dict[Format, VarianceEstimates]:
    """Returns the spreads of click rates by format. *campaigns*: the ads of each, all counted in *levels*."""
    moments: dict[Format, MomentEstimator] = {}
    for ads in campaigns:
        for ad_format in {ad.format for ad in ads}:
            own = [
                gather_evidence(CLICKS, levels, ad, USUAL_SPREADS)
                for ad in ads
                if ad.format is ad_format
            ]
            moments.setdefault(ad_format, MomentEstimator()).add(own)
    return {ad_format: one.spreads() for ad_format, one in moments.items()}


class _Sum:
    """Estimates one variance; *usual*: the variance that it is before any evidence."""

    def __init__(self, usual: float) -> None:
        self._usual = usual
        self._mass = _WEIGHT / usual**2
        self._over = self._mass * usual

    def add(self, over: float, mass: float) -> None:
        self._over += over
        self._mass += mass

    def variance(self) -> float:
        found = self._over / self._mass
        return min(max(found, self._usual / _MAX_TIMES), self._usual * _MAX_TIMES)
