"""Parts of the staging rows in PostgreSQL's binary `COPY` format. Fields that many events share are packed once."""

import struct
from functools import lru_cache

from common.tracking.event import EventRecord
from common.values.enums import Attribution, Reason

NULL = b"\xff" * 4
_AGENT_CHARS = 200
"""Longer parts of a user agent are cut: clients choose them freely."""
_SHARED = struct.Struct(">i16si16si16si16sibibiq")


def pack_shared_fields(
    record: EventRecord, attribution: Attribution | None, event_name: str | None
) -> bytes:
    """The columns from ``property_id`` on."""
    ids = (record.property_id, record.slot_id, record.ad_id, record.campaign_id)
    fixed = _SHARED.pack(
        *(part for one in ids for part in (16, one.bytes)),
        *(1, record.is_test, 1, record.preview),
        *(8, record.price_micros),
    )
    texts = (
        *(record.kind, record.source, record.surface, record.format),
        *(record.pricing_model, attribution, event_name),
    )
    signs = NULL if record.signs is None else struct.pack(">ih", 2, record.signs)
    named = b"".join(pack_text(text) for text in texts)
    return fixed + named + signs + pack_text(record.lists_version)


@lru_cache(maxsize=1000)
def pack_verdict(reason: Reason, judge_version: int, live_reason: Reason | None) -> bytes:
    """Packs validity, judge version, reason, and the live reason of a test event."""
    start = struct.pack(">ibih", 1, reason.valid, 2, judge_version)
    return start + pack_text(reason) + pack_text(live_reason)


def pack_agent(family: str | None, major: str | None, pattern: str | None) -> bytes:
    """The three columns of a user agent, each cut to a useful length, without characters that PostgreSQL refuses."""
    return b"".join([pack_text(_cut(text)) for text in (family, major, pattern)])


def _cut(text: str | None) -> str | None:
    return None if text is None else text.replace("\0", "")[:_AGENT_CHARS] or None


def pack_text(text: str | None) -> bytes:
    if text is None:
        return NULL
    raw = text.encode()
    return len(raw).to_bytes(4, "big") + raw


NO_AGENT = pack_agent(None, None, None)
