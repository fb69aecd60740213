"""One slot requesting one ad, now: everything that a decision may use from a request."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from common.decision.rules.ad_limits import AdLimits
from common.snapshot.model import Property, Slot
from common.values.enums import Browser, DeviceType, Format, OperatingSystem, Surface
from common.values.environment import Environment

_NO_VALUES: Mapping[str, frozenset[str]] = MappingProxyType({})
_NO_WORDS: frozenset[str] = frozenset()


@dataclass(slots=True, init=False)
class Signals:
    """
    Values that targeting is compared with, in lower case. None and empty both mean: not known.

    ``region``: the part of the ISO 3166-2 code after the dash. ``languages``: BCP 47 tags of the languages that the
    user reads. ``segments`` are empty where personalisation is not allowed. Nothing here names a person, so it may be
    recorded.
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

    def __init__(  # noqa: PLR0917 - a value's fields, in their order
        self,
        country: str | None = None,
        region: str | None = None,
        device: DeviceType | None = None,
        os: OperatingSystem | None = None,
        browser: Browser | None = None,
        languages: tuple[str, ...] = (),
        keywords: frozenset[str] = _NO_WORDS,
        key_values: Mapping[str, frozenset[str]] = _NO_VALUES,
        segments: frozenset[str] = _NO_WORDS,
    ) -> None:
        # Written by hand, as in all classes created for each request: compiled, it takes a fifth of a generated one.
        self.country = country
        self.region = region
        self.device = device
        self.os = os
        self.browser = browser
        self.languages = languages
        self.keywords = keywords
        self.key_values = key_values
        self.segments = segments

    def of_client(self) -> tuple[object, ...]:
        """The signals of the kinds' `Dimension.of_client`, as a key."""
        return (
            self.country,
            self.region,
            self.device,
            self.os,
            self.browser,
            self.languages,
        )


_NO_SIGNALS = Signals()


@dataclass(slots=True, init=False)
class Opportunity:
    """
    ``width``/``height``: the room that the request reports, or None. ``shown_advertisers``: domains that other slots of
    the same call already show. ``roadblock_id``: the sponsorship campaign that leads the call's slots, see
    `common.decision.roadblock`. ``measured``: the user's events may be measured one by one.
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
    surface_named: bool = False
    """The client or its library named the surface: the ad's format does not change it."""
    measured: bool = True
    limits: AdLimits | None = None
    """Limits beyond those of the slot, see `AdLimits`."""

    def __init__(  # noqa: PLR0917 - a value's fields, in their order
        self,
        environment: Environment,
        property: Property,  # noqa: A002 - it is the field's name
        slot: Slot,
        format: Format | None,  # noqa: A002 - it is the field's name
        width: int | None,
        height: int | None,
        surface: Surface,
        preview_ad_id: str | None,
        consent_limited: bool,  # noqa: FBT001 - as above
        child_directed: bool,  # noqa: FBT001 - as above
        signals: Signals = _NO_SIGNALS,
        shown_advertisers: frozenset[str] = _NO_WORDS,
        roadblock_id: str | None = None,
        surface_named: bool = False,  # noqa: FBT001, FBT002 - as above
        measured: bool = True,  # noqa: FBT001, FBT002 - as above
        limits: AdLimits | None = None,
    ) -> None:
        self.environment = environment
        self.property = property
        self.slot = slot
        self.format = format
        self.width = width
        self.height = height
        self.surface = surface
        self.preview_ad_id = preview_ad_id
        self.consent_limited = consent_limited
        self.child_directed = child_directed
        self.signals = signals
        self.shown_advertisers = shown_advertisers
        self.roadblock_id = roadblock_id
        self.surface_named = surface_named
        self.measured = measured
        self.limits = limits

    def in_slot(
        self,
        slot: Slot,
        *,
        shown_advertisers: frozenset[str] = _NO_WORDS,
        roadblock_id: str | None = None,
    ) -> "Opportunity":
        """Returns the opportunity of the same request for another slot."""
        return Opportunity(
            *(self.environment, self.property, slot, self.format, self.width, self.height),
            *(self.surface, self.preview_ad_id, self.consent_limited, self.child_directed),
            *(self.signals, shown_advertisers, roadblock_id),
            *(self.surface_named, self.measured, self.limits),
        )

    def surface_of(self, ad_format: Format | None) -> Surface:
        """
        Returns the surface for an ad of *ad_format*:
        email for email and audio for audio, unless the client named one.
        """
        if self.surface_named:
            return self.surface
        if ad_format is Format.EMAIL:
            return Surface.EMAIL
        return Surface.AUDIO if ad_format is Format.AUDIO else self.surface
