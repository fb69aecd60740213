"""What is to be done with a conversion that waits: attribute it, go on waiting, or let it go. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from common.tracking.attribution import Attributed, Terms, Touch, attribute, next_try_ms
from common.tracking.conversion import MAX_AHEAD_MS
from common.values.enums import PIXEL_DOORS, ConversionDoor
from control.events.attribution.pending_conversions import PendingConversion

UNSIGNED_WAITS_MS = 60_000
"""A click id without a tag may be made up, so it waits for no edge that is cut off from the event log."""


@final
@dataclass(frozen=True, slots=True)
class Retry:
    until_ms: int


@final
@dataclass(frozen=True, slots=True)
class Expire:
    """It goes to nothing, and never will."""


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
    *through_ms*: every event up to then is among what is kept.

    A click that is named is the one, as soon as it is there. What a person did last is known when all of it is there;
    a touch that is found before could be the wrong one. When the time to wait is over, what is found decides. A pixel
    waits for its click no longer than the click can still be on its way.
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
    """Whether the click of a pixel, which is not there, will not come."""
    if held.door not in PIXEL_DOORS:
        return False
    if held.door is ConversionDoor.PIXEL_UNSIGNED and now_ms - held.heard_ms >= UNSIGNED_WAITS_MS:
        return True
    return through_ms is not None and through_ms >= held.heard_ms + MAX_AHEAD_MS
