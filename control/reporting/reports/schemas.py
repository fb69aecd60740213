"""Reports on the wire. The endpoint and exports share the fields of the request: comma lists there, JSON here."""

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    Field,
    GetJsonSchemaHandler,
    PlainValidator,
    SerializerFunctionWrapHandler,
    StringConstraints,
    WithJsonSchema,
    create_model,
    model_serializer,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from common.contract.field_errors import field_error
from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import DeviceType, Format, Reason, Source, Surface
from common.values.environment import Environment
from common.values.messages import Message
from control.foundation.wire_types import Id, InDigits, Timezone, Values
from control.reporting.reports.metrics import USUAL_METRICS, Metric, Unit
from control.reporting.reports.vocabulary import Dimension, Granularity

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
_FIRST_YEAR, _LAST_YEAR = 2000, 2199

_READ: dict[bool, Callable[[str], date]] = {
    False: date.fromisoformat,
    True: datetime.fromisoformat,
}
"""The parser by whether there is a time."""


def _bound(value: Any) -> date | datetime:
    """A date unchanged; a time, aware if it has an offset, else naive."""
    if isinstance(value, date):
        return value
    if not isinstance(value, str) or not (_DATE.fullmatch(value) or _TIME.fullmatch(value)):
        raise _no_bound()
    try:
        found = _READ["T" in value.upper()](value.upper())
    except ValueError:
        raise _no_bound() from None
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise field_error("timestamp_range", Message("Must be a time between 2000 and 2199."))
    return found


def _no_bound() -> PydanticCustomError:
    return field_error(
        "format",
        Message(
            "Must be a date like 2026-03-01, or a time like 2026-03-01T06:00:00Z. Percent-encode "
            "a `+`."
        ),
    )


Bound = Annotated[
    Any,
    PlainValidator(_bound),
    WithJsonSchema({"type": "string", "examples": ["2026-03-01", "2026-03-01T06:00:00Z"]}),
]
"""A date or a time. A date, or a time without an offset, is in the report's time zone."""
Sort = Annotated[str, StringConstraints(pattern=f"^-?({'|'.join(Metric)})$")]
Most = Annotated[int, Field(ge=1, le=10_000), InDigits]
Country = Annotated[str, StringConstraints(pattern="^[A-Za-z]{2}$"), AfterValidator(str.upper)]
"""In either case, returned as ISO 3166-1 writes it; `filters_of` gives it as rows are stored, in lower case."""


def _with_standard_codes(question: dict[str, Any]) -> dict[str, Any]:
    countries = question.get("country")
    if not isinstance(countries, list):
        return question
    return question | {"country": list(dict.fromkeys(str(one).upper() for one in countries))}


StoredQuestion = Annotated[dict[str, Any], AfterValidator(_with_standard_codes)]
"""The parameters of a report as they were stored. Earlier releases stored countries in lower case."""


class _Range(WireIn):
    from_: Bound = Field(
        alias="from",
        description="Start of the range: a date, or a time on a full hour. Without an offset it is in `tz`.",
    )
    to: Bound = Field(
        None,
        validate_default=False,
        description="End of the range, exclusive. Default: the end of the current hour.",
    )


class _ReportShape(_Range):
    granularity: Granularity = Field(
        Granularity.TOTAL,
        description="One row per period of this length, or one for the whole range.",
    )
    group_by: Values[Dimension] = Field(
        [], description="One row for each combination of these dimensions."
    )
    metrics: Annotated[Values[Metric], Field(min_length=1)] = Field(
        list(USUAL_METRICS), description="The metrics of each row, in this order."
    )
    tz: Timezone | None = Field(
        None,
        description=(
            "Time zone of dates, days, weeks and months. Default: the property's if the report is about one property, "
            "else UTC."
        ),
    )


class ReportFilters(WireIn):
    """The filters of a report, one for each dimension."""

    campaign_id: Values[Id] | None = Field(None, description="Only these campaigns.")
    ad_id: Values[Id] | None = Field(None, description="Only these ads.")
    property_id: Values[Id] | None = Field(None, description="Only these properties.")
    slot_id: Values[Id] | None = Field(None, description="Only these slots.")
    country: Values[Country] | None = Field(None, description="Only these countries.")
    device: Values[DeviceType] | None = Field(None, description="Only these types of device.")
    format: Values[Format] | None = Field(None, description="Only these formats.")
    source: Values[Source] | None = Field(None, description="Only these sources.")
    surface: Values[Surface] | None = Field(None, description="Only these surfaces.")
    reason: Values[Reason] | None = Field(None, description="Only events with these reasons.")


class ReportFields(ReportFilters, _ReportShape):
    """The fields of a report's request."""


