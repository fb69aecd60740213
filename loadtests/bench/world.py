"""One live property with campaigns, as the snapshot objects an edge would be sent."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from common.environment import Environment
from common.ids import new_id
from common.keys import KeyKind, new_key
from common.secrets import KeyRing, Purpose
from common.snapshot import digest
from common.snapshot.codec import canonical_json, encode_object
from common.snapshot.messages import Entry, Full
from common.snapshot.model import (
    TYPE_OF,
    Account,
    Ad,
    Campaign,
    Key,
    Property,
    RateLimits,
    SecretState,
    SigningSecret,
    Size,
    Slot,
    SnapshotObject,
)
from common.vocabulary import (
    AccountState,
    AdStatus,
    CampaignStatus,
    Format,
    PricingModel,
    Priority,
    PropertyStatus,
    SlotStatus,
)

_UNLIMITED = 10_000_000
_SECRET = b"bench secret, thirty-two bytes.."
_KID = 1


@dataclass(frozen=True, slots=True)
class World:
    objects: tuple[SnapshotObject, ...]
    key_text: str
    property: Property
    slots: tuple[Slot, ...]
    campaigns: tuple[Campaign, ...]
    ads: tuple[Ad, ...]
    secret: bytes
    kid: int

    def full(self, version: int) -> Full:
        entries = []
        total = digest.EMPTY
        for item in self.objects:
            body = encode_object(item)
            kind = TYPE_OF[type(item)]
            entries.append(Entry(kind, item.id, body))
            total = digest.moved(total, added=digest.object_hash(kind, item.id, body))
        return Full("bench", version, digest.to_text(total), tuple(entries))

    def with_campaigns(self, campaigns: Iterable[Campaign]) -> "World":
        """The same, with *campaigns* in place of those of the same ids."""
        by_id = {campaign.id: campaign for campaign in campaigns}
        objects = tuple(by_id.get(item.id, item) for item in self.objects)
        made = tuple(by_id.get(campaign.id, campaign) for campaign in self.campaigns)
        return replace(self, objects=objects, campaigns=made)


def make_world(keys: KeyRing, *, campaigns: int, slots: int = 8, ads: int = 1) -> World:
    """*campaigns* active CPM campaigns on every slot, bids of 100 … 199 cents, *ads* banners each."""
    account = Account(new_id(), AccountState.ACTIVE, stopped=False)
    place = _property(keys, account.id)
    made_slots = tuple(_slot(place.id, f"slot-{number}") for number in range(slots))
    text = new_key(KeyKind.PUBLISHABLE, Environment.LIVE)
    key = Key(
        new_id(),
        hashlib.sha256(text.text.encode()).hexdigest(),
        KeyKind.PUBLISHABLE,
        Environment.LIVE,
        place.id,
        account.id,
        None,
        None,
    )
    made = tuple(_campaign(account.id, place.id, 100 + number % 100) for number in range(campaigns))
    made_ads = tuple(_ad(campaign.id) for campaign in made for _ in range(ads))
    objects: Sequence[SnapshotObject] = (account, place, *made_slots, key, *made, *made_ads)
    return World(tuple(objects), text.text, place, made_slots, made, made_ads, _SECRET, _KID)


def _property(keys: KeyRing, account_id: str) -> Property:
    property_id = new_id()
    sealed = keys.seal(Purpose.SNAPSHOT, _SECRET, bound_to=property_id)
    return Property(
        id=property_id,
        account_id=account_id,
        kind="web",
        domain="bench.example",
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
        secrets=(SigningSecret(_KID, sealed, SecretState.SIGN),),
    )


def _slot(property_id: str, key: str) -> Slot:
    return Slot(
        id=new_id(),
        property_id=property_id,
        key=key,
        formats=(Format.BANNER,),
        sizes=(Size(300, 250),),
        floor_micros=0,
        refresh_seconds=None,
        house_ad_id=None,
        blocked_advertiser_domains=(),
        blocked_categories=(),
        status=SlotStatus.ACTIVE,
    )


def _campaign(account_id: str, property_id: str, bid_cents: int) -> Campaign:
    return Campaign(
        id=new_id(),
        account_id=account_id,
        property_ids=(property_id,),
        environment=Environment.LIVE,
        status=CampaignStatus.ACTIVE,
        priority=Priority.AUCTION,
        pricing_model=PricingModel.CPM,
        bid_micros=bid_cents * 10,
        start_at_ms=None,
        end_at_ms=None,
        timezone="UTC",
        requires=(),
        spent=False,
    )


def _ad(campaign_id: str) -> Ad:
    content = {
        "image_url": "https://advertiser.example/banner.png",
        "width": 300,
        "height": 250,
        "alt": "An advertisement",
    }
    return Ad(
        id=new_id(),
        campaign_id=campaign_id,
        environment=Environment.LIVE,
        name="Banner",
        format=Format.BANNER,
        width=300,
        height=250,
        content=canonical_json(content),
        categories=(),
        click_url="https://advertiser.example/landing",
        advertiser_domain="advertiser.example",
        impression_trackers=(),
        click_trackers=(),
        weight=1,
        slot_ids=(),
        status=AdStatus.ACTIVE,
        requires=(),
    )
