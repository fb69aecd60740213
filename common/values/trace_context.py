"""
Trace ids of deliveries, and the W3C header ``traceparent`` (ADR 111).

The trace id of a delivery is its decision id: serve, token, record and ingest all have it. A decision that an edge
traces gets an id with a mark, so that each process finds the traced deliveries without a setting of its own. The mark
is 18 of the id's random bits, all set, above the 56 that W3C Trace Context wants random. One id in 262,144 has it by
chance.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Final

MARK: Final = b"\x7f\xff\xbf"
"""Bytes 6 to 8 of a marked UUIDv7: version and ``rand_a``, then variant and the first bits of ``rand_b``."""
MARK_IN_TEXT: Final = b"-7fff-bf"
"""The mark in the canonical text of the id."""
MARK_IN_TOKEN: Final = b"f_-_"
"""The mark in a track token: characters 40 to 43, because the id begins at byte 24 of the payload."""
MARK_AT: Final = 6
MARK_IN_TOKEN_AT: Final = 40
_TRACEPARENT: Final = re.compile(
    r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?"
)
_FIRST_VERSION: Final = "00"
_NO_VERSION: Final = "ff"
_LENGTH: Final = 55
"""Of a header of the first version; only later ones may be longer."""


@dataclass(frozen=True, slots=True)
class SpanRef:
    """A span by the id of its trace (128 bits) and its own (64 bits); neither is zero."""

    trace_id: int
    span_id: int


def is_marked(decision_id: bytes) -> bool:
    """Whether the delivery of the 16 bytes *decision_id* is traced."""
    return decision_id[MARK_AT : MARK_AT + len(MARK)] == MARK


def marked(decision_id: bytes) -> bytes:
    """Returns the 16 bytes of a UUIDv7 with the mark."""
    return decision_id[:MARK_AT] + MARK + decision_id[MARK_AT + len(MARK) :]


def delivery_span(decision_id: bytes, *facts: object) -> SpanRef:
    """
    Returns the span of a step in the trace of *decision_id* (16 bytes). The same *facts* give the same span in every
    process, so a span can name its parent in another one. Without facts: the span of the serve call.
    """
    text = "/".join(map(str, facts)).encode()
    span_id = int.from_bytes(hashlib.blake2b(decision_id + text, digest_size=8).digest())
    return SpanRef(int.from_bytes(decision_id), span_id or 1)


def parse_traceparent(text: str | None) -> tuple[SpanRef, bool] | None:
    """Returns the caller's span, and whether it is sampled; None where the header is not valid."""
    found = None if text is None else _TRACEPARENT.fullmatch(text.strip(" \t"))
    if found is None or found[1] == _NO_VERSION:
        return None
    if found[1] == _FIRST_VERSION and len(found[0]) != _LENGTH:
        return None
    span = SpanRef(int(found[2], 16), int(found[3], 16))
    is_sampled = bool(int(found[4], 16) & 1)
    return (span, is_sampled) if span.trace_id and span.span_id else None
