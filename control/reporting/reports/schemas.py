"""Reports on the wire. The endpoint and exports share the fields of the request: comma lists there, JSON here."""

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    PlainValidator,
    SerializerFunctionWrapHandler,
    StringConstraints,
    WithJsonSchema,
    model_serializer,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from common.contract.field_errors import field_error
from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import DeviceType, Format, Reason, Source, Surface
from common.values.environment import Environment
from common.values.messages import Message
from control.foundation.wire_types import Distinct, Id, InDigits, Timezone
from control.reporting.reports.vocabulary import USUAL_METRICS, Dimension, Granularity, Metric

_MAX_VALUES = 50
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_FIRST_YEAR, _LAST_YEAR = 2000, 2199

_READ: dict[bool, Callable[[str], date]] = {
    False: date.fromisoformat,
    True: datetime.fromisoformat,
}
"""The parser by whether there is a time."""

Item = TypeVar("Item")


def _split(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return value.split(",") if value else []


def _bound(value: Any) -> date | datetime:
    """A date unchanged; a time, aware if it has an offset, else naive."""
    if isinstance(value, date):
        return value
    if not isinstance(value, str) or not (_DATE.fullmatch(value) or _TIME.fullmatch(value)):
        raise _no_bound()
    try:
        found = _READ["T" in value](value)
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
Values = Annotated[list[Item], BeforeValidator(_split), Field(max_length=_MAX_VALUES), Distinct]
Sort = Annotated[str, StringConstraints(pattern=f"^-?({'|'.join(Metric)})$")]
Most = Annotated[int, Field(ge=1, le=10_000), InDigits]
Country = Annotated[str, StringConstraints(pattern="^[A-Za-z]{2}$"), AfterValidator(str.lower)]
"""In either case; rows are stored in lower case."""


class ReportFields(WireIn):
    from_: Bound = Field(
        alias="from",
        description="Where the range begins: a date or a time; without an offset in `tz`. On a full hour.",
    )
    to: Bound = Field(
        None,
        validate_default=False,
        description="Where it ends, itself no part of it; without one, with the running hour.",
    )
    granularity: Granularity = Field(
        Granularity.TOTAL, description="A row for each of these, or one for the whole range."
    )
    group_by: Values[Dimension] = Field([], description="A row for each combination of these.")
    metrics: Annotated[Values[Metric], Field(min_length=1)] = Field(
        list(USUAL_METRICS), description="The figures of each row, in this order."
    )
    tz: Timezone | None = Field(
        None,
        description="Time zone of dates, days, weeks and months. Without one, that of the property where the report is "
        "of one property, else UTC.",
    )
    campaign_id: Values[Id] | None = Field(None, description="Only of these campaigns.")
    ad_id: Values[Id] | None = Field(None, description="Only of these ads.")
    property_id: Values[Id] | None = Field(None, description="Only of these properties.")
    slot_id: Values[Id] | None = Field(None, description="Only of these slots.")
    country: Values[Country] | None = Field(None, description="Only of these countries.")
    device: Values[DeviceType] | None = Field(None, description="Only of these kinds of device.")
    format: Values[Format] | None = Field(None, description="Only of these formats.")
    source: Values[Source] | None = Field(None, description="Only of these sources.")
    surface: Values[Surface] | None = Field(None, description="Only of these surfaces.")
    reason: Values[Reason] | None = Field(None, description="Only of events with these reasons.")


class ReportQuery(ReportFields):
    environment: Environment | None = Field(
        None, description="`live` or `test`; required of a signed-in user, a key brings its own."
    )
    sort: Sort | None = Field(
        None,
        description="Rows by this one of `metrics`, with a leading minus the largest first, null ones last; else by "
        "period, then by what they are grouped by.",
    )
    limit: Most | None = Field(
        None, description="So many of the rows in their order; `totals` are of all of them."
    )


class Figures(WireOut):
    """Those that were asked for; null where one cannot be said: see each."""

    requests: int | None = Field(
        None,
        description="Decisions that edges were asked for. Null by `source` or `reason`, which a decision that showed "
        "nothing has not; so are the next three.",
    )
    fills: int | None = Field(None, description="Decisions that chose an ad.")
    no_fills: int | None = Field(
        None,
        description="Decisions that chose none; by campaign or ad they stand where the id is null.",
    )
    fill_rate: float | None = Field(
        None, description="`fills` of `requests`, 0 to 1; null without a request."
    )
    impressions: int | None = Field(
        None, description="Valid ones; one taken back later counts -1 in the hour it is taken back."
    )
    viewable_impressions: int | None = Field(
        None, description="Impressions of which the page said that they were seen."
    )
    clicks: int | None = Field(None, description="Valid ones.")
    conversions: int | None = Field(None, description="Valid ones.")
    click_through_conversions: int | None = Field(
        None, description="Conversions that were attributed to a click."
    )
    view_through_conversions: int | None = Field(
        None, description="Conversions that were attributed to a view."
    )
    invalid_impressions: int | None = Field(
        None, description="Those that the invalid-traffic filter refused."
    )
    invalid_clicks: int | None = Field(
        None, description="Those that the invalid-traffic filter refused."
    )
    spend_cents: int | None = Field(
        None,
        description="What the events were charged. Added in millionths, then rounded down once.",
    )
    earnings_cents: int | None = Field(
        None,
        description="The properties' shares of spend, each hour's by the share in force when it ended; rounded alike.",
    )
    conversion_value_cents: int | None = Field(
        None, description="Of valid conversions, as reported; currencies are not converted."
    )
    ctr: float | None = Field(
        None, description="`clicks` of `impressions`; null without an impression."
    )
    cvr: float | None = Field(None, description="`conversions` of `clicks`; null without a click.")
    ecpm_cents: int | None = Field(
        None,
        description="Spend for a thousand impressions, rounded down; null without an impression.",
    )

    @model_serializer(mode="wrap")
    def _asked_for(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
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
    """Nulls of a dimension stand for what is not known, or not there: no ad was chosen, no country was found."""

    period: Timestamp | None = Field(
        None,
        description="When the hour, day, week or month begins, or the range where that is later. Not there in a total.",
    )
    campaign_id: str | None = None
    campaign_name: str | None = Field(
        None, description="As it is called now; so are the other names."
    )
    ad_id: str | None = None
    ad_name: str | None = Field(None, description="As the ad is called now; null where it is gone.")
    property_id: str | None = None
    property_name: str | None = Field(
        None, description="As the property is called now; null where it is gone."
    )
    slot_id: str | None = None
    slot_name: str | None = Field(
        None, description="As the slot is called now; null where it is gone."
    )
    country: str | None = Field(None, description="ISO 3166-1, two capitals.")
    device: DeviceType | None = None
    format: Format | None = None
    source: Source | None = None
    surface: Surface | None = None
    reason: Reason | None = None


class ReportPublic(WireOut):
    data: list[ReportRow] = Field(
        description="By period, then by what they are grouped by. Where nothing happened there is no row."
    )
    totals: Figures = Field(
        description="Of all rows, rounded from the sums and not from the rounded rows."
    )
    as_of: Timestamp | None = Field(
        description="When the newest record that can be in the figures was stored; null before any was."
    )
    complete_through: Timestamp | None = Field(
        description="Every event up to this instant is in the figures; null before any edge reported."
    )
    from_at: Timestamp = Field(description="Where the range began, to the hour.")
    to_at: Timestamp = Field(description="Where it ended, to the hour.")
    tz: str = Field(description="The time zone of its periods.")
    currency: str = Field(description="ISO 4217, of spend and earnings.")
