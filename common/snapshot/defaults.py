"""
A plain property, slot, campaign and banner, for objects that are in no database: the demo slots, the simulator, benches
and tests. Callers set the fields that matter to them; the rest is open and unlimited.
"""

from dataclasses import replace
from typing import Any

from common.snapshot.codec import canonical_json
from common.snapshot.model import Ad, Campaign, Property, RateLimits, Slot
from common.values.enums import (
    AdStatus,
    CampaignStatus,
    Format,
    PricingModel,
    Priority,
    PropertyStatus,
    SlotStatus,
)
from common.values.environment import Environment

_UNLIMITED = 10_000_000
_WIDTH, _HEIGHT = 300, 250


def default_property(property_id: str, account_id: str, **changes: Any) -> Property:
    """A verified website in UTC and EUR, with no origin or rate limits and no signing secret."""
    plain = Property(
        id=property_id,
        account_id=account_id,
        kind="web",
        domain="plain.example",
        bundle_id=None,
        status=PropertyStatus.VERIFIED,
        timezone="UTC",
        currency="EUR",
        allowed_origins=(),
        excluded_ip_ranges=(),
        consent_policy="required",
        token_ttl_seconds=600,
        rate_limits=RateLimits(_UNLIMITED, _UNLIMITED, _UNLIMITED, _UNLIMITED),
        blocked_categories=(),
        blocked_ad_ids=(),
        secrets=(),
    )
    return replace(plain, **changes)


def default_slot(slot_id: str, property_id: str, key: str, **changes: Any) -> Slot:
    """A slot for banners of any size, without a floor."""
    plain = Slot(
        id=slot_id,
        property_id=property_id,
        key=key,
        formats=(Format.BANNER,),
        sizes=(),
        floor_micros=0,
        refresh_seconds=None,
        house_ad_id=None,
        blocked_advertiser_domains=(),
        blocked_categories=(),
        status=SlotStatus.ACTIVE,
    )
    return replace(plain, **changes)


def default_campaign(
    campaign_id: str, account_id: str, property_id: str, bid_micros: int, **changes: Any
) -> Campaign:
    """
    A campaign active in live, bidding *bid_micros* an impression in the auction, with no
    dates, budget or targeting.
    """
    plain = Campaign(
        id=campaign_id,
        account_id=account_id,
        property_ids=(property_id,),
        environment=Environment.LIVE,
        status=CampaignStatus.ACTIVE,
        priority=Priority.AUCTION,
        pricing_model=PricingModel.CPM,
        bid_micros=bid_micros,
        start_at_ms=None,
        end_at_ms=None,
        timezone="UTC",
        requires=(),
        spent=False,
    )
    return replace(plain, **changes)


def default_banner(ad_id: str, campaign: Campaign, **changes: Any) -> Ad:
    """An active banner of *campaign*, 300 by 250, that links to ``brand.example``."""
    content = {
        "image_url": "https://brand.example/a.png",
        "width": _WIDTH,
        "height": _HEIGHT,
        "alt": "",
    }
    plain = Ad(
        id=ad_id,
        campaign_id=campaign.id,
        environment=campaign.environment,
        name="Banner",
        format=Format.BANNER,
        width=_WIDTH,
        height=_HEIGHT,
        content=canonical_json(content),
        categories=(),
        click_url="https://brand.example/landing",
        advertiser_domain="brand.example",
        impression_trackers=(),
        click_trackers=(),
        weight=1,
        slot_ids=(),
        status=AdStatus.ACTIVE,
        requires=(),
    )
    return replace(plain, **changes)
