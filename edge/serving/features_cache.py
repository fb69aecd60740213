"""The features of each property as bytes, built at the first request and cached until a delta changes them."""

import hashlib
from dataclasses import dataclass
from typing import Any

import orjson

from common.decision.demo_slots import DEMO_KEYS, find_demo_slot
from common.snapshot.derived_cache import Change
from common.snapshot.model import ObjectType, Property, Slot
from common.snapshot.snapshot import Snapshot
from common.values.enums import EDGE_FLAGS, Format, SlotStatus
from common.values.generation_cache import GenerationCache
from edge.serving.consent import presumes_consent
from edge.serving.render.ad import viewability_of

TTL_S = 300
_MAX_KEPT = 5_000
_TRACK_TIMEOUT_MS = 3000
_RETRIES = 3
_RETRY_BASE_MS = 500
_FLAGS = dict.fromkeys(EDGE_FLAGS, True)


@dataclass(frozen=True, slots=True)
class Features:
    body: bytes
    etag: str


def features_of(snapshot: Snapshot, prop: Property) -> Features:
    cache = snapshot.derived.find_listener(FeaturesCache)
    if not isinstance(cache, FeaturesCache):
        cache = FeaturesCache(snapshot)
        snapshot.derived.attach(FeaturesCache, cache)
    return cache.features(snapshot, prop)


class FeaturesCache:
    """Follows the snapshot (`common.snapshot.derived_cache`): reads all slots once, then only those in a delta."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._slot_ids: dict[str, set[str]] = {}
        self._cached = GenerationCache(_MAX_KEPT)
        for slot in snapshot.slots.values():
            self._slot_ids.setdefault(slot.property_id, set()).add(slot.id)

    def features(self, snapshot: Snapshot, prop: Property) -> Features:
        cached: Features | None = self._cached.get(prop.id)
        if cached is None:
            ids = self._slot_ids.get(prop.id, ())
            cached = _made(snapshot, prop, [snapshot.slots[slot_id] for slot_id in ids])
            self._cached.put(prop.id, cached)
        return cached

    def apply_delta(self, change: Change) -> "FeaturesCache":
        for kind, object_id in change.objects:
            if kind is ObjectType.SLOT:
                self._follow_slot(change, object_id)
            elif kind is ObjectType.PROPERTY:
                self._cached.discard(object_id)
            elif kind is ObjectType.ACCOUNT and _stops(change, object_id):
                self._cached.clear()
        return self

    def _follow_slot(self, change: Change, slot_id: str) -> None:
        before, after = change.before.slots.get(slot_id), change.after.slots.get(slot_id)
        if before is not None:
            self._slot_ids[before.property_id].discard(slot_id)
            self._cached.discard(before.property_id)
        if after is not None:
            self._slot_ids.setdefault(after.property_id, set()).add(slot_id)
            self._cached.discard(after.property_id)


def _stops(change: Change, account_id: str) -> bool:
    """Whether the account's own switch changed: that is rare, so the whole cache is cleared then."""
    before, after = (one.accounts.get(account_id) for one in (change.before, change.after))
    return before is None or after is None or before.stopped is not after.stopped


def _made(snapshot: Snapshot, prop: Property, slots: list[Slot]) -> Features:
    """The version is a hash of all the rest."""
    whose = {"property_id": prop.id, "environment": snapshot.environment}
    content = _content(snapshot, prop, slots)
    version = hashlib.sha256(orjson.dumps(whose | content)).hexdigest()[:16]
    return Features(orjson.dumps(whose | {"version": version} | content), f'"{version}"')


def _content(snapshot: Snapshot, prop: Property, slots: list[Slot]) -> dict[str, Any]:
    own = orjson.loads(prop.sdk) if prop.sdk else {"min": {}, "flags": {}}
    return {
        "flags": own["flags"] | _FLAGS,
        "slots": [_slot(slot) for slot in _shown(snapshot, prop, slots)],
        "consent": _consent(prop),
        "tracking": {
            "viewability": viewability_of(Format.BANNER),
            "timeout_ms": _TRACK_TIMEOUT_MS,
            "retry": {"max": _RETRIES, "base_ms": _RETRY_BASE_MS},
        },
        "sdk": {"min": own["min"], "kill_switch": _is_stopped(snapshot, prop)},
        "ttl_seconds": TTL_S,
    }


def _is_stopped(snapshot: Snapshot, prop: Property) -> bool:
    """Whether the account's own switch stops ads, which applies in live only: libraries then send no serve requests."""
    account = snapshot.accounts.get(prop.account_id)
    return account is not None and account.stopped and not snapshot.environment.is_test


def _consent(prop: Property) -> dict[str, Any]:
    """The consent signals that a library must forward for personal ads, and the default without them."""
    if presumes_consent(prop):
        return {"required": [], "default": "personalized"}
    return {"required": ["gdpr", "lgpd"], "default": "non_personalized"}


def _shown(snapshot: Snapshot, prop: Property, slots: list[Slot]) -> list[Slot]:
    """The active slots by key; in test, followed by the two demo slots."""
    own = sorted(
        (slot for slot in slots if slot.status is SlotStatus.ACTIVE), key=lambda slot: slot.key
    )
    if not snapshot.environment.is_test:
        return own
    demo = [find_demo_slot(prop, key) for key in DEMO_KEYS]
    return own + [slot for slot in demo if slot is not None]


def _slot(slot: Slot) -> dict[str, Any]:
    return {
        "key": slot.key,
        "id": slot.id,
        "formats": slot.formats,
        "sizes": slot.sizes,
        "refresh_seconds": slot.refresh_seconds,
    }
