"""Decides when edges need new delivery figures: rarely enough to be cheap, but before it matters. Pure."""

from common.snapshot.model import Pace
from control.outbox.pace_objects import Bounds, Delivered

STEP_PPM = 10_000
"""A hundredth of the tightest bound; smaller changes wait for the slower pass, which publishes any change."""
_WHOLE = 1_000_000


def is_due(
    published: Pace | None, now: Delivered, bounds: Bounds, step_ppm: int = STEP_PPM
) -> bool:
    """
    *published*: the figures that edges hold. True where spend or goal moved by a step of a bound, or crossed one, or
    where edges lack figures that they need. With a step of 0, any change is due.
    """
    if published is None:
        return bool(now.spent_micros or now.counted)
    if bounds.daily_micros is not None and not published.day:
        return now.spent_micros > 0
    moved = now.spent_micros - published.spent_micros
    before = published.spent_today_micros if published.day == now.day else 0
    return (
        _is_due(published.spent_micros, moved, bounds.total_micros, step_ppm)
        or _is_due(before, moved, bounds.daily_micros, step_ppm)
        or _is_due(published.counted, now.counted - published.counted, bounds.goal, step_ppm)
    )


def _is_due(before: int, moved: int, bound: int | None, step_ppm: int) -> bool:
    """A lower count, after a retraction, is due too: it may resume delivery."""
    if bound is None or moved == 0:
        return False
    crossed = before < bound <= before + moved
    return moved < 0 or crossed or moved * _WHOLE >= bound * step_ppm
