"""A reader's position in the events feed: after one (xid, id), on one day."""

import uuid
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Row

from common.service.secrets import KeyRing
from control.foundation.cursors import encode_cursor, parse_cursor

FIRST_ID = uuid.UUID(int=0)
_LAST_ID = uuid.UUID(int=2**128 - 1)


@dataclass(frozen=True, slots=True)
class Position:
    """Everything up to and including (xid, id) was read. ``day``: no row after it was stored earlier."""

    xid: int
    id: uuid.UUID
    day: date

    def is_behind(self, other: "Position") -> bool:
        """Whether this position is at or after *other*."""
        return (self.xid, self.id) >= (other.xid, other.id)


def position_after(row: Row[Any]) -> Position:
    """Directly after an event."""
    return Position(row.xid, row.id, row.stored_day)


def position_below(horizon: int, today: date) -> Position:
    """After everything that was stored by transactions before *horizon*."""
    return Position(horizon - 1, _LAST_ID, today)


def encode_position(keys: KeyRing, kind: str, position: Position) -> str:
    """*kind*: the result of `control.events.events_api.cursors.kind_of`."""
    values = [position.xid, str(position.id), position.day.isoformat()]
    return encode_cursor(keys, kind, values)


def decode_position(keys: KeyRing, kind: str, cursor: str) -> Position:
    """Decodes a result of `encode_position` with the same *kind*. Raises `Refused` (``cursor_invalid``)."""
    xid, event_id, day = parse_cursor(keys, kind, cursor)
    return Position(xid, uuid.UUID(event_id), date.fromisoformat(day))
