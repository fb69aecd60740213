"""Chance from one number: every draw of a decision follows from its seed, so a replay repeats it."""

import hashlib

_MASK = (1 << 64) - 1


def mixed(seed: int, salt: int) -> int:
    """64 uniform bits of *seed* and *salt*: the finaliser of SplitMix64 (Steele, Lea, Flood, 2014)."""
    z = (seed + (salt * 0x9E3779B97F4A7C15)) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def step_of(seed: int, salt: int) -> int:
    """
    0 to 1023, each as likely over all seeds, and by pairs independent for salts of `salt_of`: the top of Fibonacci's
    multiplicative hash (Knuth, TAOCP 3, 6.4). Half the cost of `mixed`, where many are drawn.
    """
    return ((seed ^ salt) * 0x9E3779B97F4A7C15 >> 54) & 0x3FF


def salt_of(name: str) -> int:
    """A number for an id, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
