"""What goes over a stream of events: server-sent events, as the HTML standard has them."""

from typing import Any

import orjson
from sqlalchemy import Row

from common.values.errors import ErrorCode
from control.events.events_api.queries import event_public

MEDIA_TYPE = "text/event-stream; charset=utf-8"
_RETRY_MS = 2000


def opening(cursor: str) -> bytes:
    """Where the stream begins: who loses it before the first event loses nothing."""
    return f"retry: {_RETRY_MS}\nid: {cursor}\n\n".encode()


def event_frame(row: Row[Any], cursor: str) -> bytes:
    """*cursor*: directly behind it."""
    return f"id: {cursor}\ndata: {event_public(row).model_dump_json()}\n\n".encode()


def events_of(data: bytes) -> tuple[list[dict[str, Any]], str | None]:
    """What `event_frame` wrote, in order, and the cursor behind it; None where *data* is something else."""
    events: list[dict[str, Any]] = []
    cursor = None
    for frame in data.split(b"\n\n"):
        place, _, body = frame.partition(b"\ndata: ")
        if body and place.startswith(b"id: "):
            events.append(orjson.loads(body))
            cursor = place.removeprefix(b"id: ").decode()
    return events, cursor


def heartbeat(cursor: str) -> bytes:
    """Moves the reader's place on, too, so that nobody looks again at what it did not ask for."""
    return f": heartbeat\nid: {cursor}\n\n".encode()


def ending(code: ErrorCode, message: str) -> bytes:
    """The last words: a comment for whoever looks, and an event ``end`` for a program."""
    data = orjson.dumps({"code": code.value, "message": message}).decode()
    return f": {message}\nevent: end\ndata: {data}\n\n".encode()
