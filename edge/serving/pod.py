"""
Fills an ad break with a pod: several ads of one slot that play one after the other.

Each ad is decided after the one before it was committed, so budgets and caps hold exactly. An advertiser appears once
in a pod, a category too where the slot separates them. For each position, ads that end with the break come first,
unless that would put one of a lower source (`Source`) before one of a higher.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, final

from common.decision.rules.ad_limits import (
    FULL_LENGTH_MS,
    AdLimits,
    PodSize,
    duration_ms,
    main_categories,
)
from common.decision.rules.gates import Lookup
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Fill
from common.values.enums import Source
from edge.context import EdgeContext
from edge.serving.render.issue_token import ServedAd
from edge.serving.serve_request import ServeRequest
from edge.serving.serve_response import DecidedServe, commit_fill, decide_request
from edge.serving.slots import CombinedCapCounts

_ORDER: Final = tuple(Source)
_NO_LIMITS: Final = AdLimits()


@final
class Pod:
    """
    ``ads``: in the order in which they play. ``last``: the decision that found no ad; None where the pod is full, or
    its slot's house ad would repeat an advertiser.
    """

    def __init__(self, ads: Sequence[ServedAd], last: DecidedServe | None) -> None:
        self.ads = ads
        self.last = last

    @property
    def duration_ms(self) -> int:
        return sum(ad.duration_ms or 0 for ad in self.ads)


def fill_pod(edge: EdgeContext, request: ServeRequest, counts: Lookup | None, size: PodSize) -> Pod:
    """
    Chooses and commits the ads of one break in the slot of *request*. Never waits.

    *counts*: the user's frequency counts. The limits of the request's opportunity hold for every ad, and the slot's
    ``audio`` for *size*. A pod without ads has changed nothing: its decision is still to be counted
    (`render_no_fill`).
    """
    opportunity = request.opportunity
    size = size.within(opportunity.slot.audio)
    if size.max_ads == 1 and size.max_duration_ms is None:
        return _fill_one(edge, request, counts)
    if counts is not None and counts is request.seen:
        counts = CombinedCapCounts(counts)
    left_ms = size.max_duration_ms
    ads: list[ServedAd] = []
    while len(ads) < size.max_ads:
        one = request.at(_at_position(opportunity, ads, left_ms))
        decided = _decide_position(edge, one, counts, left_ms)
        fill = decided.decision
        if not isinstance(fill, Fill):
            return Pod(ads, decided)
        if fill.ad.advertiser_domain in one.opportunity.shown_advertisers:
            return Pod(ads, None)  # a house ad: no gate separates it from other advertisers
        ads.append(ServedAd(fill, commit_fill(edge, one, decided, fill)))
        if isinstance(counts, CombinedCapCounts):
            counts.add(fill)
        if left_ms is not None:
            left_ms -= duration_ms(fill.ad) or 0
    return Pod(ads, None)


def _fill_one(edge: EdgeContext, request: ServeRequest, counts: Lookup | None) -> Pod:
    """A single ad of any length, as most players request it: a serve call's decision, without copies of the request."""
    decided = decide_request(edge, request, counts)
    fill = decided.decision
    if not isinstance(fill, Fill):
        return Pod((), decided)
    issued = commit_fill(edge, request, decided, fill)
    return Pod((ServedAd(fill, issued),), None)


def _at_position(
    opportunity: Opportunity, ads: Sequence[ServedAd], left_ms: int | None
) -> Opportunity:
    """The opportunity of the position after *ads*."""
    if not ads and left_ms is None:
        return opportunity
    shown = [ad.fill for ad in ads]
    separates = opportunity.slot.separate_categories
    return replace(
        opportunity,
        shown_advertisers=opportunity.shown_advertisers
        | {fill.ad.advertiser_domain for fill in shown if fill.ad.advertiser_domain is not None},
        limits=replace(
            opportunity.limits or _NO_LIMITS,
            max_duration_ms=left_ms,
            campaign_ids=frozenset([fill.campaign.id for fill in shown]),
            categories=frozenset().union(*[main_categories(fill.ad) for fill in shown])
            if separates
            else frozenset(),
        ),
    )


def _decide_position(
    edge: EdgeContext, request: ServeRequest, counts: Lookup | None, left_ms: int | None
) -> DecidedServe:
    decided = decide_request(edge, request, counts)
    fill = decided.decision
    if left_ms is None or not isinstance(fill, Fill) or _fills(fill, left_ms):
        return decided
    opportunity = request.opportunity
    limits = replace(opportunity.limits or _NO_LIMITS, fills_break=True)
    full = decide_request(edge, request.at(replace(opportunity, limits=limits)), counts)
    if not isinstance(full.decision, Fill):
        return decided
    is_lower = _ORDER.index(full.decision.source) > _ORDER.index(fill.source)
    return decided if is_lower else full


def _fills(fill: Fill, left_ms: int) -> bool:
    length_ms = duration_ms(fill.ad)
    return length_ms is not None and left_ms - length_ms <= FULL_LENGTH_MS
