"""
The immutable world an edge serves from: looked up by id, by slot key, by key hash.

Built from a whole state or from the one before and a delta; nothing in it changes afterwards, so a request
that began with one snapshot ends with it.
"""

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from common.environment import Environment
from common.snapshot.codec import SnapshotInvalid, parse_object
from common.snapshot.messages import Entry
from common.snapshot.model import (
    Account,
    Ad,
    AdRates,
    Campaign,
    Key,
    ObjectType,
    Pace,
    Property,
    Slot,
    SnapshotObject,
)

_SHA256_HEX = re.compile("[0-9a-f]{64}")


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
    """Sorted by id; a campaign without ads has no entry."""
    campaigns_by_property: Mapping[str, tuple[Campaign, ...]]
    """Sorted by id; a property without campaigns has no entry."""
    paces: Mapping[str, Pace]
    """Campaign id to what was delivered of it."""
    rates: Mapping[str, AdRates]
    """Ad id to what was learned of it."""
    derived: dict[Hashable, Any] = field(
        init=False, compare=False, repr=False, default_factory=dict
    )
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
    paces: dict[str, Pace] = {}
    rates: dict[str, AdRates] = {}
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
            case Pace():
                paces[item.id] = item
            case AdRates():
                rates[item.id] = item
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
        paces,
        rates,
    )


def parse_entries(entries: Iterable[Entry]) -> list[SnapshotObject]:
    """The objects of a full state; raises `SnapshotInvalid`, also where an entry deletes."""
    objects = []
    for entry in entries:
        if entry.body is None:
            raise SnapshotInvalid("a full state deletes nothing")
        objects.append(_parse_body(entry, entry.body))
    return objects


def apply_entries(snapshot: Snapshot, version: int, entries: Iterable[Entry]) -> Snapshot:
    """
    The snapshot after a delta, equal to one built of the final state; the old one stays as it was.

    Raises `SnapshotInvalid` and changes nothing. Copies the maps that change (about 10 ns an item), rebuilds only
    the lists the delta names.
    """
    editor = _Editor(snapshot)
    for entry in entries:
        editor.delete(entry.type, entry.id)
        if entry.body is not None:
            editor.put(_parse_body(entry, entry.body))
    return editor.finish(version)


def _parse_body(entry: Entry, body: bytes) -> SnapshotObject:
    item = parse_object(entry.type, body)
    if item.id != entry.id:
        raise SnapshotInvalid(f"{entry.type} {entry.id} holds the body of {item.id}")
    if isinstance(item, Key) and not _SHA256_HEX.fullmatch(item.hash):
        raise SnapshotInvalid(f"key {item.id} has no SHA-256 in hex")
    return item


class _Editor:
    """Holds a copy of each map that was changed, made at its first change."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._before = snapshot
        self._copies: dict[str, dict[Any, Any]] = {}

    def finish(self, version: int) -> Snapshot:
        changed: dict[str, Any] = {"version": version, **self._copies}
        return replace(self._before, **changed)

    def put(self, item: SnapshotObject) -> None:
        match item:
            case Account():
                self._copy("accounts")[item.id] = item
            case Property():
                self._copy("properties")[item.id] = item
            case Slot():
                self._copy("slots")[item.id] = item
                self._copy("slots_by_key")[(item.property_id, item.key)] = item
            case Key():
                self._copy("keys_by_hash")[bytes.fromhex(item.hash)] = item
            case Campaign():
                self._copy("campaigns")[item.id] = item
                for property_id in item.property_ids:
                    _join(self._copy("campaigns_by_property"), property_id, item)
            case Ad():
                self._copy("ads")[item.id] = item
                _join(self._copy("ads_by_campaign"), item.campaign_id, item)
            case Pace():
                self._copy("paces")[item.id] = item
            case AdRates():
                self._copy("rates")[item.id] = item

    def delete(self, kind: ObjectType, object_id: str) -> None:
        match kind:
            case ObjectType.ACCOUNT:
                self._pop("accounts", object_id)
            case ObjectType.PROPERTY:
                self._pop("properties", object_id)
            case ObjectType.SLOT:
                self._delete_slot(object_id)
            case ObjectType.KEY:
                self._delete_key(object_id)
            case ObjectType.CAMPAIGN:
                self._delete_campaign(object_id)
            case ObjectType.AD:
                self._delete_ad(object_id)
            case ObjectType.PACE:
                self._pop("paces", object_id)
            case ObjectType.RATES:
                self._pop("rates", object_id)

    def _delete_slot(self, object_id: str) -> None:
        slot = self._pop("slots", object_id)
        if slot is None:
            return
        place = (slot.property_id, slot.key)
        # Another slot may have taken this one's key earlier in the same delta.
        if self._now("slots_by_key").get(place) is slot:
            self._pop("slots_by_key", place)

    def _delete_key(self, object_id: str) -> None:
        for key_hash, key in self._now("keys_by_hash").items():
            if key.id == object_id:
                self._pop("keys_by_hash", key_hash)
                return

    def _delete_campaign(self, object_id: str) -> None:
        campaign = self._pop("campaigns", object_id)
        for property_id in campaign.property_ids if campaign else ():
            _leave(self._copy("campaigns_by_property"), property_id, object_id)

    def _delete_ad(self, object_id: str) -> None:
        ad = self._pop("ads", object_id)
        if ad:
            _leave(self._copy("ads_by_campaign"), ad.campaign_id, object_id)

    def _now(self, name: str) -> Mapping[Any, Any]:
        current: Mapping[Any, Any] = (
            self._copies[name] if name in self._copies else getattr(self._before, name)
        )
        return current

    def _copy(self, name: str) -> dict[Any, Any]:
        if name not in self._copies:
            self._copies[name] = dict(getattr(self._before, name))
        return self._copies[name]

    def _pop(self, name: str, key: Any) -> Any:
        return self._copy(name).pop(key) if key in self._now(name) else None


def _join(groups: dict[str, tuple[Any, ...]], name: str, item: Ad | Campaign) -> None:
    groups[name] = tuple(sorted((*groups.get(name, ()), item), key=_id_of))


def _leave(groups: dict[str, tuple[Any, ...]], name: str, item_id: str) -> None:
    rest = tuple(item for item in groups.pop(name, ()) if item.id != item_id)
    if rest:
        groups[name] = rest


def _id_of(item: Ad | Campaign) -> str:
    return item.id


def _ads_by_campaign(ads: Iterable[Ad]) -> dict[str, tuple[Ad, ...]]:
    grouped: dict[str, list[Ad]] = {}
    for ad in ads:
        grouped.setdefault(ad.campaign_id, []).append(ad)
    return {name: tuple(sorted(group, key=_id_of)) for name, group in grouped.items()}


def _campaigns_by_property(campaigns: Iterable[Campaign]) -> dict[str, tuple[Campaign, ...]]:
    grouped: dict[str, list[Campaign]] = {}
    for campaign in campaigns:
        for property_id in campaign.property_ids:
            grouped.setdefault(property_id, []).append(campaign)
    return {name: tuple(sorted(group, key=_id_of)) for name, group in grouped.items()}
