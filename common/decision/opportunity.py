"""One slot asking for one ad, now: all that deciding may know of a request."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from common.environment import Environment
from common.snapshot.model import Property, Slot
from common.vocabulary import Browser, DeviceType, Format, OperatingSystem, Surface

_NO_VALUES: Mapping[str, frozenset[str]] = MappingProxyType({})


@dataclass(slots=True)
class Signals:
    """
    What targeting is held against, in lower case. None and empty both mean: not known.

    ``region``: the part of the ISO 3166-2 code after the dash. ``languages``: BCP 47 tags the caller reads.
    ``segments`` are empty where personalisation is not allowed. Nothing here names a person, so it may be recorded.
    """

    country: str | None = None
    region: str | None = None
    device: DeviceType | None = None
    os: OperatingSystem | None = None
    browser: Browser | None = None
    languages: tuple[str, ...] = ()
    keywords: frozenset[str] = frozenset()
    key_values: Mapping[str, frozenset[str]] = field(default_factory=lambda: _NO_VALUES)
    segments: frozenset[str] = frozenset()


@dataclass(slots=True)
class Opportunity:
    """
    ``width``/``height``: what the caller says it has room for, or None. ``shown_advertisers``: domains that other
    slots of the same call show already. ``roadblock_id``: the sponsorship campaign that leads the call's slots, see
    `common.decision.roadblock`.
    """

    environment: Environment
    property: Property
    slot: Slot
    format: Format | None
    width: int | None
    height: int | None
    surface: Surface
    preview_ad_id: str | None
    consent_limited: bool
    child_directed: bool
    signals: Signals = field(default_factory=Signals)
    shown_advertisers: frozenset[str] = frozenset()
    roadblock_id: str | None = None
