"""
The rollups, each with the dimensions it keeps apart, in search order: those with the fewest rows first.

Any two of the ten dimensions are kept apart in at least one of them, for a whole account and for one property. A
campaign or ad on many properties would have as many rows where the property is kept apart, so most rollups exist twice.
"""

from collections.abc import Collection
from dataclasses import dataclass

from control.reporting.reports.calendar_spans import Span
from control.reporting.reports.vocabulary import NOT_OF_DECISIONS, Dimension

_CAMPAIGN, _AD, _SLOT = Dimension.CAMPAIGN, Dimension.AD, Dimension.SLOT
_COUNTRY, _DEVICE, _FORMAT = Dimension.COUNTRY, Dimension.DEVICE, Dimension.FORMAT
_SOURCE, _SURFACE, _REASON = Dimension.SOURCE, Dimension.SURFACE, Dimension.REASON


@dataclass(frozen=True, slots=True)
class Rollup:
    """``is_hourly``: rows are of hours, for days that are not UTC's; else of days, weeks and months of UTC."""

    name: str
    keeps: frozenset[Dimension]
    is_hourly: bool = False

    @property
    def has_property(self) -> bool:
        return Dimension.PROPERTY in self.keeps

    @property
    def has_decisions(self) -> bool:
        return not self.keeps & NOT_OF_DECISIONS

    def name_by(self, span: Span) -> str:
        """The name of its rows of weeks, or of months."""
        return f"{self.name}/{span}"


def _pair(name: str, *keeps: Dimension, is_hourly: bool = False) -> tuple[Rollup, Rollup]:
    """One for the whole account, and one by property."""
    kept = frozenset(keeps)
    return (
        Rollup(f"all_{name}", kept, is_hourly),
        Rollup(name, kept | {Dimension.PROPERTY}, is_hourly),
    )


def _of_slots(name: str, *keeps: Dimension) -> tuple[Rollup]:
    """A slot belongs to one property: keeping the property apart adds no rows."""
    return (Rollup(name, frozenset({Dimension.PROPERTY, _SLOT, *keeps})),)


ROLLUPS: tuple[Rollup, ...] = (
    *_pair("device", _DEVICE, _SURFACE, _FORMAT),
    *_pair("device_reason", _DEVICE, _SURFACE, _FORMAT, _SOURCE, _REASON),
    *_pair("country", _COUNTRY),
    *_pair("campaign", _CAMPAIGN),
    *_of_slots("slot", _FORMAT),
    *_of_slots("slot_reason", _SOURCE, _REASON),
    *_of_slots("slot_device", _DEVICE, _SURFACE, _FORMAT),
    *_pair("ad", _CAMPAIGN, _AD, _FORMAT),
    *_pair("ad_reason", _CAMPAIGN, _AD, _SOURCE, _REASON),
    *_pair("country_reason", _COUNTRY, _SOURCE, _REASON),
    *_pair("country_device", _COUNTRY, _DEVICE, _SURFACE, _FORMAT),
    *_of_slots("slot_country", _COUNTRY),
    *_of_slots("ad_slot", _CAMPAIGN, _AD),
    *_pair("ad_device", _CAMPAIGN, _AD, _DEVICE, _SURFACE, _FORMAT),
    *_pair("campaign_country", _CAMPAIGN, _COUNTRY),
    *_pair("ad_country", _CAMPAIGN, _AD, _COUNTRY),
    *_pair("hour", is_hourly=True),
    *_pair("campaign_hour", _CAMPAIGN, is_hourly=True),
)


def find_rollup(needed: Collection[Dimension], *, is_hourly: bool) -> Rollup | None:
    """The rollup with the fewest rows that keeps all of *needed* apart."""
    wanted = frozenset(needed)
    fitting = (one for one in ROLLUPS if one.is_hourly == is_hourly and wanted <= one.keeps)
    return next(fitting, None)
