"""Decides whether a pending conversion is attributed, retried later or expired. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from common.tracking.attribution import Attributed, Terms, Touch, attribute, next_try_ms
from common.tracking.conversion import MAX_AHEAD_MS
from common.values.enums import PIXEL_CHANNELS, ConversionChannel
from control.events.attribution.pending_conversions import PendingConversion

UNSIGNED_WAITS_MS = 60_000
"""A click id without a tag may be made up, so it does not wait for edges that are cut off from the event log."""


@final
@dataclass(frozen=True, slots=True)
class Retry:
    until_ms: int


@final
@dataclass(frozen=True, slots=True)
class Expire:
    """The conversion is attributed to nothing, and never will be."""


Decision = Attributed | Retry | Expire


def decide(
    held: PendingConversion,
    *,
    clicks: Sequence[Touch],
    views: Sequence[Touch],
    terms: dict[str, Terms],
    through_ms: int | None,
    now_ms: int,
) -> Decision:
    """
    *through_ms*: every event up to this time is stored (epoch ms).

    A named click decides as soon as it is stored. A person's last touch is certain only once all touches are stored;
    one found earlier could be the wrong one. When the waiting time is over, the touches found so far decide. A
    conversion from a pixel waits for its click only as long as the click can still be in transit.
    """
    by_click = held.click_id is not None
    found = attribute(
        held.event_name,
        held.occurred_ms,
        clicks=clicks,
        views=views,
        terms=terms,
        leeway_ms=MAX_AHEAD_MS if by_click else 0,
    )
    if by_click and clicks:
        return found or Expire()
    if _is_unknown(held, through_ms, now_ms):
        return Expire()
    complete = through_ms is not None and through_ms >= held.heard_ms
    until_ms = next_try_ms(held.heard_ms, now_ms)
    if found is not None and (complete or until_ms is None):
        return found
    return Expire() if until_ms is None else Retry(until_ms)


def _is_unknown(held: PendingConversion, through_ms: int | None, now_ms: int) -> bool:
    """Whether a pixel's click is missing and will not arrive."""
    if held.door not in PIXEL_CHANNELS:
        return False
    if (
        held.door is ConversionChannel.PIXEL_UNSIGNED
        and now_ms - held.heard_ms >= UNSIGNED_WAITS_MS
    ):
        return True
    return through_ms is not None and through_ms >= held.heard_ms + MAX_AHEAD_MS
