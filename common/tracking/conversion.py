"""
Which conversion a call tells of: an id derived from what the caller says, so that a retry is the same conversion.

By server: with an order, one an order; without, one an idempotency key; with neither each call tells of another. By
pixel: with an order, one an order; without, one a click and event name, for thank-you pages are loaded again. What
the judge finds invalid has an id of its own, so that a robot never takes the place of the reader.
"""

import uuid
from dataclasses import dataclass

from common.values.enums import Reason
from common.values.ids import derived_id

DEFAULT_EVENT_NAME = "conversion"
MAX_PAST_MS = 90 * 86_400_000
"""What happened longer ago is not taken."""
MAX_AHEAD_MS = 30_000
"""Clocks of others may be so far ahead of the edge's."""


@dataclass(frozen=True, slots=True)
class ConversionReport:
    """What identifies a conversion. ``whose``: bytes of the click id or of the person."""

    is_test: bool
    property_id: uuid.UUID | None
    click_id: uuid.UUID | None
    whose: bytes
    event_name: str
    reason: Reason


def order_conversion_id(told: ConversionReport, order_id: str) -> uuid.UUID:
    return _derived(told, b"order", order_id.encode())


def repeated_conversion_id(told: ConversionReport, idempotency_key: str) -> uuid.UUID:
    return _derived(told, b"key", told.event_name.encode(), idempotency_key.encode())


def click_conversion_id(told: ConversionReport) -> uuid.UUID:
    """Of a pixel without an order."""
    return _derived(told, b"click", told.event_name.encode())


def _derived(told: ConversionReport, *by: bytes) -> uuid.UUID:
    """Begins with the instant of the serve where a click id tells it."""
    return derived_id(
        0 if told.click_id is None else told.click_id.int >> 80,
        b"cnv/v1",
        b"test" if told.is_test else b"live",
        b"" if told.property_id is None else told.property_id.bytes,
        told.whose,
        b"" if told.reason.valid else told.reason.value.encode(),
        *by,
    )
