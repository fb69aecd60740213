"""
Shares of voice: which sponsor gets an opportunity, where sponsors bought a percentage of the opportunities that match.

Each opportunity draws one point on a line, and every sponsor with a share holds an interval of that line. So a sponsor
gets exactly its share, whatever the others bid, spend or are capped at. A point beyond all intervals goes to sponsors
without a share, else to the next class. So does a point whose sponsor is dropped by a later gate.
"""

from collections.abc import Iterable, Sequence

from common.decision.rules.chance import salt_of, splitmix64
from common.snapshot.model import Campaign
from common.values.enums import Priority

WHOLE_PERCENT = 100
_SALT = salt_of("share of voice")


def has_share(campaign: Campaign) -> bool:
    """Only sponsorships have a share; for any other class the percentage is ignored."""
    return campaign.share_of_voice_percent is not None and campaign.priority is Priority.SPONSORSHIP


def share_holder(sponsors: Iterable[Campaign], seed: int) -> str | None:
    """Returns the id of the campaign that *seed* selects, or None. *sponsors*: matching campaigns with a share."""
    shares = sorted({(sponsor.id, sponsor.share_of_voice_percent or 0) for sponsor in sponsors})
    if not shares:
        return None
    return holder_at(shares, splitmix64(seed, _SALT) % line_of(shares))


def line_of(shares: Sequence[tuple[str, int]]) -> int:
    """Returns the line's length: 100, or the sum of the shares if it is more, so that each is reduced in proportion."""
    return max(WHOLE_PERCENT, sum(percent for _, percent in shares))


def holder_at(shares: Sequence[tuple[str, int]], point: int) -> str | None:
    """Returns the name whose interval contains *point* (0 up to `line_of`, exclusive), or None."""
    end = 0
    for name, percent in shares:
        end += percent
        if point < end:
            return name
    return None
