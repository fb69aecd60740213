"""Parses the body of ``POST /v1/audio/stitch``. Every fault of every field is reported, with its path."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from pydantic import ValidationError

from common.contract.audio_models import (
    NAME_PATTERN,
    BreakType,
    ContentKind,
    StitchBody,
    StitchBreak,
    StitchContent,
    StitchOutput,
)
from common.contract.validation_errors import refusal_of, refuse
from common.fetching.parsed_url import parse_url
from common.fetching.public_addresses import Networks
from common.fetching.web import FetchRefusal
from common.privacy.anonymize import find_address
from common.values.errors import Detail
from common.values.messages import Message
from edge.request.raw_addresses import address_fault, contains_address

_NAME = re.compile(NAME_PATTERN)
_KIND_OF = {StitchOutput.HLS: ContentKind.HLS, StitchOutput.FILE: ContentKind.PROGRESSIVE}
"""Outputs that contain the content, and the kind of content that they need."""


def find_named_slot(fields: Any) -> str | None:
    """The slot that the JSON *fields* name; None where no slot can have that name."""
    slot = fields.get("slot") if isinstance(fields, dict) else None
    return slot if isinstance(slot, str) and _NAME.fullmatch(slot) else None


def parse_stitch_body(fields: Any, networks: Networks) -> StitchBody:
    """*fields*: JSON. *networks*: private ones from which content may come. Raises `Refused`."""
    try:
        body = StitchBody.model_validate(fields)
    except ValidationError as error:
        raise refusal_of(error, fields) from None
    faults = [*_content_faults(body, networks), *_break_faults(body), *_listener_faults(body)]
    if faults:
        raise refuse(faults)
    return body


def query_of(body: StitchBody) -> str:
    """The query of a serve request for the same slot and listener."""
    listener = body.listener
    named: dict[str, Any] = {
        "slot": body.slot,
        "format": "audio",
        "ip": listener.ip,
        "ua": listener.user_agent,
        "uid": listener.uid,
        **listener.consent.model_dump(),
    }
    return urlencode({name: value for name, value in named.items() if value is not None})


def _content_faults(body: StitchBody, networks: Networks) -> Iterator[Detail]:
    content = body.content
    needed = _KIND_OF.get(body.output)
    if needed is not None and content.kind is not needed:
        message = Message(
            "output {output} needs content of the kind {kind}.", output=body.output, kind=needed
        )
        yield Detail("content.kind", "not_allowed", message)
    if content.url is None:
        if content.kind is not ContentKind.NONE:
            message = Message("Send the address of the content, or `kind` none.")
            yield Detail("content.url", "required", message)
    elif content.kind is ContentKind.NONE:
        message = Message("Set `kind` to progressive or hls, or remove the address.")
        yield Detail("content.kind", "required", message)
    elif isinstance(parse_url(content.url, networks), FetchRefusal):
        message = Message("Use an address like https://cdn.example.com/episode.mp3.")
        yield Detail("content.url", "url_invalid", message)


def _break_faults(body: StitchBody) -> Iterator[Detail]:
    seen: set[str] = set()
    for number, one in enumerate(body.breaks):
        path = f"breaks.{number}"
        if one.id in seen:
            yield Detail(f"{path}.id", "repeated", Message("Each break needs an id of its own."))
        seen.add(one.id)
        message = _offset_fault(one, body.content)
        if message is not None:
            code = "required" if one.offset_ms is None else "range"
            yield Detail(f"{path}.offset_ms", code, message)


def _offset_fault(one: StitchBreak, content: StitchContent) -> Message | None:
    if one.type is BreakType.MID and one.offset_ms is None:
        return Message("A mid break needs its position in the content.")
    if one.type is BreakType.PRE and one.offset_ms:
        return Message("A pre break is at 0. Use the type mid for another position.")
    end_ms = content.duration_ms
    if end_ms is not None and one.offset_ms is not None and one.offset_ms > end_ms:
        return Message("The content ends at {end_ms} ms. Use an earlier position.", end_ms=end_ms)
    return None


def _listener_faults(body: StitchBody) -> Iterator[Detail]:
    ip = body.listener.ip
    if ip is not None and find_address(ip) is None:
        message = Message("Use the listener's IP address, like 203.0.113.7 or 2001:db8::7.")
        yield Detail("listener.ip", "invalid", message)
    uid = body.listener.uid
    if uid is not None and contains_address(uid):
        yield address_fault("listener.uid")
