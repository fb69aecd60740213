"""Parses the body of ``POST /v1/track/batch``: up to fifty bodies of `edge.tracking.track_body`."""

from dataclasses import replace
from itertools import islice
from typing import Any

import orjson

from common.values.errors import MAX_DETAILS, Detail
from common.values.messages import Message
from edge.tracking.track_body import (
    TrackBody,
    faults_of_track_body,
    parse_object,
    refused_for,
    track_body_of,
)

MAX_EVENTS = 50
_FIELD = "events"


def count_events(raw: bytes) -> int:
    """How many calls a batch counts as, even if it is malformed: 1 to `MAX_EVENTS`."""
    try:
        values = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return 1
    events = values.get(_FIELD) if isinstance(values, dict) else None
    return min(max(len(events), 1), MAX_EVENTS) if isinstance(events, list) else 1


def parse_track_bodies(raw: bytes, *, believed: bool) -> list[TrackBody]:
    """Raises `Refused`, with every fault of every event. ``param`` names the field: ``events[3].token``."""
    values = parse_object(raw, f'{{"{_FIELD}": [{{"token": track_token, "event": "impression"}}]}}')
    events = values.get(_FIELD)
    found = [
        Detail(
            name,
            "unknown_field",
            Message("The field {name} does not exist. Remove it.", name=repr(name[:64])),
        )
        for name in islice(values.keys() - {_FIELD}, MAX_DETAILS)
    ]
    if not isinstance(events, list) or not 1 <= len(events) <= MAX_EVENTS:
        message = Message(
            "events is required: a list of 1 to {max_events} objects, each like the body of "
            "/v1/track.",
            max_events=MAX_EVENTS,
        )
        raise refused_for([*found, Detail(_FIELD, "required", message)])
    for number, event in enumerate(events):
        found += _faults_of(event, f"{_FIELD}[{number}]", believed=believed)
    if found:
        raise refused_for(found)
    return [track_body_of(event, believed=believed) for event in events]


def _faults_of(event: Any, place: str, *, believed: bool) -> list[Detail]:
    if not isinstance(event, dict):
        return [Detail(place, "not_an_object", Message("An event must be a JSON object."))]
    faults = faults_of_track_body(event, believed=believed)
    return [replace(fault, param=f"{place}.{fault.param}") for fault in faults]
