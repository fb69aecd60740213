"""Saved views on the wire."""

import re
from contextlib import suppress
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from common.contract.field_errors import field_error
from common.contract.models import Timestamp, WireIn, WireOut
from common.values.environment import Environment
from common.values.messages import Message
from control.foundation.resource_models import patch_model_of
from control.foundation.wire_types import Limit, Name, Timezone, Values
from control.reporting.reports.metrics import Metric
from control.reporting.reports.schemas import ReportFilters, StoredQuestion
from control.reporting.reports.vocabulary import Dimension, Granularity, NamedRange

_FIRST_YEAR, _LAST_YEAR = 2000, 2199
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _day(value: Any) -> date:
    """Pydantic alone would accept numbers, also as text, and midnights, and read them as days."""
    if isinstance(value, date):
        return value
    if isinstance(value, str) and _DATE.fullmatch(value):
        with suppress(ValueError):
            return date.fromisoformat(value)
    raise field_error("format", Message("Must be a date like 2026-03-01."))


def _in_years(value: date) -> date:
    if not _FIRST_YEAR <= value.year <= _LAST_YEAR:
        raise field_error("timestamp_range", Message("Must be a day between 2000 and 2199."))
    return value


Day = Annotated[date, BeforeValidator(_day), AfterValidator(_in_years)]


class _ViewShape(WireIn):
    range: NamedRange | None = Field(
        None, description="Days counted back from the day on which the view is opened."
    )
    from_: Day | None = Field(
        None, alias="from", description="First day, with `to`, instead of `range`."
    )
    to: Day | None = Field(None, description="Last day, inclusive.")
    granularity: Granularity | None = Field(
        None, description="Length of a period. Null: follows from the range."
    )
    group_by: Annotated[Values[Dimension], Field(max_length=2)] = Field(
        [], description="At most two dimensions."
    )
    metrics: Values[Metric] = Field([], description="Empty: the usual metrics.")
    chart: Metric | None = Field(None, description="The metric of the chart.")
    tz: Timezone | None = Field(None, description="Null: the time zone of the reader.")
    compare: bool = Field(
        default=False, strict=True, description="Whether to compare with the previous period."
    )


class ViewParameters(ReportFilters, _ViewShape):
    """The parameters of a report. Either `range`, or both `from` and `to`."""


class ViewCreate(WireIn):
    name: Name
    is_shared: bool = Field(
        default=False,
        strict=True,
        description="Whether everyone in the account sees the view. Default: only its creator.",
    )
    question: ViewParameters


@patch_model_of(ViewCreate)
class ViewPatch(WireIn):
    pass


class ViewsQuery(WireIn):
    environment: Environment | None = Field(None, description="`live` or `test`.")


class ViewList(WireIn):
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")
    limit: Limit = 20
    environment: Environment | None = Field(None, description="`live` or `test`.")


class ViewPublic(WireOut):
    id: str
    name: str
    is_shared: bool = Field(description="Whether everyone in the account sees the view.")
    is_own: bool = Field(description="Whether the caller created the view.")
    is_test: bool
    question: StoredQuestion = Field(
        description="The parameters that were sent, without those that are null or empty."
    )
    version: int
    created_at: Timestamp
    updated_at: Timestamp
