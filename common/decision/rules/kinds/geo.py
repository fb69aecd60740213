"""Targets countries and regions. The edge derives the place from the address."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from common.decision.rules.kinds.kind import Condition, Dimension, TargetingKind
from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import NoFillReason
from common.values.messages import Message


class Areas(Dimension):
    """An area is named ``br`` or ``br-sp``: ISO 3166, in lower case."""

    def parse(self, stored: Any) -> Condition:
        return Condition(_names(stored.get("include", ())), _names(stored.get("exclude", ())))

    def matches(self, condition: Condition, signals: Signals) -> bool:
        if any(is_in_area(signals, area) for area in condition.excluded):
            return False
        return not condition.included or any(
            is_in_area(signals, area) for area in condition.included
        )

    def project(self, signals: Signals, targeted: Any) -> Collection[Any]:
        country = signals.country
        if country is None:
            return ()
        names = (country,) if signals.region is None else (country, f"{country}-{signals.region}")
        return tuple([name for name in names if name in targeted])


def is_in_area(signals: Signals, area: str) -> bool:
    country, _, region = area.partition("-")
    return country == signals.country and region in ("", signals.region)


def _names(areas: Sequence[Mapping[str, str]]) -> frozenset[str]:
    return frozenset([_name(area["country"], area.get("region")) for area in areas])


@lru_cache(maxsize=4096)
def _name(country: str, region: str | None) -> str:
    """Cached: campaigns that target the same area share one string."""
    return country if region is None else f"{country}-{region}"


GEO = TargetingKind(
    "geo",
    NoFillReason.GEO_NOT_TARGETED,
    Message(
        "The campaign or ad does not target the visitor's country or region, or the location is "
        "unknown."
    ),
    Message("Change `targeting.geo`. A server sends the visitor's IP address as `ip`."),
    (Areas({"country": str | None, "region": str | None}, of_client=True),),
)
