"""What a campaign's fills commit of its budget, per fill and per expected event of its goal. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from common.decision.rules.hierarchical_rates import PPM
from common.snapshot.model import Rate
from common.values.enums import PricingModel

Rates = tuple[Rate, Rate]
"""Clicks per impression, and conversions per click."""


@dataclass(frozen=True, slots=True)
class Price:
    """``micros``: price of one billable event."""

    model: PricingModel
    micros: int

    def unit_micros(self, pairs: Sequence[Rates]) -> int:
        """Returns what a fill of the most expensive ad commits, at least 1. *pairs*: rates of its ads."""
        return max(1, *(self._of_fill(pair) for pair in pairs)) if pairs else max(1, self.micros)

    def goal_micros(self, kind: str | None, pairs: Sequence[Rates]) -> int:
        """
        Returns what fills commit until they bring one event of *kind* (``impressions``, ``clicks``, ``conversions``),
        where all ads fill equally often: Σ commits / Σ events.
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
    """Returns the expected events of a million fills."""
    clicks, conversions = pair
    if kind == "impressions":
        return PPM
    return clicks.ppm if kind == "clicks" else clicks.ppm * conversions.ppm // PPM
