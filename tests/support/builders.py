"""
Snapshot objects with good defaults: name only what the test is about.

One shared account and property stand behind every builder, so that objects made apart fit together.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from common.decision.rules.opportunity import Opportunity
from common.service.secrets import KeyRing, Purpose
from common.snapshot.codec import canonical_json, encode_object
from common.snapshot.defaults import (
    default_banner,
    default_campaign,
    default_property,
    default_slot,
)
from common.snapshot.messages import ObjectChange
from common.snapshot.model import (
    TYPE_OF,
    Account,
    Ad,
    Campaign,
    Key,
    Property,
    SecretState,
    SigningSecret,
    Size,
    Slot,
    SnapshotObject,
)
from common.snapshot.snapshot import Snapshot, apply_entries, build_snapshot
from common.values.enums import AccountState, Format, PricingModel, Surface
from common.values.environment import Environment
from common.values.ids import new_id
from common.values.keys import KeyKind, KeyText, new_key

NOW_MS = 1_800_000_000_000
ACCOUNT_ID = "01900000-0000-7000-8000-000000000001"
PROPERTY_ID = "01900000-0000-7000-8000-000000000002"
SIGNING_SECRET = b"a signing secret of 32 bytes...."
KEY_RING = KeyRing("k1", {"k1": bytes(range(32))})


def an_account(**changes: Any) -> Account:
    return replace(Account(ACCOUNT_ID, AccountState.ACTIVE, stopped=False), **changes)


def a_property(**changes: Any) -> Property:
    """Verified, of a shop at ``shop.example``, without rate limits; `KEY_RING` opens its signing secret."""
    property_id = changes.get("id", PROPERTY_ID)
    sealed = KEY_RING.seal(Purpose.SNAPSHOT, SIGNING_SECRET, bound_to=property_id)
    plain = default_property(
        property_id,
        ACCOUNT_ID,
        domain="shop.example",
        secrets=(SigningSecret(1, sealed, SecretState.SIGN),),
    )
    return replace(plain, **changes)


def a_slot(**changes: Any) -> Slot:
    """Takes every built format in any size, without a floor; its key is ``top``."""
    formats = (Format.BANNER, Format.HTML, Format.NATIVE)
    return replace(default_slot(new_id(), PROPERTY_ID, "top", formats=formats), **changes)


def a_campaign(*, bid_cents: int = 100, **changes: Any) -> Campaign:
    """Active, CPM, of auction priority, without dates, on the shared property, in live."""
    model = changes.get("pricing_model", PricingModel.CPM)
    bid_micros = bid_cents * 10 if model is PricingModel.CPM else bid_cents * 10_000
    plain = default_campaign(new_id(), ACCOUNT_ID, PROPERTY_ID, bid_micros, pricing_model=model)
    return replace(plain, **changes)


def an_ad(campaign: Campaign, **changes: Any) -> Ad:
    """An active 300×250 banner of *campaign*, pointing to ``brand.example``."""
    content = {
        "image_url": "https://brand.example/a.png",
        "width": 300,
        "height": 250,
        "alt": "Shoes",
    }
    plain = default_banner(new_id(), campaign, name="Shoes", content=canonical_json(content))
    return replace(plain, **changes)


def a_key(
    kind: KeyKind = KeyKind.PUBLISHABLE,
    environment: Environment = Environment.LIVE,
    **changes: Any,
) -> tuple[KeyText, Key]:
    """The text a caller shows, and what the snapshot knows of it."""
    text = new_key(kind, environment)
    default = Key(
        id=new_id(),
        hash=hashlib.sha256(text.text.encode()).hexdigest(),
        kind=kind,
        environment=environment,
        property_id=PROPERTY_ID,
        account_id=ACCOUNT_ID,
        revoked_at_ms=None,
        expires_at_ms=None,
    )
    return text, replace(default, **changes)


def a_snapshot(
    *objects: SnapshotObject, environment: Environment = Environment.LIVE, version: int = 1
) -> Snapshot:
    """*objects*, with the shared account and property added where they hold none."""
    whole: list[SnapshotObject] = list(objects)
    if not _any_of(whole, Account):
        whole.append(an_account())
    if not _any_of(whole, Property):
        whole.append(a_property())
    return build_snapshot(environment, "epoch", version, whole)


def a_later_snapshot(before: Snapshot, *objects: SnapshotObject) -> Snapshot:
    """*before* after a delta of *objects*. *before* loses its indexes."""
    entries = [ObjectChange(TYPE_OF[type(one)], one.id, encode_object(one)) for one in objects]
    return apply_entries(before, before.version + 1, entries)


@dataclass(frozen=True, slots=True)
class Stock:
    """A campaign with one ad on one slot: the least that fills."""

    slot: Slot
    campaign: Campaign
    ad: Ad

    @property
    def objects(self) -> tuple[SnapshotObject, ...]:
        return self.slot, self.campaign, self.ad


def a_stock(*, size: Size | None = None, **campaign: Any) -> Stock:
    made = a_campaign(**campaign)
    width, height = (size.width, size.height) if size else (300, 250)
    return Stock(a_slot(), made, an_ad(made, width=width, height=height))


def _any_of(objects: Iterable[SnapshotObject], kind: type) -> bool:
    return any(isinstance(item, kind) for item in objects)


def an_opportunity(slot: Slot, **changes: Any) -> Opportunity:
    """*slot* of the shared property asking in live, without wishes."""
    default = Opportunity(
        environment=Environment.LIVE,
        property=a_property(),
        slot=slot,
        format=None,
        width=None,
        height=None,
        surface=Surface.WEB,
        preview_ad_id=None,
        consent_limited=False,
        child_directed=False,
    )
    return replace(default, **changes)
