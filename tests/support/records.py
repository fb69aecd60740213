"""Events and log records with good defaults: name only what the test is about."""

import uuid
from dataclasses import replace
from typing import Any

from common.tracking.event import EventRecord, LogRecord, RequestFacts, WriterId
from common.values.enums import EventKind, Format, PricingModel, Reason, Source, Surface

SOME_FACTS = RequestFacts("203.0.113.0/24", "Chrome", "120", None, None, "00112233445566ff", False)  # noqa: FBT003 - its last field


def a_writer(edge: str = "edge-a") -> WriterId:
    return WriterId(edge, uuid.uuid4().hex)


def an_event(**changes: Any) -> EventRecord:
    """A valid live CPM impression of a fresh token."""
    default = EventRecord(
        kind=EventKind.IMPRESSION,
        token_id=uuid.uuid4(),
        issued_ms=1_800_000_000_000,
        at_ms=1_800_000_001_000,
        property_id=uuid.UUID(int=2),
        slot_id=uuid.UUID(int=3),
        ad_id=uuid.UUID(int=4),
        campaign_id=uuid.UUID(int=5),
        is_test=False,
        consent_limited=False,
        preview=False,
        source=Source.AUCTION,
        surface=Surface.WEB,
        format=Format.BANNER,
        pricing_model=PricingModel.CPM,
        price_micros=1_000,
        snapshot_version=7,
        facts=SOME_FACTS,
        reason=Reason.OK,
        judge_version=1,
        value_cents=None,
        currency=None,
        order_id=None,
    )
    return replace(default, **changes)


def some_records(count: int, *, writer: WriterId | None = None, first: int = 1) -> list[LogRecord]:
    """Events of *count* clients, numbered from *first*."""
    by = writer or a_writer()
    return [
        LogRecord(by, number, number.to_bytes(8, "big"), an_event())
        for number in range(first, first + count)
    ]
