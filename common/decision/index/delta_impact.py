"""Which parts of the indexes a snapshot change affects, and which fields of an object the indexes use."""

from collections.abc import Iterable
from dataclasses import fields, replace

from common.snapshot.derived_cache import Change
from common.snapshot.model import ObjectType, Property, Slot
from common.snapshot.snapshot import Snapshot

_NOT_OF_GATES = frozenset(
    {"id", "key", "refresh_seconds", "house_ad_id", "status", "separate_categories"}
)
_OF_GATES = tuple(field.name for field in fields(Slot) if field.name not in _NOT_OF_GATES)


def ads_of(change: Change) -> set[str]:
    """Returns the ads whose entries change."""
    found: set[str] = set()
    for kind, object_id in change.objects:
        if kind is ObjectType.CAMPAIGN:
            for snapshot in (change.before, change.after):
                found.update(ad.id for ad in snapshot.ads_by_campaign.get(object_id, ()))
        elif kind in (ObjectType.AD, ObjectType.RATES):
            found.add(object_id)
    return found


def slots_of_change(change: Change) -> list[tuple[Slot | None, Slot | None]]:
    """Returns the changed slots as pairs of before and after."""
    before, after = change.before.slots, change.after.slots
    return [(before.get(i), after.get(i)) for kind, i in change.objects if kind is ObjectType.SLOT]


def kept_slots(changed: list[tuple[Slot | None, Slot | None]]) -> dict[str, list[Slot]]:
    """Returns by property the changed slots that stay on it."""
    found: dict[str, list[Slot]] = {}
    for was, is_now in changed:
        if was and is_now and was.property_id == is_now.property_id:
            found.setdefault(is_now.property_id, []).append(is_now)
    return found


def properties_of(snapshot: Snapshot, ads: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for ad_id in ads:
        ad = snapshot.ads.get(ad_id)
        campaign = None if ad is None else snapshot.campaigns.get(ad.campaign_id)
        found.update(() if campaign is None else campaign.property_ids)
    return found


def blocks_of(prop: Property | None) -> tuple[object, ...] | None:
    """Returns the fields of a property that the gates use."""
    return None if prop is None else (prop.blocked_categories, prop.blocked_ad_ids)


def gates_of(slot: Slot | None) -> tuple[object, ...] | None:
    """Returns the fields of a slot that the gates use, or may use: all but those that are known not to matter."""
    return None if slot is None else tuple([getattr(slot, name) for name in _OF_GATES])


def differ_in_floor_only(was: Slot, is_now: Slot) -> bool:
    """Of the fields that the gates use."""
    return gates_of(replace(was, floor_micros=is_now.floor_micros)) == gates_of(is_now)
