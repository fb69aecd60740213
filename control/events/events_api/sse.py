"""Frames of an event stream: server-sent events as the HTML standard defines them."""

from typing import Any

import orjson
from sqlalchemy import Row

from common.values.errors import ErrorCode
from control.events.events_api.queries import event_public

MEDIA_TYPE = "text/event-stream; charset=utf-8"
_RETRY_MS = 2000


def opening(cursor: str) -> bytes:
    """The start of the stream, with its cursor: a reader that disconnects before the first event loses nothing."""
    return f"retry: {_RETRY_MS}\nid: {cursor}\n\n".encode()


def event_frame(row: Row[Any], cursor: str) -> bytes:
    """*cursor*: directly after the event."""
    return f"id: {cursor}\ndata: {event_public(row).model_dump_json()}\n\n".encode()


def events_of(data: bytes) -> tuple[list[dict[str, Any]], str | None]:
    """
    Parses `event_frame` output: the events in order, and the cursor after them.

    The cursor is None for other data.
    """
    events: list[dict[str, Any]] = []
    cursor = None
    for frame in data.split(b"\n\n"):
        position, _, body = frame.partition(b"\ndata: ")
        if body and position.startswith(b"id: "):
            events.append(orjson.loads(body))
            cursor = position.removeprefix(b"id: ").decode()
    return events, cursor


def heartbeat(cursor: str) -> bytes:
    """Also advances the reader's cursor, so that events outside its filters are not read again."""
    return f": heartbeat\nid: {cursor}\n\n".encode()


def ending(code: ErrorCode, message: str) -> bytes:
    """The last frame: a comment for human readers, and an event ``end`` for programs."""
    data = orjson.dumps({"code": code.value, "message": message}).decode()
    return f": {message}\nevent: end\ndata: {data}\n\n".encode()
