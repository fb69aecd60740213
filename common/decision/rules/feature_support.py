"""
What a campaign or ad may ask for, and what of it this release can honour.

Compiled into the snapshot as ``requires``; whatever is not in `SUPPORTED` keeps the campaign or ad from serving, and
`delivery_reason` says so. A feature that lands adds its name here, in the change that makes it work.
"""

BUDGET = "budget"
GOAL = "goal"
SHARE_OF_VOICE = "share_of_voice"
FREQUENCY_CAP = "frequency_cap"
FLAT_RATE = "flat_rate"
TARGETING_KINDS = (
    "geo",
    "device",
    "languages",
    "dayparts",
    "slots",
    "keywords",
    "key_values",
    "segments",
)


def targeting(kind: str) -> str:
    """The name of a targeting kind: ``targeting.geo``."""
    return f"targeting.{kind}"


SUPPORTED: frozenset[str] = frozenset(
    {BUDGET, GOAL, SHARE_OF_VOICE, FREQUENCY_CAP, FLAT_RATE, *map(targeting, TARGETING_KINDS)}
)


def unsupported(requires: tuple[str, ...], honoured: frozenset[str] = SUPPORTED) -> tuple[str, ...]:
    """What of *requires* keeps its owner from serving."""
    return tuple([name for name in requires if name not in honoured])
