"""Randomness from one number: every draw of a decision follows from its seed, so a replay repeats it."""

import hashlib

from common.decision.rules.splitmix64 import splitmix64

__all__ = ["salt_of", "splitmix64", "step_of"]


def step_of(seed: int, salt: int) -> int:
    """
    Returns 0 to 1023, each equally likely over all seeds, and pairwise independent for salts from `salt_of`. It is the
    top of Fibonacci's multiplicative hash (Knuth, TAOCP 3, 6.4). It costs half of `splitmix64`, which matters where
    many are drawn.
    """
    return ((seed ^ salt) * 0x9E3779B97F4A7C15 >> 54) & 0x3FF


def salt_of(name: str) -> int:
    """Returns a number for an id, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
