"""
The targeting of campaigns and ads: AND between kinds, OR within one kind, exclusion wins.

Closed sets are checked; an unknown kind is refused, never ignored. Codes of countries, regions and languages are
accepted in either case, stored in lower case, and returned as their standards write them (`as_shown`); other values
are lower case.
"""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo, field_validator

from common.contract.field_errors import field_error
from common.contract.models import WireIn
from common.values.countries import COUNTRIES
from common.values.enums import Browser, DeviceType, OperatingSystem
from common.values.languages import ANY_CASE, MAX_TAG_CHARS, as_written
from common.values.messages import Message
from control.foundation.wire_types import Composed, Distinct, Id, Plain


class Day(StrEnum):
    MON = "mon"
    TUE = "tue"
    WED = "wed"
    THU = "thu"
    FRI = "fri"
    SAT = "sat"
    SUN = "sun"


def _lower(value: str) -> str:
    if value != value.lower():
        raise field_error("not_lower_case", Message("Must be in lower case."))
    if value != value.strip():
        raise field_error("not_trimmed", Message("Remove the spaces at the start and the end."))
    return value


def _word(value: str) -> str:
    if "," in value:
        raise field_error(
            "has_comma",
            Message(
                "A word must not contain a comma, which separates words in a request. List each word "
                "separately."
            ),
        )
    return value


def _country(value: str) -> str:
    code = value.lower()
    if code not in COUNTRIES:
        raise field_error("country_unknown", Message("Use an ISO 3166-1 country code, like BR."))
    return code


Lower = Annotated[
    str, StringConstraints(min_length=1, max_length=128), Plain, AfterValidator(_lower), Composed
]
"""In the form in which a serve call's values are compared: trimmed, lower case, composed."""
Word = Annotated[Lower, AfterValidator(_word)]
Country = Annotated[str, AfterValidator(_country)]
"""In either case; stored in lower case, as edges compare it."""
Region = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{1,3}$"), AfterValidator(str.lower)]
"""In either case, like `Country`."""
Language = Annotated[
    str,
    StringConstraints(pattern=ANY_CASE, max_length=MAX_TAG_CHARS),
    AfterValidator(str.lower),
]
"""A language range, in either case. Outside extensions it matches by whole subtags: `pt` matches `pt-BR`."""
ClockTime = Annotated[str, StringConstraints(pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$")]


_Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]
_Values = Annotated[list[Lower], Field(max_length=500), Distinct]


class GeoArea(WireIn):
    country: Country
    region: Region | None = Field(
        None, description="The part of the ISO 3166-2 code after the dash: `SP` for BR-SP."
    )


class GeoTargeting(WireIn):
    include: list[GeoArea] = Field(default_factory=list, max_length=500)
    exclude: list[GeoArea] = Field(default_factory=list, max_length=500)


class DeviceTargeting(WireIn):
    types: Annotated[list[DeviceType], Distinct] = Field(default_factory=list)
    os: Annotated[list[OperatingSystem], Distinct] = Field(default_factory=list)
    browsers: Annotated[list[Browser], Distinct] = Field(default_factory=list)


class Daypart(WireIn):
    """A window within one day, in the campaign's time zone. A window over midnight needs two of them."""

    days: Annotated[list[Day], Field(min_length=1), Distinct]
    start: ClockTime
    end: ClockTime

    @field_validator("end")
    @classmethod
    def _forward(cls, end: str, info: ValidationInfo) -> str:
        if "start" in info.data and info.data["start"] >= end:
            raise field_error(
                "daypart_order",
                Message(
                    "A daypart must start before it ends. Split one that crosses midnight in two."
                ),
            )
        return end


class SlotTargeting(WireIn):
    include: Annotated[list[Id], Distinct] = Field(default_factory=list, max_length=500)
    exclude: Annotated[list[Id], Distinct] = Field(default_factory=list, max_length=500)


class KeywordTargeting(WireIn):
    any: Annotated[list[Word], Distinct] = Field(default_factory=list, max_length=500)
    none: Annotated[list[Word], Distinct] = Field(default_factory=list, max_length=500)


class KeyValueTargeting(WireIn):
    key: _Key
    op: Literal["in", "not_in"]
    values: Annotated[list[Lower], Field(min_length=1, max_length=200), Distinct]


class SegmentTargeting(WireIn):
    include: Annotated[list[Word], Distinct] = Field(default_factory=list, max_length=500)
    exclude: Annotated[list[Word], Distinct] = Field(default_factory=list, max_length=500)


class Targeting(WireIn):
    geo: GeoTargeting | None = None
    device: DeviceTargeting | None = None
    languages: Annotated[list[Language], Field(max_length=100), Distinct] | None = None
    dayparts: Annotated[list[Daypart], Field(max_length=50)] | None = None
    slots: SlotTargeting | None = None
    keywords: KeywordTargeting | None = None
    key_values: Annotated[list[KeyValueTargeting], Field(max_length=50)] | None = None
    segments: SegmentTargeting | None = None

    def stored(self) -> dict[str, Any]:
        """The kinds that restrict something: ``{"geo": {}}`` targets nothing and is left out."""
        stored = self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        return {kind: value for kind, value in stored.items() if value}

    def slot_ids(self) -> tuple[str, ...]:
        """Every slot that is included or excluded."""
        return (*self.slots.include, *self.slots.exclude) if self.slots else ()


class AskedSignals(WireIn):
    """The signals of a hypothetical ad request: what the kinds of `Targeting` are compared with."""

    country: Country | None = Field(None, description="ISO 3166-1 country code.")
    region: Region | None = Field(
        None, description="The part of the ISO 3166-2 code after the dash: `SP` for BR-SP."
    )
    device: DeviceType | None = None
    os: OperatingSystem | None = None
    browser: Browser | None = None
    languages: Annotated[list[Language], Field(max_length=20), Distinct] = Field(
        default_factory=list, description="Languages of the visitor, BCP 47."
    )
    keywords: _Values = Field(default_factory=list, description="Keywords of the page.")
    key_values: dict[_Key, _Values] = Field(
        default_factory=dict,
        max_length=100,
        description="Your own key-value pairs, like `kv.NAME` on serve.",
    )
    segments: _Values = Field(default_factory=list, description="Segments of the visitor.")


def as_shown(stored: dict[str, Any]) -> dict[str, Any]:
    """*stored*, of a campaign or an ad, with its codes as their standards write them: `BR`, `SP`, `pt-BR`."""
    shown = stored
    if "geo" in stored:
        areas = {side: [_upper(area) for area in given] for side, given in stored["geo"].items()}
        shown = shown | {"geo": areas}
    if "languages" in stored:
        shown = shown | {"languages": [as_written(tag) for tag in stored["languages"]]}
    return shown


def _upper(area: dict[str, str | None]) -> dict[str, str | None]:
    return {name: code and code.upper() for name, code in area.items()}
