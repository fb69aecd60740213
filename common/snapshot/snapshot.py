"""
The immutable world an edge serves from: looked up by id, by slot key, by key hash.

Built from a whole state or from the one before and a delta; nothing in it changes afterwards, so a request
that began with one snapshot ends with it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from common.environment import Environment
from common.snapshot.codec import SnapshotInvalid, parse_object
from common.snapshot.messages import Entry
from common.snapshot.model import (
    Account,
    Ad,
    Campaign,
    Key,
    ObjectType,
    Property,
    Slot,
    SnapshotObject,
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    environment: Environment
    epoch: str
    version: int
    accounts: Mapping[str, Account]
    properties: Mapping[str, Property]
    slots: Mapping[str, Slot]
    slots_by_key: Mapping[tuple[str, str], Slot]
    """(property id, slot key) to slot."""
    keys_by_hash: Mapping[bytes, Key]
    """SHA-256 digest (32 bytes) to key."""
    campaigns: Mapping[str, Campaign]
    ads: Mapping[str, Ad]
    ads_by_campaign: Mapping[str, tuple[Ad, ...]]
    campaigns_by_property: Mapping[str, tuple[Campaign, ...]]
    derived: dict[str, Any] = field(init=False, compare=False, repr=False, default_factory=dict)
    """What rules work out from this snapshot alone and keep with it (slot indexes); a new one starts empty."""


def build_snapshot(
    environment: Environment, epoch: str, version: int, objects: Iterable[SnapshotObject]
) -> Snapshot:
    """A snapshot of a whole state. Costs a walk over all objects."""
    accounts: dict[str, Account] = {}
    properties: dict[str, Property] = {}
    slots: dict[str, Slot] = {}
    keys: dict[bytes, Key] = {}
    campaigns: dict[str, Campaign] = {}
    ads: dict[str, Ad] = {}
    for item in objects:
        match item:
            case Account():
                accounts[item.id] = item
            case Property():
                properties[item.id] = item
            case Slot():
                slots[item.id] = item
            case Key():
                keys[bytes.fromhex(item.hash)] = item
            case Campaign():
                campaigns[item.id] = item
            case Ad():
                ads[item.id] = item
    return Snapshot(
        environment,
        epoch,
        version,
        accounts,
        properties,
        slots,
        {(slot.property_id, slot.key): slot for slot in slots.values()},
        keys,
        campaigns,
        ads,
        _ads_by_campaign(ads.values()),
        _campaigns_by_property(campaigns.values()),
    )


def parse_entries(entries: Iterable[Entry]) -> list[SnapshotObject]:
    """The objects of a full state; raises `SnapshotInvalid`, also where an entry deletes."""
    objects = []
    for entry in entries:
        if entry.body is None:
            raise SnapshotInvalid("a full state deletes nothing")
        objects.append(parse_object(entry.type, entry.body))
    return objects


def apply_entries(snapshot: Snapshot, version: int, entries: Iterable[Entry]) -> Snapshot:
    """
    The snapshot after a delta; the old one stays as it was. Raises `SnapshotInvalid` and changes nothing.

    Copies the maps that change (about 10 ns an item), rebuilds only the lists the delta names.
    """
    return _Editor(snapshot).apply(entries).finish(version)


class _Editor:
    def __init__(self, snapshot: Snapshot) -> None:
        self._before = snapshot
        self._accounts = dict(snapshot.accounts)
        self._properties = dict(snapshot.properties)
        self._slots = dict(snapshot.slots)
        self._slots_by_key = dict(snapshot.slots_by_key)
        self._keys = dict(snapshot.keys_by_hash)
        self._campaigns = dict(snapshot.campaigns)
        self._ads = dict(snapshot.ads)
        self._ads_by_campaign = dict(snapshot.ads_by_campaign)
        self._campaigns_by_property = dict(snapshot.campaigns_by_property)

    def apply(self, entries: Iterable[Entry]) -> "_Editor":
        for entry in entries:
            self._delete(entry.type, entry.id)
            if entry.body is not None:
                self._put(parse_object(entry.type, entry.body))
        return self

    def finish(self, version: int) -> Snapshot:
        return replace(
            self._before,
            version=version,
            accounts=self._accounts,
            properties=self._properties,
            slots=self._slots,
            slots_by_key=self._slots_by_key,
            keys_by_hash=self._keys,
            campaigns=self._campaigns,
            ads=self._ads,
            ads_by_campaign=self._ads_by_campaign,
            campaigns_by_property=self._campaigns_by_property,
        )

    def _put(self, item: SnapshotObject) -> None:
        match item:
            case Account():
                self._accounts[item.id] = item
            case Property():
                self._properties[item.id] = item
            case Slot():
                self._slots[item.id] = item
                self._slots_by_key[(item.property_id, item.key)] = item
            case Key():
                self._keys[bytes.fromhex(item.hash)] = item
            case Campaign():
                self._campaigns[item.id] = item
                for property_id in item.property_ids:
                    rest = self._campaigns_by_property.get(property_id, ())
                    self._campaigns_by_property[property_id] = (*rest, item)
            case Ad():
                self._ads[item.id] = item
                rest_of_ads = self._ads_by_campaign.get(item.campaign_id, ())
                self._ads_by_campaign[item.campaign_id] = (*rest_of_ads, item)

    def _delete(self, kind: ObjectType, object_id: str) -> None:
        match kind:
            case ObjectType.ACCOUNT:
                self._accounts.pop(object_id, None)
            case ObjectType.PROPERTY:
                self._properties.pop(object_id, None)
            case ObjectType.SLOT:
                self._delete_slot(object_id)
            case ObjectType.KEY:
                self._keys = {h: key for h, key in self._keys.items() if key.id != object_id}
            case ObjectType.CAMPAIGN:
                self._delete_campaign(object_id)
            case ObjectType.AD:
                self._delete_ad(object_id)

    def _delete_slot(self, object_id: str) -> None:
        slot = self._slots.pop(object_id, None)
        if slot is not None:
            self._slots_by_key.pop((slot.property_id, slot.key), None)

    def _delete_campaign(self, object_id: str) -> None:
        campaign = self._campaigns.pop(object_id, None)
        for property_id in campaign.property_ids if campaign else ():
            rest = self._campaigns_by_property.get(property_id, ())
            self._campaigns_by_property[property_id] = tuple(c for c in rest if c.id != object_id)

    def _delete_ad(self, object_id: str) -> None:
        ad = self._ads.pop(object_id, None)
        if ad is not None:
            rest = self._ads_by_campaign.get(ad.campaign_id, ())
            self._ads_by_campaign[ad.campaign_id] = tuple(a for a in rest if a.id != object_id)


def _ads_by_campaign(ads: Iterable[Ad]) -> dict[str, tuple[Ad, ...]]:
    grouped: dict[str, list[Ad]] = {}
    for ad in ads:
        grouped.setdefault(ad.campaign_id, []).append(ad)
    return {campaign_id: tuple(group) for campaign_id, group in grouped.items()}


def _campaigns_by_property(campaigns: Iterable[Campaign]) -> dict[str, tuple[Campaign, ...]]:
    grouped: dict[str, list[Campaign]] = {}
    for campaign in campaigns:
        for property_id in campaign.property_ids:
            grouped.setdefault(property_id, []).append(campaign)
    return {property_id: tuple(group) for property_id, group in grouped.items()}
