"""
Roadblocks: several slots of one call that one sponsor takes together.

The first slot that a sponsorship wins makes it the call's roadblock. In every later slot it is tried before the other
sponsors, and may show its advertiser again. A share of voice sold in a slot still takes precedence there.
"""

from collections.abc import Iterator
from itertools import chain

from common.decision.index import Candidate
from common.values.enums import Priority


def roadblock_first(candidates: Iterator[Candidate], campaign_id: str) -> Iterator[Candidate]:
    """Yields sponsors before all others; *campaign_id* comes first among sponsors without a share of voice."""
    sponsors: list[Candidate] = []
    rest: Iterator[Candidate] = candidates
    for candidate in candidates:
        if candidate.campaign.priority is not Priority.SPONSORSHIP:
            rest = chain((candidate,), candidates)
            break
        sponsors.append(candidate)
    sponsors.sort(key=lambda one: _place(one, campaign_id))
    yield from sponsors
    yield from rest


def _place(candidate: Candidate, campaign_id: str) -> tuple[bool, bool]:
    """Sort key; sorting keeps the order of equals."""
    campaign = candidate.campaign
    return campaign.share_of_voice_percent is None, campaign.id != campaign_id
