"""What leases, frequency caps and pacing said at this moment, as one value: deciding itself asks nobody."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gates:
    """
    ``stale``: the snapshot is too old for live traffic; ``spool_full``: events could not be kept.

    Leases, cap counts and pass-through join here when they land; the campaigns that need them are kept out
    by `common.decision.support` until then.
    """

    stale: bool = False
    spool_full: bool = False


OPEN = Gates()
