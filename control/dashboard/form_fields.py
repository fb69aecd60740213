"""The fields of a submitted form, by name: read once the sender is identified, and parsed within limits."""

import asyncio
import re

from common.contract.operation import USUAL_BODY_BYTES
from common.values.errors import ErrorCode, Refused, invalid
from common.values.messages import Message
from control.api.admission import receive_body
from control.dashboard.page_request import PageRequest

FORM = "application/x-www-form-urlencoded"
_ENCODED = re.compile(rb"%([0-9A-Fa-f]{2})")
_MAX_FIELDS = 5_000
"""A campaign's form with every targeting option has some hundreds."""


async def receive_fields(view: PageRequest) -> dict[str, list[str]]:
    """Raises `ApiError`: as `receive_body`, and 415 and 422 for invalid forms. Large ones are parsed in a thread."""
    request, max_bytes = view.request, view.screen.max_form_bytes
    await receive_body(view.control, request, view.admission.client_ip, max_bytes=max_bytes)
    if not request.body:
        return {}
    media_type, _, _ = request.headers.getone("content-type", "").partition(";")
    if media_type.strip().lower() != FORM:
        raise Refused(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            Message("Send the form as {media_type}.", media_type=FORM),
        )
    if len(request.body) <= USUAL_BODY_BYTES:
        return parse_fields(request.body)
    return await asyncio.to_thread(parse_fields, request.body)


def parse_fields(body: bytes) -> dict[str, list[str]]:
    """
    As `urllib.parse.parse_qs` with blank values kept, which takes seconds for a megabyte of percent signs.

    Raises `Refused` where there are too many fields.
    """
    if body.count(b"&") >= _MAX_FIELDS:
        raise invalid(
            "body", "length", Message("Send at most {max_fields:,} fields.", max_fields=_MAX_FIELDS)
        )
    fields: dict[str, list[str]] = {}
    for pair in body.split(b"&"):
        name, _, value = pair.partition(b"=")
        if pair:
            fields.setdefault(_decoded(name), []).append(_decoded(value))
    return fields


def _decoded(text: bytes) -> str:
    return _ENCODED.sub(_byte_of, text.replace(b"+", b" ")).decode("utf-8", "replace")


def _byte_of(found: re.Match[bytes]) -> bytes:
    return bytes.fromhex(found[1].decode("ascii"))
