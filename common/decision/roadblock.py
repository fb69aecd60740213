"""
Slots of one call that a sponsor takes together.

The first slot a sponsorship wins makes it the call's roadblock: in every slot after that it is asked before the other
sponsors, and may show its advertiser again. A share of voice sold in a slot holds there all the same.
"""

from collections.abc import Iterator
from itertools import chain

from common.decision.index import Candidate
from common.values.enums import Priority


def roadblock_first(candidates: Iterator[Candidate], campaign_id: str) -> Iterator[Candidate]:
    """*candidates* in turn, sponsors before all others; *campaign_id* goes first among sponsors without a share."""
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
    """Sorting keeps the turn of equals."""
    campaign = candidate.campaign
    return campaign.share_of_voice_percent is None, campaign.id != campaign_id
