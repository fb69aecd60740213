"""The hash behind every draw of a decision."""

_MASK = (1 << 64) - 1


def splitmix64(seed: int, salt: int) -> int:
    """Returns 64 uniform bits from *seed* and *salt*: the finaliser of SplitMix64 (Steele, Lea, Flood, 2014)."""
    z = (seed + (salt * 0x9E3779B97F4A7C15)) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)
