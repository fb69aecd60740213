"""
Derives a conversion's id from what the request states, so that a retry has the same id.

From a server: one conversion for each order; without an order, one for each idempotency key; with neither, every call
is another one. From a pixel: one for each order; without an order, one for each click and event name, because thank-you
pages are reloaded. A conversion that the judge finds invalid has an id of its own, so that a robot never takes the
place of the user. So has one by a click id without its tag, which may be forged.
"""

import uuid
from dataclasses import dataclass

from common.values.enums import Reason
from common.values.ids import derived_id

DEFAULT_EVENT_NAME = "conversion"
MAX_PAST_MS = 90 * 86_400_000
"""Conversions that are older are rejected."""
MAX_AHEAD_MS = 30_000
"""How far a client's clock may be ahead of the edge's."""


@dataclass(frozen=True, slots=True)
class ConversionReport:
    """
    The facts that identify a conversion. ``whose``: bytes of the click id or of the person. They differ for a click id
    without a tag.
    """

    is_test: bool
    property_id: uuid.UUID | None
    click_id: uuid.UUID | None
    whose: bytes
    event_name: str
    reason: Reason


def order_conversion_id(report: ConversionReport, order_id: str) -> uuid.UUID:
    return _derived(report, b"order", order_id.encode())


def repeated_conversion_id(report: ConversionReport, idempotency_key: str) -> uuid.UUID:
    return _derived(report, b"key", report.event_name.encode(), idempotency_key.encode())


def click_conversion_id(report: ConversionReport) -> uuid.UUID:
    """Returns the id of a pixel's conversion without an order."""
    return _derived(report, b"click", report.event_name.encode())


def call_conversion_id(report: ConversionReport, call_id: uuid.UUID) -> uuid.UUID:
    """Returns an id that no other call has. *call_id*: a new UUIDv7."""
    return _derived(report, b"call", call_id.bytes, otherwise_ms=call_id.int >> 80)


def _derived(report: ConversionReport, *by: bytes, otherwise_ms: int = 0) -> uuid.UUID:
    """The id begins with the instant of the serve if a click id gives it, else with *otherwise_ms*."""
    return derived_id(
        otherwise_ms if report.click_id is None else report.click_id.int >> 80,
        b"cnv/v1",
        b"test" if report.is_test else b"live",
        b"" if report.property_id is None else report.property_id.bytes,
        report.whose,
        b"" if report.reason.valid else report.reason.value.encode(),
        *by,
    )
