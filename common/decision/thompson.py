"""
Thompson sampling: rank by one draw of what a candidate may be worth instead of by what it is expected to be worth, so
that what is little known is tried as often as it may be the best, and no more (Thompson, 1933; Chapelle and Li, 2011).

A rate's Beta posterior with mean m and strength s has the squared coefficient of variation (1 - m) / (m (s + 1)). It is
drawn as the Gamma of equal mean and variance by the cube of Wilson and Hilferty (1931): with c = 1 / (3 √shape) and a
standard normal z, mean · (1 - c² + c z)³, whose mean is exact to c⁶. z is one of 256 equally likely values, so a draw
costs one hash, and has a greatest value: the bound.
"""

from functools import lru_cache
from math import sqrt
from statistics import NormalDist

from common.decision.chance import byte_of, salt_of
from common.snapshot.model import Rate

_STEPS = 256
_Z = tuple(round(NormalDist().inv_cdf((step + 0.5) / _STEPS), 9) for step in range(_STEPS))
_GREATEST_Z = _Z[-1]
_LEAST_SHAPE = 0.25
"""Below a quarter of an expected event the cube is no Gamma any more; less known is drawn as if it were this much."""
_salt = lru_cache(maxsize=65_536)(salt_of)


def spread_of(*rates: Rate) -> float:
    """
    The c of the product of *rates*, independent of each other; 0 for none, which is certain.

    The product's 1 + CV² is the product of theirs; rounded, so that equals stay equal.
    """
    square = 1.0
    for rate in rates:
        mean = max(rate.ppm, 1) / 1_000_000
        square *= 1 + (1 - mean) / (mean * (rate.strength + 1))
    return round(sqrt(min(square - 1, 1 / _LEAST_SHAPE)) / 3, 6)


def bound_micros(ecpm_micros: int, spread: float) -> int:
    """The most that `drawn_micros` gives, whatever the seed."""
    root = 1 - spread * spread + spread * _GREATEST_Z
    return int(ecpm_micros * root * root * root)


def drawn_micros(ecpm_micros: int, spread: float, ad_id: str, seed: int) -> int:
    """What *ad_id* is taken to be worth in the decision of *seed* (64 uniform bits)."""
    root = 1 - spread * spread + spread * _Z[byte_of(seed, _salt(ad_id))]
    return int(ecpm_micros * root * root * root) if root > 0 else 0
