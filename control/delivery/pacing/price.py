"""What a campaign's fills commit of its budget, and what they commit for one event of its goal to come. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from common.decision.rules.hierarchical_rates import PPM
from common.snapshot.model import Rate
from common.values.enums import PricingModel

Rates = tuple[Rate, Rate]
"""Clicks of impressions, and conversions of clicks."""


@dataclass(frozen=True, slots=True)
class Price:
    """``micros``: of one billable event."""

    model: PricingModel
    micros: int

    def unit_micros(self, pairs: Sequence[Rates]) -> int:
        """What a fill of the dearest ad commits, at least 1. *pairs*: rates of its ads."""
        return max(1, *(self._of_fill(pair) for pair in pairs)) if pairs else max(1, self.micros)

    def goal_micros(self, kind: str | None, pairs: Sequence[Rates]) -> int:
        """
        What is committed by as many fills, of all ads alike, as bring one event of *kind* (``impressions``, ``clicks``,
        ``conversions``): Σ commits / Σ events.
        """
        if kind is None:
            return 0
        committed = sum(self._of_fill(pair) for pair in pairs)
        events_ppm = sum(_events_ppm(kind, pair) for pair in pairs)
        return max(1, committed * PPM // max(1, events_ppm)) if pairs else max(1, self.micros)

    def _of_fill(self, pair: Rates) -> int:
        match self.model:
            case PricingModel.CPC:
                kind = "clicks"
            case PricingModel.CPA:
                kind = "conversions"
            case _:
                kind = "impressions"
        return self.micros * _events_ppm(kind, pair) // PPM


def _events_ppm(kind: str, pair: Rates) -> int:
    """Of a million fills."""
    clicks, conversions = pair
    if kind == "impressions":
        return PPM
    return clicks.ppm if kind == "clicks" else clicks.ppm * conversions.ppm // PPM
