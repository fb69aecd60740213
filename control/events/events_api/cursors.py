"""
Cursors of the events feed: a reader's position, as text that only the same reader can use.

Rows are ordered by the transaction that stored them, and shown only below the oldest one still running. So a row can
never appear before a cursor that has passed its position, whatever the order of commits.
"""

import uuid
from datetime import date, timedelta
from typing import Any

import orjson
from sqlalchemy import text

from common.values.clock import from_ms
from common.values.errors import ErrorCode, Refused
from common.values.ids import canonical_id, is_uuid
from common.values.messages import Message
from control.api.call import Call
from control.events.events_api.positions import FIRST_ID, Position, decode_position, position_after

EARLIEST = "earliest"

_FIND_EVENT = text(
    "select xid, id, stored_day from events where account_id = :account and id = :id "
    "and stored_day >= :born and (cast(:property as uuid) is null or property_id = :property) "
    "and (cast(:is_test as boolean) is null or is_test = :is_test)"
)


async def parse_position(call: Call, cursor: str) -> Position:
    """Raises `Refused`: ``cursor_invalid``, ``cursor_expired``."""
    oldest = call.now.date() - timedelta(days=call.control.settings.events_retention_days)
    if cursor == EARLIEST:
        return Position(0, FIRST_ID, oldest)
    if is_uuid(canonical_id(cursor)):
        position = await _find_event(call, uuid.UUID(cursor), oldest)
    else:
        position = decode_position(call.control.keys, kind_of(call), cursor)
    if position.day < oldest:
        raise _expired()
    return position


def kind_of(call: Call) -> str:
    """Identifies the reader and the feed. Cursors of pages and of the stream are the same."""
    principal = call.principal
    environment = principal.environment or call.query.environment
    fields = call.query.model_dump(mode="json", exclude={"cursor", "limit", "environment"})
    filters = orjson.dumps({name: _canonical(value) for name, value in fields.items()}).decode()
    scope = f"{principal.account_id}:{principal.property_id}:{environment}"
    return f"listEvents:{scope}:{filters}"


def _canonical(value: Any) -> Any:
    """Values in any order are one filter. One value stands alone, as in the cursors of earlier releases."""
    if not isinstance(value, list):
        return value
    return sorted(value) if len(value) > 1 else next(iter(value), None)


async def _find_event(call: Call, event_id: uuid.UUID, oldest: date) -> Position:
    """An id starts with the instant of the serve, and no event is stored before it was served."""
    born = from_ms(min(event_id.int >> 80, 2**42)).date() - timedelta(days=1)
    principal = call.principal
    own = principal.environment
    found = await call.session.execute(
        _FIND_EVENT,
        {
            "account": principal.account_id,
            "id": event_id,
            "born": max(born, oldest),
            "property": principal.property_id,
            "is_test": None if own is None else own.is_test,
        },
    )
    row = found.one_or_none()
    if row is not None:
        return position_after(row)
    if born < oldest:
        raise _expired()
    raise Refused(
        ErrorCode.CURSOR_INVALID,
        Message(
            "There is no event with this id that you may see. Use a `next_cursor`, the id of an "
            "event, or `earliest`."
        ),
        param="cursor",
    )


def _expired() -> Refused:
    return Refused(
        ErrorCode.CURSOR_EXPIRED,
        Message(
            "The events at this cursor were deleted after their retention. Continue with "
            "`cursor=earliest`."
        ),
        param="cursor",
    )
