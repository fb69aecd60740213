"""Lists: a cursor remembers where its page ended, and for whom, which filters and which order it was made."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from common.contract.models import Page
from control.call import Call
from control.pagination import encode_cursor, page, parse_cursor


class Identified(Protocol):
    id: str


Row = TypeVar("Row", bound=Identified)


def _by_id(row: Identified) -> list[Any]:
    return [row.id]


def before_id(call: Call) -> str | None:
    """The id behind which the page starts. Raises 400 `cursor_invalid` for a cursor of other filters or callers."""
    position = position_of(call)
    return None if position is None else str(position[-1])


def position_of(call: Call) -> list[Any] | None:
    """What `page_of` remembered of the row behind which the page starts. Raises as `before_id`."""
    if call.query.cursor is None:
        return None
    return parse_cursor(call.control.keys, _kind(call), call.query.cursor)


def page_of(
    call: Call,
    rows: Sequence[Row],
    to_public: Callable[[Row], BaseModel],
    position: Callable[[Row], list[Any]] = _by_id,
) -> Page[Any]:
    """*rows*: one more than the limit where there is more. *position*: a row's place in the order, as JSON values."""
    return page(
        rows,
        call.query.limit,
        to_public,
        lambda row: encode_cursor(call.control.keys, _kind(call), position(row)),
    )


def _kind(call: Call) -> str:
    """A key says its environment by itself or by the filter: the list is the same."""
    principal = call.principal
    environment = principal.environment or getattr(call.query, "environment", None)
    filters = call.query.model_dump_json(exclude={"cursor", "limit", "environment"})
    scope = f"{principal.account_id}:{principal.property_id}:{environment}"
    return f"{call.operation.id}:{scope}:{filters}"
