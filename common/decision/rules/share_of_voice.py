"""
Shares of voice: which sponsor an opportunity belongs to, where sponsors bought a percentage of what they fit.

One point is drawn of each opportunity, and every sponsor with a share holds an interval of the line it falls on: so a
sponsor wins exactly its share, whatever the others bid, spend or are capped at. What falls beyond all intervals, or on
a sponsor whose ad a later gate drops, goes to sponsors without a share, else on to the next class.
"""

from collections.abc import Iterable, Sequence

from common.decision.rules.chance import salt_of, splitmix64
from common.snapshot.model import Campaign
from common.values.enums import Priority

WHOLE_PERCENT = 100
_SALT = salt_of("share of voice")


def has_share(campaign: Campaign) -> bool:
    """Only sponsorships have one; on any other class the percentage means nothing."""
    return campaign.share_of_voice_percent is not None and campaign.priority is Priority.SPONSORSHIP


def share_holder(sponsors: Iterable[Campaign], seed: int) -> str | None:
    """The campaign *seed* falls on, by id; None where nobody holds it. *sponsors*: those with a share that fit."""
    shares = sorted({(sponsor.id, sponsor.share_of_voice_percent or 0) for sponsor in sponsors})
    if not shares:
        return None
    return holder_at(shares, splitmix64(seed, _SALT) % line_of(shares))


def line_of(shares: Sequence[tuple[str, int]]) -> int:
    """Its length: 100, or the sum of the shares where they come to more, so that each is cut in proportion."""
    return max(WHOLE_PERCENT, sum(percent for _, percent in shares))


def holder_at(shares: Sequence[tuple[str, int]], point: int) -> str | None:
    """Whose interval *point* (0 up to `line_of`, which is not in it) lies in."""
    end = 0
    for name, percent in shares:
        end += percent
        if point < end:
            return name
    return None
