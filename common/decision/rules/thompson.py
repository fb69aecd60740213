"""
Thompson sampling ranks a candidate by one draw of its possible value instead of its expected value. So little-known ads
are tried as often as they may be the best, and no more (Thompson, 1933; Chapelle and Li, 2011).

A rate's Beta posterior with mean m and strength s has the squared coefficient of variation CV² = (1 - m) / (m (s + 1)).
The draw uses the lognormal of equal mean and variance: with σ² = ln(1 + CV²) and a standard normal z, mean · exp(σ z -
σ² / 2) (Aitchison and Brown, The Lognormal Distribution, 1957, 2.3). For well-known rates the two are equal. For
little-known rates the lognormal has the longer tail. Rates of ads have such a tail, so an ad several times as good as
others is not given up because of a low bid. A product of lognormals is a lognormal, and its σ² is the sum. z is one of
1024 equally likely values, so a draw costs one hash, and has a greatest value: the bound.
"""

from functools import lru_cache
from math import exp, log1p, sqrt
from statistics import NormalDist

from common.decision.rules.chance import salt_of, step_of
from common.snapshot.model import Rate

_STEPS = 1024
_Z = tuple(round(NormalDist().inv_cdf((step + 0.5) / _STEPS), 9) for step in range(_STEPS))
_GREATEST_Z = _Z[-1]
_MAX_SPREAD = 1.2
"""Below a third of an event only the order of magnitude is known, so the spread is limited to this."""
_salt = lru_cache(maxsize=65_536)(salt_of)


def spread_of(*rates: Rate) -> float:
    """
    Returns the σ of the product of independent *rates*; 0 for no rates, which is certain. It is rounded so that equals
    stay equal.
    """
    square = 0.0
    for rate in rates:
        mean = max(rate.ppm, 1) / 1_000_000
        square += log1p((1 - mean) / (mean * (rate.strength + 1)))
    return round(min(sqrt(square), _MAX_SPREAD), 6)


def bound_micros(ecpm_micros: int, spread: float) -> int:
    """Returns the greatest result of `drawn_micros` over all seeds."""
    return int(ecpm_micros * exp(spread * (_GREATEST_Z - spread / 2)))


def drawn_micros(ecpm_micros: int, spread: float, ad_id: str, seed: int) -> int:
    """Returns the drawn value of *ad_id* in the decision of *seed* (64 uniform bits)."""
    return int(ecpm_micros * exp(spread * (_Z[step_of(seed, _salt(ad_id))] - spread / 2)))
