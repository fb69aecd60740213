"""How old a snapshot may be: three bounds, and a name for each range of ages."""

from enum import StrEnum

DEGRADED_AFTER_S = 60.0


class AgeState(StrEnum):
    CURRENT = "current"
    DEGRADED = "degraded"
    """No message from the control plane for a minute; everything is served as before."""
    STALE = "stale"
    DEAD = "dead"
    """Too old for live traffic."""
    MISSING = "missing"
    """No snapshot was ever adopted: the edge is not ready."""


def classify_age(
    age_s: float | None, *, stale_after_s: float, snapshot_max_age_s: float
) -> AgeState:
    """*age_s* None: there is no snapshot."""
    if age_s is None:
        return AgeState.MISSING
    if age_s > snapshot_max_age_s:
        return AgeState.DEAD
    if age_s > stale_after_s:
        return AgeState.STALE
    return AgeState.DEGRADED if age_s > DEGRADED_AFTER_S else AgeState.CURRENT
