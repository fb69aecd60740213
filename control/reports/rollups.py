"""
The rollups there are, each with the dimensions it keeps apart besides the property, which every one keeps.

Any two of the ten dimensions stand together in one of them. They are in the order in which they are looked through,
those with the fewest rows first.
"""

from collections.abc import Collection
from dataclasses import dataclass

from control.reports.vocabulary import NOT_OF_DECISIONS, Dimension

_CAMPAIGN, _AD, _SLOT = Dimension.CAMPAIGN, Dimension.AD, Dimension.SLOT
_COUNTRY, _DEVICE, _FORMAT = Dimension.COUNTRY, Dimension.DEVICE, Dimension.FORMAT
_SOURCE, _SURFACE, _REASON = Dimension.SOURCE, Dimension.SURFACE, Dimension.REASON


@dataclass(frozen=True, slots=True)
class Rollup:
    """``is_hourly``: its rows are of hours, for days that are not UTC's; else of days of UTC."""

    name: str
    keeps: frozenset[Dimension]
    is_hourly: bool = False

    @property
    def has_decisions(self) -> bool:
        return not self.keeps & NOT_OF_DECISIONS


def _rollup(name: str, *keeps: Dimension, is_hourly: bool = False) -> Rollup:
    return Rollup(name, frozenset({Dimension.PROPERTY, *keeps}), is_hourly)


ROLLUPS: tuple[Rollup, ...] = (
    _rollup("campaign", _CAMPAIGN),
    _rollup("device", _DEVICE, _SURFACE, _FORMAT),
    _rollup("device_reason", _DEVICE, _SURFACE, _FORMAT, _SOURCE, _REASON),
    _rollup("slot", _SLOT, _FORMAT),
    _rollup("ad", _CAMPAIGN, _AD, _FORMAT),
    _rollup("ad_reason", _CAMPAIGN, _AD, _SOURCE, _REASON),
    _rollup("slot_reason", _SLOT, _SOURCE, _REASON),
    _rollup("slot_device", _SLOT, _DEVICE, _SURFACE, _FORMAT),
    _rollup("country", _COUNTRY),
    _rollup("country_device", _COUNTRY, _DEVICE, _SURFACE, _FORMAT),
    _rollup("country_reason", _COUNTRY, _SOURCE, _REASON),
    _rollup("ad_device", _CAMPAIGN, _AD, _DEVICE, _SURFACE, _FORMAT),
    _rollup("slot_country", _SLOT, _COUNTRY),
    _rollup("ad_slot", _CAMPAIGN, _AD, _SLOT),
    _rollup("ad_country", _CAMPAIGN, _AD, _COUNTRY),
    _rollup("campaign_hour", _CAMPAIGN, is_hourly=True),
)


def find_rollup(needed: Collection[Dimension], *, is_hourly: bool) -> Rollup | None:
    """The one with the fewest rows that keeps all of *needed* apart."""
    wanted = frozenset(needed)
    fitting = (one for one in ROLLUPS if one.is_hourly == is_hourly and wanted <= one.keeps)
    return next(fitting, None)
