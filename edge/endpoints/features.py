"""``GET /v1/features``: what a client library must know of its property, cacheable."""

import hashlib
from dataclasses import dataclass
from typing import Any

import orjson
from sanic import HTTPResponse, Request

from common.decision.demo import DEMO_KEYS, find_demo_slot
from common.http.responses import JSON
from common.snapshot.model import Property, Slot
from common.snapshot.snapshot import Snapshot
from common.vocabulary import Format, SlotStatus
from edge.admission.keys import Door, admit
from edge.context import EdgeContext
from edge.http.call import call_of
from edge.opportunity.consent import presumes_consent
from edge.render.ad import viewability_of

_TTL_S = 300
_TRACK_TIMEOUT_MS = 3000
_RETRIES = 3
_RETRY_BASE_MS = 500


@dataclass(frozen=True, slots=True)
class _Features:
    body: bytes
    etag: str


async def handle(request: Request) -> HTTPResponse:
    edge: EdgeContext = request.app.ctx.edge
    admission = admit(edge, call_of(request), Door.FEATURES, edge.clock.now_ms())
    features = _features_of(admission.snapshot, admission.property)
    headers = {
        "ETag": features.etag,
        "Vary": "X-Service-Key",
        "Cache-Control": f"{'public, ' if admission.key_in_url else ''}max-age={_TTL_S}",
    }
    if _matches(request.headers.getall("if-none-match", ()), features.etag):
        return HTTPResponse(None, status=304, headers=headers)
    return HTTPResponse(features.body, headers=headers, content_type=JSON)


def _features_of(snapshot: Snapshot, prop: Property) -> _Features:
    """Worked out once per snapshot and property; the version follows from the content alone."""
    key = ("features", prop.id)
    known: _Features | None = snapshot.derived.get(key)
    if known is None:
        content = _content(snapshot, prop)
        version = hashlib.sha256(orjson.dumps(content)).hexdigest()[:16]
        body = orjson.dumps({**_identity(snapshot, prop), "version": version, **content})
        known = snapshot.derived[key] = _Features(body, f'"{version}"')
    return known


def _identity(snapshot: Snapshot, prop: Property) -> dict[str, Any]:
    return {"property_id": prop.id, "environment": snapshot.environment}


def _content(snapshot: Snapshot, prop: Property) -> dict[str, Any]:
    return {
        "flags": {},
        "slots": [_slot(slot) for slot in _slots(snapshot, prop)],
        "consent": _consent(prop),
        "tracking": {
            "viewability": viewability_of(Format.BANNER),
            "timeout_ms": _TRACK_TIMEOUT_MS,
            "retry": {"max": _RETRIES, "base_ms": _RETRY_BASE_MS},
        },
        "sdk": {"min": {}, "kill_switch": False},
        "ttl_seconds": _TTL_S,
    }


def _consent(prop: Property) -> dict[str, Any]:
    """Which signals a library must forward before anything may be personal, and what holds without them."""
    if presumes_consent(prop):
        return {"required": [], "default": "personalized"}
    return {"required": ["gdpr", "lgpd"], "default": "non_personalized"}


def _slots(snapshot: Snapshot, prop: Property) -> list[Slot]:
    """The active ones by key; in test with the two demo slots behind."""
    own = [
        slot
        for slot in snapshot.slots.values()
        if slot.property_id == prop.id and slot.status is SlotStatus.ACTIVE
    ]
    own.sort(key=lambda slot: slot.key)
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


def _matches(given: Any, etag: str) -> bool:
    """``If-None-Match``: a list of tags or ``*``, weak tags compared as strong ones."""
    tags = [tag.strip().removeprefix("W/") for value in given for tag in value.split(",")]
    return "*" in tags or etag in tags
