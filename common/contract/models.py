"""Models that every resource shares: the envelope, the list, and the two base classes of wire models."""

from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
)
from typing_extensions import TypeAliasType

from common.contract.field_errors import field_error
from common.values.clock import to_iso
from common.values.messages import Message
from common.values.money import CURRENCIES

Timestamp = Annotated[
    datetime,
    PlainSerializer(to_iso, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}, mode="serialization"),
]
"""An aware datetime; on the wire UTC ISO 8601 with milliseconds and ``Z``."""


def _upper(given: Any) -> Any:
    return given.upper() if isinstance(given, str) else given


def _currency(given: str) -> str:
    if given not in CURRENCIES:
        raise field_error("currency_unknown", Message("Use an ISO 4217 currency code, like EUR."))
    return given


Currency = TypeAliasType(
    "Currency",
    Annotated[
        str,
        BeforeValidator(_upper),
        AfterValidator(_currency),
        Field(json_schema_extra={"enum": sorted(CURRENCIES)}),
    ],
)
"""An ISO 4217 code, accepted in either case; a named type, so that the description lists the codes once."""


class WireIn(BaseModel):
    """Base of request models: unknown fields are rejected, never ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class WireOut(BaseModel):
    """Base of response models."""

    model_config = ConfigDict(frozen=True)


class ErrorDetail(WireOut):
    param: str = Field(description="The field, dotted: `budget.total_cents`.")
    code: str
    message: str


class ErrorBody(WireOut):
    code: str
    message: str = Field(description="What is wrong, and what to do next.")
    param: str | None = None
    details: list[ErrorDetail] | None = None
    request_id: str | None = None


class ErrorEnvelope(WireOut):
    error: ErrorBody


class NoQuery(WireIn):
    """An operation without query parameters: any that comes is refused."""


Item = TypeVar("Item")


class Page(WireOut, Generic[Item]):
    data: list[Item]
    has_more: bool
    next_cursor: str | None
