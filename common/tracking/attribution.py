"""
Attributes a conversion: to the last click that its campaign's terms accept, else to the last accepted view.

Pure: the same touches and terms give the same result, in whatever order they are passed.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from common.values.enums import Attribution

HOUR_MS = 3_600_000
LONGEST_CLICK_HOURS = 2160
LONGEST_VIEW_HOURS = 720
"""No campaign may use longer windows, and touches are not kept for longer."""
HELD_FOR_MS = HOUR_MS
"""How long a conversion waits for its touch."""
_FIRST_STEP_MS = 1_000


@dataclass(frozen=True, slots=True)
class Touch:
    """A valid click, or a valid view of a person who consented."""

    token_id: UUID
    campaign_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Terms:
    """
    A campaign's terms: windows before the conversion, half-open, where 0 accepts nothing; ``event_names`` in lower
    case, where an empty collection accepts all.
    """

    click_window_ms: int = 720 * HOUR_MS
    view_window_ms: int = 24 * HOUR_MS
    event_names: Collection[str] = field(default=frozenset())
    pixel_conversions_per_click: int = 1
    """For each event name."""

    def take(self, event_name: str) -> bool:
        return not self.event_names or event_name.lower() in self.event_names


_DEFAULT = Terms()


@dataclass(frozen=True, slots=True)
class Attributed:
    touch: Touch
    attribution: Attribution


def attribute(
    event_name: str,
    occurred_ms: int,
    *,
    clicks: Iterable[Touch],
    views: Iterable[Touch],
    terms: Mapping[str, Terms],
    leeway_ms: int = 0,
) -> Attributed | None:
    """
    *terms* by campaign; a missing campaign has the default ones. Returns None where no touch is accepted.

    *leeway_ms*: a click this long after the conversion still counts as before it, for when two clocks report on one
    user.
    """

    def last(touches: Iterable[Touch], kind: Attribution) -> Attributed | None:
        found: Touch | None = None
        for touch in touches:
            of_campaign = terms.get(touch.campaign_id, _DEFAULT)
            before_ms = occurred_ms - touch.at_ms
            by_click = kind is Attribution.CLICK_THROUGH
            window_ms = of_campaign.click_window_ms if by_click else of_campaign.view_window_ms
            if not -leeway_ms <= before_ms < window_ms or not of_campaign.take(event_name):
                continue
            if found is None or (touch.at_ms, touch.token_id) > (found.at_ms, found.token_id):
                found = touch
        return None if found is None else Attributed(found, kind)

    return last(clicks, Attribution.CLICK_THROUGH) or last(views, Attribution.VIEW_THROUGH)


def next_try_ms(received_ms: int, now_ms: int) -> int | None:
    """
    Returns when a waiting conversion, received at *received_ms*, is tried again: 1, 2, 4 … seconds after it was
    received, and at the end of its waiting time. None after that end.
    """
    waited_ms = max(0, now_ms - received_ms)
    if waited_ms >= HELD_FOR_MS:
        return None
    return min(now_ms + max(_FIRST_STEP_MS, waited_ms), received_ms + HELD_FOR_MS)
