"""One live property with campaigns, as the snapshot objects that an edge receives."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from common.service.secrets import KeyRing, Purpose
from common.snapshot import digest
from common.snapshot.codec import encode_object
from common.snapshot.defaults import (
    default_banner,
    default_campaign,
    default_property,
    default_slot,
)
from common.snapshot.messages import FullState, ObjectChange
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
from common.values.enums import AccountState
from common.values.environment import Environment
from common.values.ids import new_id
from common.values.keys import KeyKind, new_key

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

    def full(self, version: int) -> FullState:
        entries = []
        total = digest.EMPTY
        for item in self.objects:
            body = encode_object(item)
            kind = TYPE_OF[type(item)]
            entries.append(ObjectChange(kind, item.id, body))
            total = digest.moved(total, added=digest.object_hash(kind, item.id, body))
        return FullState("bench", version, digest.to_text(total), tuple(entries))

    def with_campaigns(self, campaigns: Iterable[Campaign]) -> "World":
        """The same world, with *campaigns* in place of those with the same ids."""
        by_id = {campaign.id: campaign for campaign in campaigns}
        objects = tuple(by_id.get(item.id, item) for item in self.objects)
        made = tuple(by_id.get(campaign.id, campaign) for campaign in self.campaigns)
        return replace(self, objects=objects, campaigns=made)


def make_world(keys: KeyRing, *, campaigns: int, slots: int = 8, ads: int = 1) -> World:
    """*campaigns* active CPM campaigns on every slot, bids of 100 … 199 cents, *ads* banners each."""
    account = Account(new_id(), AccountState.ACTIVE, stopped=False)
    place = _property(keys, account.id)
    made_slots = tuple(
        default_slot(new_id(), place.id, f"slot-{number}", sizes=(Size(300, 250),))
        for number in range(slots)
    )
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
    made = tuple(
        default_campaign(new_id(), account.id, place.id, (100 + number % 100) * 10)
        for number in range(campaigns)
    )
    made_ads = tuple(default_banner(new_id(), campaign) for campaign in made for _ in range(ads))
    objects: Sequence[SnapshotObject] = (account, place, *made_slots, key, *made, *made_ads)
    return World(tuple(objects), text.text, place, made_slots, made, made_ads, _SECRET, _KID)


def _property(keys: KeyRing, account_id: str) -> Property:
    property_id = new_id()
    sealed = keys.seal(Purpose.SNAPSHOT, _SECRET, bound_to=property_id)
    return default_property(
        property_id,
        account_id,
        domain="bench.example",
        secrets=(SigningSecret(_KID, sealed, SecretState.SIGN),),
    )