class _HoursShape(_Range):
    metrics: Annotated[Values[Metric], Field(min_length=1)] = Field(
        list(USUAL_METRICS), description="The metrics of each row, in this order."
    )
    tz: Timezone | None = Field(
        None,
        description=(
            "Time zone of dates, weekdays and hours. Default: the property's if the report is about one property, "
            "else UTC."
        ),
    )
    environment: Environment | None = Field(
        None,
        description="`live` or `test`. Required for signed-in users; a key uses its own environment.",
    )


class HoursQuery(ReportFilters, _HoursShape):
    """A range of at most 31 days, whose hours are added up by the hours of a week."""

    def fields(self) -> ReportFields:
        """As a report by hour without dimensions."""
        shared = {name: getattr(self, name) for name in type(self).model_fields}
        return ReportFields.model_construct(
            **shared | {"granularity": Granularity.HOUR, "group_by": []}
        )


class ReportQuery(ReportFields):
    environment: Environment | None = Field(
        None,
        description="`live` or `test`. Required for signed-in users; a key uses its own environment.",
    )
    sort: Sort | None = Field(
        None,
        description=(
            "Sorts the rows by one of `metrics`, largest first with a leading minus, nulls last. Default: by period, "
            "then by `group_by`."
        ),
    )
    limit: Most | None = Field(
        None, description="Maximum number of rows, in their order. `totals` covers all rows."
    )


_TYPES: dict[Unit, Any] = {Unit.COUNT: int, Unit.CENTS: int, Unit.RATIO: float}
_FIGURES: dict[str, Any] = {
    one.value: (_TYPES[one.unit] | None, Field(None, description=one.description)) for one in Metric
}


class Figures(create_model("_Figures", __base__=WireOut, **_FIGURES)):  # type: ignore[misc]  # a field for each metric
    """The requested metrics; null if one is undefined, as described for each."""

    @model_serializer(mode="wrap")
    def _without_unrequested(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        shown: dict[str, Any] = serialize(self)
        return {name: value for name, value in shown.items() if name in self.model_fields_set}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The plain fields: for pydantic, the output of a serializer could be any object."""
        plain: Any = {name: part for name, part in schema.items() if name != "serialization"}
        return handler(plain)


class ReportRow(Figures):
    """A null dimension is unknown or does not apply: no ad was chosen, or no country was found."""

    period: Timestamp | None = Field(
        None,
        description="Start of the hour, day, week or month, or of the range if that is later. Absent in totals.",
    )
    campaign_id: str | None = None
    campaign_name: str | None = Field(
        None, description="Current name of the campaign; null if deleted."
    )
    ad_id: str | None = None
    ad_name: str | None = Field(None, description="Current name of the ad; null if deleted.")
    property_id: str | None = None
    property_name: str | None = Field(
        None, description="Current name of the property; null if deleted."
    )
    slot_id: str | None = None
    slot_name: str | None = Field(None, description="Current name of the slot; null if deleted.")
    country: str | None = Field(None, description="ISO 3166-1 code, two upper-case letters.")
    device: DeviceType | None = None
    format: Format | None = None
    source: Source | None = None
    surface: Surface | None = None
    reason: Reason | None = None


class ReportPublic(WireOut):
    data: list[ReportRow] = Field(
        description="Rows by period, then by `group_by`. Periods without any activity have no row."
    )
    totals: Figures = Field(
        description="Totals of all rows, rounded from exact sums, not from rounded rows."
    )
    as_of: Timestamp | None = Field(
        description="Time at which the newest record in the figures was stored; null before any was."
    )
    complete_through: Timestamp | None = Field(
        description="Every event up to this time is in the figures; null before any edge reported."
    )
    from_at: Timestamp = Field(description="Start of the range, to the hour.")
    to_at: Timestamp = Field(description="End of the range, to the hour.")
    tz: str = Field(description="Time zone of the periods.")
    currency: str = Field(description="ISO 4217 code of spend and earnings.")


class HoursRow(Figures):
    weekday: int = Field(description="1 is Monday, 7 is Sunday.")
    hour: int = Field(description="0 to 23.")


class HoursPublic(WireOut):
    data: list[HoursRow] = Field(
        description="Rows by weekday, then by hour. Hours without any activity have no row."
    )
    totals: Figures = Field(
        description="Totals of all rows, rounded from exact sums, not from rounded rows."
    )
    as_of: Timestamp | None = Field(
        description="Time at which the newest record in the figures was stored; null before any was."
    )
    complete_through: Timestamp | None = Field(
        description="Every event up to this time is in the figures; null before any edge reported."
    )
    from_at: Timestamp = Field(description="Start of the range, to the hour.")
    to_at: Timestamp = Field(description="End of the range, to the hour.")
    tz: str = Field(description="Time zone of the weekdays and hours.")
    currency: str = Field(description="ISO 4217 code of spend and earnings.")
