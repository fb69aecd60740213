"""
The immutable state that an edge serves from, with look-ups by id, by slot key and by key hash.

It is built from a full state, or from the previous snapshot and a delta. Its content never changes, so a request that
began with one snapshot ends with it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from common.snapshot.codec import SnapshotInvalid, parse_object
from common.snapshot.derived_cache import Change, DerivedCache
from common.snapshot.messages import ObjectChange
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
from common.snapshot.persistent_list import ChunkedSortedList
from common.snapshot.versioned_map import MISSING, RerootedMap
from common.values.environment import Environment

_SHA256_HEX = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, weakref_slot=True)
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
    key_hashes: Mapping[str, bytes]
    """Key id to digest."""
    campaigns: Mapping[str, Campaign]
    ads: Mapping[str, Ad]
    ads_by_campaign: Mapping[str, tuple[Ad, ...]]
    """Sorted by id; a campaign without ads has no entry."""
    campaigns_by_property: Mapping[str, ChunkedSortedList[Campaign]]
    """Sorted by id; a property without campaigns has no entry."""
    paces: Mapping[str, Pace]
    """Campaign id to its delivery."""
    rates: Mapping[str, AdRates]
    """Ad id to its learned rates."""
    derived: DerivedCache = field(
        init=False, compare=False, repr=False, default_factory=DerivedCache
    )
    """Values that rules derive from this snapshot and cache with it; a delta carries over those that remain valid."""


_MAPS = (
    "accounts",
    "properties",
    "slots",
    "slots_by_key",
    "keys_by_hash",
    "key_hashes",
    "campaigns",
    "ads",
    "ads_by_campaign",
    "campaigns_by_property",
    "paces",
    "rates",
)


def build_snapshot(
    environment: Environment, epoch: str, version: int, objects: Iterable[SnapshotObject]
) -> Snapshot:
    """Returns a snapshot of a whole state. The cost is a walk over all objects."""
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
        {key.id: key_hash for key_hash, key in keys.items()},
        campaigns,
        ads,
        _ads_by_campaign(ads.values()),
        _campaigns_by_property(campaigns.values()),
        paces,
        rates,
    )


def parse_entries(entries: Iterable[ObjectChange]) -> list[SnapshotObject]:
    """Returns the objects of a full state; raises `SnapshotInvalid`, also where an entry deletes an object."""
    return [parse_entry(entry) for entry in entries]


def parse_entry(entry: ObjectChange) -> SnapshotObject:
    """Raises `SnapshotInvalid`, also where the entry deletes an object."""
    if entry.body is None:
        raise SnapshotInvalid("a full state deletes nothing")
    return _parse_body(entry, entry.body)


def apply_entries(snapshot: Snapshot, version: int, entries: Iterable[ObjectChange]) -> Snapshot:
    """
    Returns the snapshot after a delta, equal to one built from the final state. The cost depends on the delta only.
    Raises `SnapshotInvalid`, and then changes nothing; and any error of an index that cannot take the delta: then
    *snapshot* only lost its derived values. The old snapshot keeps its content but is a little slower: the new one
    takes its maps, and it keeps only the difference. Do not call it while another thread reads *snapshot*.
    """
    # The last entry of each object counts. All deletions come before all insertions, so that a slot may take a key that
    # another slot gives up, whatever their order in the delta.
    last = {(e.type, e.id): None if e.body is None else _parse_body(e, e.body) for e in entries}
    editor = _Editor(snapshot)
    for kind, object_id in last:
        editor.delete(kind, object_id)
    for item in last.values():
        if item is not None:
            editor.put(item)
    return editor.finish(version, tuple(last))


def take_back(before: Snapshot, after: Snapshot) -> None:
    """
    Makes *before* as it was when `apply_entries` made *after* of it, only without derived values: some of them may have
    been changed in part. *after* must not be used any more.
    """
    for name in _MAPS:
        view = getattr(before, name)
        if not isinstance(view, RerootedMap) or view.newer is not after:
            continue
        items: dict[Any, Any] = getattr(after, name)
        for key, value in view.was.items():
            if value is MISSING:
                items.pop(key, None)
            else:
                items[key] = value
        object.__setattr__(before, name, items)
    object.__setattr__(before, "derived", DerivedCache())


def _parse_body(entry: ObjectChange, body: bytes) -> SnapshotObject:
    item = parse_object(entry.type, body)
    if item.id != entry.id:
        raise SnapshotInvalid(f"{entry.type} {entry.id} holds the body of {item.id}")
    if isinstance(item, Key) and not _SHA256_HEX.fullmatch(item.hash):
        raise SnapshotInvalid(f"key {item.id} has no SHA-256 in hex")
    return item


class _Editor:
    """Changes the maps in place, and records the former values for the previous snapshot."""

    def __init__(self, before: Snapshot) -> None:
        maps = {name: getattr(before, name) for name in _MAPS}
        self._before = before
        self._is_newest = not isinstance(maps["ads"], RerootedMap)
        self._maps: dict[str, dict[Any, Any]] = (
            maps if self._is_newest else {name: view.whole() for name, view in maps.items()}
        )
        self._was: dict[str, dict[Any, Any]] = {name: {} for name in _MAPS}

    def finish(self, version: int, objects: tuple[tuple[ObjectType, str], ...]) -> Snapshot:
        before = self._before
        after = Snapshot(before.environment, before.epoch, version, **self._maps)
        if self._is_newest:
            for name in _MAPS:
                object.__setattr__(before, name, RerootedMap(self._was[name], after, name))
            try:
                successor = before.derived.transfer_to(Change(before, after, objects))
            except Exception:
                take_back(before, after)
                raise
            object.__setattr__(after, "derived", successor)
        return after

    def put(self, item: SnapshotObject) -> None:
        """Adds *item*, or replaces the one with its id, also in the maps that find it by something else."""
        match item:
            case Account():
                self._set("accounts", item.id, item)
            case Property():
                self._set("properties", item.id, item)
            case Slot():
                self._set("slots", item.id, item)
                self._set("slots_by_key", (item.property_id, item.key), item)
            case Key():
                self._set("keys_by_hash", bytes.fromhex(item.hash), item)
                self._set("key_hashes", item.id, bytes.fromhex(item.hash))
            case Campaign():
                self._set("campaigns", item.id, item)
                for property_id in item.property_ids:
                    campaigns = self._maps["campaigns_by_property"].get(
                        property_id, ChunkedSortedList()
                    )
                    self._set("campaigns_by_property", property_id, campaigns.joined(item))
            case Ad():
                self._set("ads", item.id, item)
                group = self._maps["ads_by_campaign"].get(item.campaign_id, ())
                ads = tuple(sorted((*group, item), key=_id_of))
                self._set("ads_by_campaign", item.campaign_id, ads)
            case Pace():
                self._set("paces", item.id, item)
            case AdRates():
                self._set("rates", item.id, item)

    def delete(self, kind: ObjectType, object_id: str) -> None:
        """Does nothing where there is no such object."""
        match kind:
            case ObjectType.ACCOUNT:
                self._pop("accounts", object_id)
            case ObjectType.PROPERTY:
                self._pop("properties", object_id)
            case ObjectType.SLOT:
                self._delete_slot(object_id)
            case ObjectType.KEY:
                key_hash = self._pop("key_hashes", object_id)
                self._pop("keys_by_hash", key_hash)
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
        if slot is not None:
            self._pop("slots_by_key", (slot.property_id, slot.key))

    def _delete_campaign(self, object_id: str) -> None:
        campaign = self._pop("campaigns", object_id)
        for property_id in campaign.property_ids if campaign else ():
            campaigns = self._maps["campaigns_by_property"][property_id].left(object_id)
            self._set_or_pop("campaigns_by_property", property_id, campaigns)

    def _delete_ad(self, object_id: str) -> None:
        ad = self._pop("ads", object_id)
        if ad:
            group = self._maps["ads_by_campaign"][ad.campaign_id]
            rest = tuple(item for item in group if item.id != object_id)
            self._set_or_pop("ads_by_campaign", ad.campaign_id, rest)

    def _set(self, name: str, key: Any, value: Any) -> None:
        items = self._maps[name]
        self._was[name].setdefault(key, items.get(key, MISSING))
        items[key] = value

    def _pop(self, name: str, key: Any) -> Any:
        items = self._maps[name]
        if key not in items:
            return None
        self._was[name].setdefault(key, items[key])
        return items.pop(key)

    def _set_or_pop(self, name: str, key: Any, value: Any) -> None:
        if value:
            self._set(name, key, value)
        else:
            self._pop(name, key)


def _id_of(item: Ad | Campaign) -> str:
    return item.id


def _ads_by_campaign(ads: Iterable[Ad]) -> dict[str, tuple[Ad, ...]]:
    grouped: dict[str, list[Ad]] = {}
    for ad in ads:
        grouped.setdefault(ad.campaign_id, []).append(ad)
    return {name: tuple(sorted(group, key=_id_of)) for name, group in grouped.items()}


def _campaigns_by_property(campaigns: Iterable[Campaign]) -> dict[str, ChunkedSortedList[Campaign]]:
    grouped: dict[str, list[Campaign]] = {}
    for campaign in campaigns:
        for property_id in campaign.property_ids:
            grouped.setdefault(property_id, []).append(campaign)
    return {name: ChunkedSortedList(group) for name, group in grouped.items()}
