"""
Features that a campaign or ad may require, and those that this release supports.

The names are compiled into the snapshot as ``requires``. A name that is not in `SUPPORTED` keeps the campaign or ad
from serving, and `delivery_reason` names it. A change that implements a feature adds its name here.
"""

from common.decision.rules.ad_limits import VAST_WRAPPER
from common.decision.rules.kinds import TARGETING_KINDS

BUDGET = "budget"
GOAL = "goal"
SHARE_OF_VOICE = "share_of_voice"
FREQUENCY_CAP = "frequency_cap"
FLAT_RATE = "flat_rate"


def targeting(kind: str) -> str:
    """Returns the name of a targeting kind: ``targeting.geo``."""
    return f"targeting.{kind}"


SUPPORTED: frozenset[str] = frozenset(
    {BUDGET, GOAL, SHARE_OF_VOICE, FREQUENCY_CAP, FLAT_RATE, VAST_WRAPPER, targeting("slots")}
    | {targeting(kind.name) for kind in TARGETING_KINDS}
)


def unsupported(requires: tuple[str, ...], honoured: frozenset[str] = SUPPORTED) -> tuple[str, ...]:
    """Returns the names in *requires* that keep the campaign or ad from serving."""
    return tuple([name for name in requires if name not in honoured])
