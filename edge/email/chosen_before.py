"""Ads that a mail has from before, and what follows for its other slots."""

from typing import final

from common.decision.demo_slots import decide_demo, is_demo_slot
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill
from common.decision.rules.ranking import SOURCE_OF
from common.snapshot.snapshot import Snapshot
from common.values.enums import Source
from edge.serving.render.issue_token import UNBILLED_SOURCES


def chosen_before(snapshot: Snapshot, opportunity: Opportunity, ad_id: str) -> Fill | None:
    """The fill of an ad that was chosen for the slot earlier; None where the ad is gone."""
    ad = snapshot.ads.get(ad_id)
    if ad is None:
        if not is_demo_slot(opportunity.property, opportunity.slot):
            return None
        demo = decide_demo(opportunity)
        return demo if isinstance(demo, Fill) and demo.ad.id == ad_id else None
    campaign = snapshot.campaigns.get(ad.campaign_id)
    if campaign is None:
        return None
    source = SOURCE_OF[campaign.priority]
    if opportunity.slot.house_ad_id == ad_id:
        source = Source.HOUSE
    price_micros = 0 if source in UNBILLED_SOURCES else campaign.bid_micros
    return Fill(campaign, ad, source, price_micros)


@final
class ShownInMail:
    """
    What the slots of one mail show so far. No advertiser appears twice, except a sponsor and a slot's own house ad, as
    in a serve call with several slots.
    """

    def __init__(
        self, advertisers: frozenset[str] = frozenset(), roadblock_id: str | None = None
    ) -> None:
        self._advertisers = advertisers
        self._roadblock_id = roadblock_id

    def copy(self) -> "ShownInMail":
        return ShownInMail(self._advertisers, self._roadblock_id)

    def add(self, decision: Decision | None) -> None:
        if not isinstance(decision, Fill):
            return
        if decision.ad.advertiser_domain is not None:
            self._advertisers |= {decision.ad.advertiser_domain}
        if self._roadblock_id is None and decision.source is Source.SPONSORSHIP:
            self._roadblock_id = decision.campaign.id

    def next_opportunity(self, opportunity: Opportunity) -> Opportunity:
        """Returns *opportunity* without the ads that would repeat an advertiser."""
        if not self._advertisers:
            return opportunity
        return opportunity.in_slot(
            opportunity.slot,
            shown_advertisers=self._advertisers,
            roadblock_id=self._roadblock_id,
        )
